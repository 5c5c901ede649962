// From decision values of all binary classifiers of a fold to counts of predictions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/problem.hpp"
#include "solvers/tune_plan.hpp"

namespace svmosaic {

// A kernel expansion whose decisions are still to be computed.
struct PendingModel {
    Index setting = 0;
    std::vector<Index> samples;  // numbered as in the plan
    std::vector<double> coef;
    double intercept = 0.0;
};

// What one binary problem of one fold is worth under every setting (margin, C) of one gamma.
struct ProblemOutcome {
    std::vector<double> decisions;       // settings x test samples
    std::vector<std::uint64_t> support;  // settings x words: one bit per sample
    std::vector<PendingModel> pending;

    void reset(Index n_settings, Index n_test, Index n_samples) {
        n_test_ = n_test;
        words_ = words_of(n_samples);
        decisions.assign(n_settings * n_test, 0.0);
        support.assign(n_settings * words_, 0);
        pending.clear();
    }
    // Makes `count` settings from `to` on equal to those from `from` on.
    void copy_settings(Index from, Index to, Index count) {
        std::copy_n(decisions.data() + from * n_test_, count * n_test_,
                    decisions.data() + to * n_test_);
        std::copy_n(support.data() + from * words_, count * words_, support.data() + to * words_);
    }
    static Index words_of(Index n_samples) { return (n_samples + 63) / 64; }

  private:
    Index n_test_ = 0;
    Index words_ = 0;
};

// Marks samples as support vectors.
inline void mark_support(std::span<std::uint64_t> bits, Index sample) {
    bits[sample / 64] |= std::uint64_t{1} << (sample % 64);
}

// Adds the predictions under setting `s` to confusion, n_classes x n_classes, by (true, predicted).
void count_predictions(const TunePlan& plan, const TuneFold& fold,
                       std::span<const ProblemOutcome> outcomes, Index s, bool one_vs_rest,
                       std::span<double> confusion);

// Different support vectors of all binary classifiers under setting `s`.
Index count_support(std::span<const ProblemOutcome> outcomes, Index s, Index n_samples);

}  // namespace svmosaic
