// Kernel columns by number: computed when asked for, and kept while there is room.
#pragma once

#include <algorithm>
#include <span>
#include <utility>

#include "core/aligned.hpp"
#include "core/column_computer.hpp"
#include "core/column_store.hpp"
#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "core/rows.hpp"
#include "core/thread_pool.hpp"

namespace svmosaic {

// What an exact solver reads: column i and the diagonal, of samples 0 .. size-1. Columns that are
// read again are kept, the least recently used leaves first, within `cache_bytes` (but never fewer
// than two columns). The samples may change: a cached column is cut or completed, not computed
// again. There will be at most `most_samples` of them (0: never more than at the start). Whoever
// wants to know how columns are computed, or to read one in chunks, asks the computer.
template <class Real>
class KernelColumns {
  public:
    KernelColumns(const Rows<Real>& rows, std::span<const Index> samples, const KernelSpec& kernel,
                  Index cache_bytes, ThreadPool& pool, Index most_samples = 0,
                  ColumnUse use = ColumnUse::in_blocks);

    // Reading.
    Index size() const { return computer_.size(); }
    Index padded_size() const { return computer_.padded_size(); }
    const AlignedVector<double>& diagonal() { return computer_.diagonal(); }
    // The last two columns returned stay valid.
    const Real* column(Index i);
    // Null when column i has to be computed and the monitor says stop.
    const Real* column(Index i, Monitor& monitor) {
        return !holds(i) && monitor.should_stop(0) ? nullptr : column(i);
    }
    // Whether kernel values were computed since this was asked last, which may have taken long.
    bool has_computed() {
        return std::exchange(n_values_seen_, computer_.n_values()) != computer_.n_values();
    }

    // Columns ahead of their use.
    Index capacity() const { return store_.capacity(); }
    bool holds(Index i) const { return store_.holds(i); }
    // Brings the columns of some samples into the cache, those that are missing several at once:
    // that takes a fraction of the time. At most `capacity` of them; they stay valid until another
    // column is asked for.
    void prefetch(std::span<const Index> samples);
    // Whether `prefetch` takes much less time than one column after the other, and there is room.
    bool gains_by_blocks() const;
    // Gives back the room of column i, if it has any.
    void forget(Index i) { store_.forget(i); }

    // Changing the samples.
    // Forgets all samples but those listed (ascending). Cached columns are cut, not lost.
    void keep_only(std::span<const Index> kept);
    // Adds rows of the table behind the present samples. Cached columns are completed when they
    // are next read.
    void append(std::span<const Index> rows);

    // Adds what was computed so far, and how much of the cache was used.
    void add_to(SolveCounters& counters) const {
        counters.n_columns += computer_.n_computed();
        counters.n_kernel_values += computer_.n_values();
        counters.cache_bytes = std::max(counters.cache_bytes, store_.most_bytes());
    }

    ColumnComputer<Real>& computer() { return computer_; }
    const ColumnComputer<Real>& computer() const { return computer_; }

  private:
    using Column = typename ColumnStore<Real>::Column;

    // Completes some columns together.
    void fill(std::span<Column* const> columns);

    ColumnComputer<Real> computer_;
    ColumnStore<Real> store_;
    Index n_values_seen_ = 0;
};

}  // namespace svmosaic
