// From decision values of all machines of a fold to counts of predictions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/problem.hpp"
#include "solvers/tune_plan.hpp"

namespace svmosaic {

// What one machine of one fold is worth under every setting (margin, C) of one gamma.
struct MachineOutcome {
    std::vector<double> decisions;       // settings x test samples
    std::vector<std::uint64_t> support;  // settings x words: one bit per sample

    void reset(std::size_t n_settings, std::size_t n_test, std::size_t n_samples) {
        n_test_ = n_test;
        words_ = words_of(n_samples);
        decisions.assign(n_settings * n_test, 0.0);
        support.assign(n_settings * words_, 0);
    }
    // Makes `count` settings from `to` on equal to those from `from` on.
    void copy_settings(std::size_t from, std::size_t to, std::size_t count) {
        std::copy_n(decisions.data() + from * n_test_, count * n_test_,
                    decisions.data() + to * n_test_);
        std::copy_n(support.data() + from * words_, count * words_, support.data() + to * words_);
    }
    static std::size_t words_of(std::size_t n_samples) { return (n_samples + 63) / 64; }

  private:
    std::size_t n_test_ = 0;
    std::size_t words_ = 0;
};

// Marks samples as support vectors.
inline void mark_support(std::span<std::uint64_t> bits, Index sample) {
    const auto s = static_cast<std::size_t>(sample);
    bits[s / 64] |= std::uint64_t{1} << (s % 64);
}

// Adds the predictions under setting `s` to confusion, n_classes x n_classes, by (true, predicted).
void count_predictions(const TunePlan& plan, const TuneFold& fold,
                       std::span<const MachineOutcome> outcomes, std::size_t s, bool one_vs_rest,
                       std::span<double> confusion);

// Different support vectors of all machines under setting `s`.
Index count_support(std::span<const MachineOutcome> outcomes, std::size_t s, std::size_t n_samples);

}  // namespace svmosaic
