// All that a solver may ask of a kernel: column i, and the diagonal.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/aligned.hpp"
#include "core/column_store.hpp"
#include "core/packed_rows.hpp"
#include "core/problem.hpp"
#include "core/rows.hpp"
#include "core/thread_pool.hpp"

namespace svmosaic {

// Whether columns are asked for several at once, or each by itself: sparse rows are laid out for
// it.
enum class ColumnUse { in_blocks, one_by_one };

// The kernel and the form of the rows are resolved here, so solvers are plain functions of
// sample numbers 0 .. size-1. Columns that are read again are kept, the least recently used
// leaves first, within `cache_bytes` (but never fewer than two columns). The samples may change:
// a cached column is cut or completed, not computed anew. There will be at most `most_samples` of
// them (0: never more than at the start).
template <class Real>
class KernelColumns {
  public:
    KernelColumns(const Rows<Real>& rows, std::span<const Index> samples, const KernelSpec& kernel,
                  std::size_t cache_bytes, ThreadPool& pool, std::size_t most_samples = 0,
                  ColumnUse use = ColumnUse::in_blocks);

    Index size() const { return packed_.size(); }
    Index padded_size() const { return packed_.padded_size(); }
    Index n_chunks() const { return packed_.n_chunks(); }
    Index chunk_begin(Index chunk) const { return packed_.chunk_begin(chunk); }
    Index chunk_end(Index chunk) const { return packed_.chunk_end(chunk); }
    Index n_computed() const { return n_computed_; }
    std::span<const Index> samples() const { return packed_.samples(); }
    ThreadPool& pool() { return *pool_; }

    // k(x_i, x_i) for all samples, padded with 0.
    const AlignedVector<double>& diagonal();

    // Column i, computed or from the cache. The last two columns returned stay valid.
    const Real* column(Index i);

    // Columns that the cache has room for.
    Index capacity() const { return store_.capacity(); }
    bool holds(Index i) const { return store_.holds(i); }
    // Brings the columns of some samples into the cache, those that are missing several at once:
    // that takes a fraction of the time. At most `capacity` of them; they stay valid until another
    // column is asked for.
    void prefetch(std::span<const Index> samples);
    // Gives back the room of column i, if it has any.
    void forget(Index i) { store_.forget(i); }
    // Whether several columns at once take much less time than one by one, and there is room.
    bool gains_by_blocks() const;
    // So many columns take hardly longer than one.
    Index cheap_block() const;
    // Hands out a column of the cache by chunks, as `stream` does.
    template <class Visit>
    void visit(Index i, const Visit& visit) {
        const Real* values = column(i);
        // A pass is so little work that every thread gets one part of it, or two.
        const Index share = n_chunks() / (2 * pool_->n_threads());
        for_chunks(0, std::max(least_chunks_to_visit, share), [&](Index chunk) {
            const Index begin = packed_.chunk_begin(chunk);
            visit(chunk, begin, packed_.chunk_end(chunk), values + begin);
        });
    }

    // Hands out a column that is read once: visit(chunk, begin, end, values) for every chunk,
    // each as soon as it is computed, in parallel. `values` starts at sample `begin` and is
    // padded. Nothing is stored. The query is a row of the table, packed here or not. Chunks
    // before the one of sample `first` are left out.
    template <class Visit>
    void stream(Index row, const Visit& visit, Index first = 0) {
        packed_.read(*rows_, std::span(&row, 1), queries_);
        ++n_computed_;
        for_chunks(packed_.chunk_of(first), chunks_per_task_, [&](Index chunk) {
            Real* values = chunk_buffer();
            packed_.kernel_chunk(kernel_, queries_, chunk, &values);
            visit(chunk, packed_.chunk_begin(chunk), packed_.chunk_end(chunk), values);
        });
    }

    // Forgets all samples but those listed (ascending). Cached columns are cut, not lost.
    void keep_only(std::span<const Index> kept);
    // Adds rows of the table behind the present samples. Cached columns are completed when they
    // are next read.
    void append(std::span<const Index> rows);

    const Rows<Real>& rows() const { return *rows_; }
    const KernelSpec& kernel() const { return kernel_; }
    const PackedRows<Real>& packed() const { return packed_; }

  private:
    static constexpr Index least_chunks_to_visit = 8;

    using Column = typename ColumnStore<Real>::Column;

    // Runs task(chunk) for all chunks from `first`, several to a thread where each is little work.
    template <class Task>
    void for_chunks(Index first, Index chunks_per_task, const Task& task) {
        const Index n = packed_.n_chunks();
        const Index groups = (n - first + chunks_per_task - 1) / chunks_per_task;
        pool_->run(groups, [&](Index group) {
            const Index begin = first + group * chunks_per_task;
            const Index end = std::min(n, begin + chunks_per_task);
            for (Index chunk = begin; chunk < end; ++chunk) task(chunk);
        });
    }
    Real* chunk_buffer() const;
    // Completes up to Queries::capacity columns together.
    void fill(std::span<Column* const> columns);
    void repack(std::span<const Index> samples);

    const Rows<Real>* rows_;
    KernelSpec kernel_;
    ThreadPool* pool_;
    PackedRows<Real> packed_;
    ColumnStore<Real> store_;
    Index chunks_per_task_ = 1;
    Queries<Real> queries_;
    AlignedVector<double> diagonal_;
    Index n_computed_ = 0;
};

}  // namespace svmosaic
