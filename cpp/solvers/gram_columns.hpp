// Columns of a stored kernel matrix, restricted to the samples of one machine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/aligned.hpp"
#include "core/problem.hpp"
#include "simd/tune_loops.hpp"

namespace svmosaic {

// Where a kernel matrix lies: row s holds k(sample s, sample at place p) at p.
template <class Real>
struct KernelMatrix {
    const Real* values = nullptr;
    Index stride = 0;

    const Real* row(Index sample) const { return values + sample * stride; }
};

// Column i: the values of variable i against all variables, then against all samples to predict,
// each part padded to whole vectors. A column is copied when it is first asked for, so that the
// loops of a solver run over contiguous memory. The buffers are reused from machine to machine.
template <class Real>
class GramColumns {
  public:
    // Variable i is sample samples[i], whose place is places[i].
    void bind(const KernelMatrix<Real>& matrix, std::span<const Index> samples,
              std::span<const int> places, std::span<const int> predicted_places) {
        matrix_ = matrix;
        samples_ = samples;
        places_ = places;
        predicted_places_ = predicted_places;
        constexpr Index width = simd::lanes<Real>;
        padded_ = simd::round_up(static_cast<Index>(samples.size()), width);
        stride_ = padded_ + simd::round_up(static_cast<Index>(predicted_places.size()), width);
        const auto room = samples.size() * static_cast<std::size_t>(stride_);
        if (values_.size() < room) values_.resize(room);
        filled_.assign(samples.size(), 0);
    }

    Index size() const { return static_cast<Index>(samples_.size()); }
    Index padded_size() const { return padded_; }
    Index predicted_padded() const { return stride_ - padded_; }

    const Real* column(Index i) {
        const auto at = static_cast<std::size_t>(i);
        Real* values = values_.data() + i * stride_;
        if (filled_[at] == 0) {
            filled_[at] = 1;
            const auto& loops = simd::tune_loops<Real>();
            const Real* row = matrix_.row(samples_[at]);
            loops.gather(row, places_.data(), values, size());
            std::fill(values + size(), values + padded_, Real{0});
            const auto n = static_cast<Index>(predicted_places_.size());
            loops.gather(row, predicted_places_.data(), values + padded_, n);
            std::fill(values + padded_ + n, values + stride_, Real{0});
        }
        return values;
    }
    // The second part of column i.
    const Real* predicted(Index i) { return column(i) + padded_; }

  private:
    KernelMatrix<Real> matrix_;
    std::span<const Index> samples_;
    std::span<const int> places_;
    std::span<const int> predicted_places_;
    Index padded_ = 0;
    Index stride_ = 0;
    AlignedVector<Real> values_;
    std::vector<std::uint8_t> filled_;
};

}  // namespace svmosaic
