// Samples laid out so that one kernel column is computed at the speed of memory.
#pragma once

#include <span>
#include <vector>

#include "core/aligned.hpp"
#include "core/problem.hpp"
#include "core/rows.hpp"

namespace svmosaic {

// A copy of some rows of a table: dense rows interleaved in blocks (see simd/loops.hpp), sparse
// rows in chunks of compressed columns. Pairwise values and callbacks are read where they are.
template <class Real>
class PackedRows {
  public:
    PackedRows(const Rows<Real>& rows, std::span<const Index> samples);

    Index size() const { return static_cast<Index>(samples_.size()); }
    // A column is computed in chunks; a chunk is the unit of work for a thread.
    Index n_chunks() const { return (size() + chunk_size_ - 1) / chunk_size_; }
    Index chunk_of(Index sample) const { return sample / chunk_size_; }
    Index chunk_begin(Index chunk) const { return chunk * chunk_size_; }
    Index chunk_end(Index chunk) const { return std::min(size(), (chunk + 1) * chunk_size_); }
    // Columns are written up to here: the size rounded up to whole vectors.
    Index padded_size() const;
    // Room that a buffer for one chunk needs.
    Index chunk_capacity() const { return chunk_size_; }

    // The rows of the table that are packed here.
    std::span<const Index> samples() const { return samples_; }

    // out[i] = k(sample chunk_begin + i, query), up to the end of the chunk and its padding.
    // `out` starts at a cache line.
    void kernel_chunk(const KernelSpec& kernel, const Query<Real>& query, Index chunk,
                      Real* out) const;
    // The same before the kernel is applied: squared distances for rbf, Manhattan distances for
    // laplacian, dot products for the others. They do not depend on the kernel's parameters.
    void base_values(KernelKind kind, const Query<Real>& query, Index chunk, Real* out) const;

  private:
    void pack_dense(const DenseRows<Real>& dense);
    void pack_csr(const CsrRows<Real>& csr);
    void sparse_values(KernelKind kind, const Query<Real>& query, Index chunk, Real* out) const;

    const Rows<Real>* rows_;
    std::vector<Index> samples_;
    Index chunk_size_ = 0;
    Index n_features_ = 0;

    AlignedVector<Real> blocks_;  // dense

    // Sparse: per chunk, the non-zeros by feature. Chunk c's offsets start at c * (d + 1).
    std::vector<Index> feature_offsets_;
    std::vector<std::int32_t> local_rows_;
    std::vector<Real> feature_values_;
    std::vector<double> squared_norms_;
    std::vector<double> absolute_sums_;
};

// Turns dot products, squared distances or Manhattan distances into kernel values in place.
template <class Real>
void apply_kernel(const KernelSpec& kernel, Real* values, Index n);

// k(x, x) of one sample.
template <class Real>
double kernel_diagonal(const KernelSpec& kernel, const Rows<Real>& rows, Index row);

}  // namespace svmosaic
