// Sparse samples laid out for kernel columns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/problem.hpp"
#include "core/queries.hpp"
#include "core/rows.hpp"

namespace svmosaic {

// How sparse rows are stored, which is how they meet queries:
//
// by sample    each non-zero of a sample meets all queries at once, one lane each. The cost is the
//              non-zeros of the data per max_queries columns, whatever they have in common.
// by feature   the samples of each feature of a query are visited, one query at a time. The cost
//              is what sample and query have in common: less for long, nearly disjoint rows.
enum class SparseOrder { by_sample, by_feature };

// The order that costs less for these rows.
template <class Real>
SparseOrder best_order(const CsrRows<Real>& csr, std::span<const Index> samples);

// A copy of some rows of a sparse table.
template <class Real>
class PackedSparse {
  public:
    PackedSparse() = default;
    PackedSparse(const CsrRows<Real>& csr, std::span<const Index> samples, SparseOrder order);

    Index chunk_size() const { return chunk_size_; }
    // Queries have to be spread before they come here.
    bool by_sample() const { return order_ == SparseOrder::by_sample; }
    Index n_features() const { return n_features_; }
    Index bytes() const { return values_.size() * (sizeof(Real) + sizeof(std::int32_t)); }

    // Columns out[m][0 .. n) of samples begin .. begin + n, which are one chunk.
    void base_values(PairValue kind, const Queries<Real>& queries, Index begin, Index n,
                     Real* const* out) const;
    // Squared distances by sample, from queries that were spread short.
    void short_distances(const Queries<Real>& queries, Index begin, Index n,
                         Real* const* out) const;

  private:
    void pack_by_sample(const CsrRows<Real>& csr, std::span<const Index> samples);
    void pack_by_feature(const CsrRows<Real>& csr, std::span<const Index> samples);
    void values_by_feature(PairValue kind, const SparseSample<Real>& query, Index begin, Index n,
                           Real* out) const;

    Index chunk_size_ = 0;
    Index n_features_ = 0;
    SparseOrder order_ = SparseOrder::by_feature;
    // By sample: where each begins. By feature: chunk c's offsets start at c * (d + 1).
    std::vector<Index> offsets_;
    std::vector<std::int32_t> numbers_;  // features, or rows counted from the chunk's first
    std::vector<Real> values_;
    std::vector<double> squared_norms_;
    std::vector<double> absolute_sums_;
};

}  // namespace svmosaic
