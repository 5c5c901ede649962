// Samples laid out so that kernel columns are computed at the speed of the hardware.
#pragma once

#include <span>
#include <vector>

#include "core/aligned.hpp"
#include "core/packed_sparse.hpp"
#include "core/problem.hpp"
#include "core/queries.hpp"
#include "core/rows.hpp"

namespace svmosaic {

// How rows come to |x - z|^2. Dense ones by differences, or as |x|^2 + |z|^2 - 2 x.z, which takes
// half the time but cancels; sparse ones always in the second way, in double precision or, by
// products, in that of the data.
enum class RbfForm { differences, products };

// How rows are packed; of two tables that meet often, one chooses for both.
struct Layout {
    RbfForm rbf = RbfForm::differences;  // products only where the kernel is rbf
    SparseOrder sparse = SparseOrder::by_feature;
};

// Products where the rounding of |x|^2 does not show in the kernel values of these rows, and the
// order of sparse rows that costs less.
template <class Real>
Layout best_layout(const KernelSpec& kernel, const Rows<Real>& rows,
                   std::span<const Index> samples);

// A copy of some rows of a table: dense rows interleaved in blocks (see simd/loops.hpp), sparse
// rows as PackedSparse has them. Pairwise values and callbacks are read where they are.
template <class Real>
class PackedRows {
  public:
    PackedRows(const Rows<Real>& rows, std::span<const Index> samples, const Layout& layout = {});

    Index size() const { return ssize(samples_); }
    // A column is computed in chunks; a chunk is the unit of work for a thread.
    Index n_chunks() const { return (size() + chunk_size_ - 1) / chunk_size_; }
    Index chunk_of(Index sample) const { return sample / chunk_size_; }
    Index chunk_begin(Index chunk) const { return chunk * chunk_size_; }
    Index chunk_end(Index chunk) const { return std::min(size(), (chunk + 1) * chunk_size_); }
    // Columns are written up to here: the size rounded up to whole vectors.
    Index padded_size() const;
    // Room that a buffer for one chunk needs.
    Index chunk_capacity() const { return chunk_size_; }
    // Memory that one column makes the computer read.
    Index bytes() const;
    const Layout& layout() const { return layout_; }

    // The rows of the table that are packed here.
    std::span<const Index> samples() const { return samples_; }

    // Reads queries from a table, which need not be this one, as this layout wants them.
    void read(const Rows<Real>& table, std::span<const Index> numbers,
              Queries<Real>& queries) const;

    // out[m][i] = k(sample chunk_begin + i, query m), up to the end of the chunk and its padding.
    // Every out[m] starts at a cache line.
    void kernel_chunk(const KernelSpec& kernel, const Queries<Real>& queries, Index chunk,
                      Real* const* out) const;
    // The same before the kernel is applied. Pairwise values and callbacks come as they are.
    void base_values(PairValue value, const Queries<Real>& queries, Index chunk,
                     Real* const* out) const;

  private:
    void pack_dense(const DenseRows<Real>& dense);
    void dense_values(PairValue value, const Queries<Real>& queries, Index chunk,
                      Real* const* out) const;
    void pairwise_values(const PairwiseRows<Real>& pairs, Index query, Index begin, Index n,
                         Real* out) const;
    void callback_values(const CallbackRows<Real>& callback, Index query, Index begin, Index n,
                         Real* out) const;

    const Rows<Real>* rows_;
    std::vector<Index> samples_;
    Index chunk_size_ = 0;
    Layout layout_;
    Index n_features_ = 0;
    AlignedVector<Real> blocks_;  // dense
    AlignedVector<Real> norms_;   // dense, for products
    PackedSparse<Real> sparse_;
};

// k(x, x) of one sample.
template <class Real>
double kernel_diagonal(const KernelSpec& kernel, const Rows<Real>& rows, Index row);

}  // namespace svmosaic
