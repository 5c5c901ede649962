// Samples that meet packed rows together: several kernel columns for one reading of the data.
#pragma once

#include <span>
#include <vector>

#include "core/aligned.hpp"
#include "core/problem.hpp"
#include "core/rows.hpp"
#include "simd/loops.hpp"

namespace svmosaic {

// A sparse sample as lists, with what distances need of it.
template <class Real>
struct SparseSample {
    std::vector<Index> columns;  // sorted
    std::vector<Real> values;
    double squared_norm = 0.0;
    double absolute_sum = 0.0;
};

template <class Real>
void read_sparse(const CsrRows<Real>& csr, Index i, SparseSample<Real>& sample);

// Sparse samples side by side: a line of max_queries values for every feature.
template <class Sum, class Real>
struct SpreadTable {
    AlignedVector<Sum> lines;
    AlignedVector<Sum> squared_norms;
    AlignedVector<Sum> absolute_sums;
    std::vector<Index> used;  // lines that are not all zero

    void fill(Index n_features, const std::vector<SparseSample<Real>>& samples, Index n);
};

// Up to simd::max_queries samples of a table. The buffers are reused from one reading to the next.
template <class Real>
class Queries {
  public:
    static constexpr Index capacity = simd::max_queries;

    void read(const Rows<Real>& rows, std::span<const Index> numbers);

    Index size() const { return ssize(numbers_); }
    // Their numbers in the table.
    std::span<const Index> numbers() const { return numbers_; }

    // Dense tables: the first sample as it is; and, if there are more, all of them side by side
    // (see simd/loops.hpp).
    const Real* first() const { return first_; }
    const Real* side_by_side() const { return dense_.data(); }
    // |x|^2, rounded as simd::Loops::squared_norms does.
    Real squared_norm(Index m) const { return norms_[m]; }

    // Sparse tables: the samples as lists; and, after `spread`, side by side, in double precision
    // or as they are.
    const SparseSample<Real>& sparse(Index m) const { return sparse_[m]; }
    void spread(Index n_features) { spread_.fill(n_features, sparse_, numbers_.size()); }
    void spread_short(Index n_features) {
        spread_short_.fill(n_features, sparse_, numbers_.size());
    }
    const SpreadTable<double, Real>& spread_table() const { return spread_; }
    const SpreadTable<Real, Real>& short_table() const { return spread_short_; }

  private:
    void read_dense(const DenseRows<Real>& dense);

    std::vector<Index> numbers_;
    const Real* first_ = nullptr;
    AlignedVector<Real> dense_;
    AlignedVector<Real> norms_;
    std::vector<SparseSample<Real>> sparse_;
    SpreadTable<double, Real> spread_;
    SpreadTable<Real, Real> spread_short_;
};

}  // namespace svmosaic
