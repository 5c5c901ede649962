// Kernel columns that are kept: all in one block of memory, each in a place of the same size.
#pragma once

#include <list>
#include <span>
#include <vector>

#include "core/aligned.hpp"
#include "core/problem.hpp"
#include "core/thread_pool.hpp"

namespace svmosaic {

// The least recently used column leaves first. One block, asked for once: columns that grow and
// shrink with the samples would leave holes in a heap, and a limit on memory would not hold. The
// system gives memory to the parts that are written, so a block that is not full costs nothing.
template <class Real>
class ColumnStore {
  public:
    struct Column {
        Index sample;
        Index filled;  // values known so far, from the first
        Index place;
    };

    // For columns of `padded` values now, one for each of `n_samples`, and of up to `most_padded`
    // values later, within `bytes`; but never for fewer than two.
    ColumnStore(Index n_samples, Index padded, Index most_padded, Index bytes);

    // Columns that there is room for.
    Index capacity() const { return capacity_; }
    // The most memory that columns have taken so far.
    Index most_bytes() const { return most_used_ * static_cast<Index>(sizeof(Real)); }
    bool holds(Index sample) const { return where(sample) != used_.end(); }
    Real* values(const Column& column) { return block_.data() + column.place * stride_; }

    // The column of a sample, as far as it is known; it is now the most recently used.
    Column& take(Index sample);
    // Gives back the place of a sample's column, if it has one.
    void forget(Index sample);
    // There are more samples now.
    void grow(Index n_samples, Index padded);
    // Only the samples `kept` (ascending) are left. Columns lose the values of the others.
    void keep_only(std::span<const Index> kept, Index padded, ThreadPool& pool);

  private:
    using Place = typename std::list<Column>::iterator;

    Place where(Index sample) const { return where_[sample]; }
    void drop(Place column);
    Index roomy_stride(Index padded) const;
    // Moves all columns to places of another size.
    void move_to(Index stride);

    Index most_stride_;
    Reserve<Real> block_;
    Index stride_ = 0;
    Index capacity_ = 0;
    std::list<Column> used_;     // most recently used first
    std::vector<Index> vacant_;  // places that were used before: their memory is mapped
    Index n_touched_ = 0;        // places used so far
    Index most_used_ = 0;        // values in places, at most
    std::vector<Place> where_;
};

}  // namespace svmosaic
