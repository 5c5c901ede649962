// Computes kernel columns of some samples: in chunks, on all threads, several columns at once.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/aligned.hpp"
#include "core/kernel.hpp"
#include "core/packed_rows.hpp"
#include "core/rows.hpp"
#include "core/thread_pool.hpp"

namespace svmosaic {

// Whether columns are asked for several at once, or each by itself: sparse rows are laid out for
// it.
enum class ColumnUse { in_blocks, one_by_one };

// The kernel, the form of the rows and the threads are resolved here. Nothing is kept but the
// packed rows.
template <class Real>
class ColumnComputer {
  public:
    ColumnComputer(const Rows<Real>& rows, std::span<const Index> samples, const KernelSpec& kernel,
                   ThreadPool& pool, ColumnUse use);

    const Rows<Real>& rows() const { return *rows_; }
    const KernelSpec& kernel() const { return kernel_; }
    ThreadPool& pool() const { return *pool_; }

    const Layout& layout() const { return packed_.layout(); }

    // The rows of the table that are sample 0, 1, ...
    std::span<const Index> samples() const { return packed_.samples(); }
    void set_samples(std::span<const Index> samples);
    Index size() const { return packed_.size(); }
    Index padded_size() const { return packed_.padded_size(); }
    Index n_chunks() const { return packed_.n_chunks(); }
    Index chunk_begin(Index chunk) const { return packed_.chunk_begin(chunk); }
    Index chunk_end(Index chunk) const { return packed_.chunk_end(chunk); }
    // Columns, or parts of them, and kernel values computed so far.
    Index n_computed() const { return n_computed_; }
    Index n_values() const { return n_values_; }
    // Whether several columns at once take much less time than one by one.
    bool gains_by_blocks() const;
    // As many columns as take hardly longer than one.
    Index cheap_block() const;

    // k(x_i, x_i) for all samples, padded with 0.
    const AlignedVector<double>& diagonal();

    // Columns of rows of the table, from the chunk of sample `first` on: out[m] is that of rows[m],
    // from sample 0 on.
    void compute(std::span<const Index> rows, std::span<Real* const> out, Index first);

    // Hands out a column that is read once: visit(chunk, begin, end, values) for every chunk,
    // each as soon as it is computed, in parallel. `values` starts at sample `begin` and is
    // padded. Nothing is stored. The query is a row of the table, packed here or not. Chunks
    // before the one of sample `first` are left out.
    template <class Visit>
    void stream(Index row, const Visit& visit, Index first = 0) {
        packed_.read(*rows_, std::span(&row, 1), queries_[0]);
        count(1, first);
        for_chunks(packed_.chunk_of(first), chunks_per_task_, [&](Index chunk) {
            Real* values = chunk_buffer();
            packed_.kernel_chunk(kernel_, queries_[0], chunk, &values);
            visit(chunk, packed_.chunk_begin(chunk), packed_.chunk_end(chunk), values);
        });
    }
    // The same for a column that is known.
    template <class Visit>
    void visit(const Real* values, const Visit& visit) const {
        // A pass is so little work that every thread gets one part of it, or two.
        const Index share = n_chunks() / (2 * pool_->n_threads());
        for_chunks(0, std::max(least_chunks_to_visit, share), [&](Index chunk) {
            const Index begin = packed_.chunk_begin(chunk);
            visit(chunk, begin, packed_.chunk_end(chunk), values + begin);
        });
    }

  private:
    static constexpr Index least_chunks_to_visit = 8;

    // Runs task(chunk) for all chunks from `first`, several to a thread where each is little work.
    template <class Task>
    void for_chunks(Index first, Index chunks_per_task, const Task& task) const {
        const Index n = packed_.n_chunks();
        const Index groups = (n - first + chunks_per_task - 1) / chunks_per_task;
        pool_->run(groups, [&](Index group) {
            const Index begin = first + group * chunks_per_task;
            const Index end = std::min(n, begin + chunks_per_task);
            for (Index chunk = begin; chunk < end; ++chunk) task(chunk);
        });
    }
    Real* chunk_buffer() const;
    void count(Index n_columns, Index first) {
        n_computed_ += n_columns;
        n_values_ += n_columns * (size() - packed_.chunk_begin(packed_.chunk_of(first)));
    }

    const Rows<Real>* rows_;
    KernelSpec kernel_;
    ThreadPool* pool_;
    PackedRows<Real> packed_;
    Index chunks_per_task_ = 1;
    std::vector<Queries<Real>> queries_ = std::vector<Queries<Real>>(1);
    AlignedVector<double> diagonal_;
    Index n_computed_ = 0;
    Index n_values_ = 0;
};

}  // namespace svmosaic
