#include "core/column_store.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace svmosaic {

namespace {

// Room for this many values, as an odd number of cache lines: the same sample of several columns
// must not fall into the same set of the processor's cache.
template <class Real>
Index stride_for(Index padded) {
    constexpr Index line = cache_line / sizeof(Real);
    return ((padded + line - 1) / line | 1) * line;
}

template <class Real>
Index block_size(Index most_samples, Index most_stride, Index bytes) {
    const Index all = most_samples * most_stride;
    return std::max(2 * most_stride, std::min<Index>(all, bytes / sizeof(Real)));
}

}  // namespace

template <class Real>
ColumnStore<Real>::ColumnStore(Index n_samples, Index padded, Index most_padded, Index bytes)
    : most_stride_(stride_for<Real>(most_padded)),
      block_(block_size<Real>(most_padded, most_stride_, bytes)),
      where_(n_samples, used_.end()) {
    move_to(roomy_stride(padded));
}

// More than is needed now: samples come in rounds, and moving the columns is not free.
template <class Real>
Index ColumnStore<Real>::roomy_stride(Index padded) const {
    return std::min(stride_for<Real>(padded + padded / 2), most_stride_);
}

template <class Real>
void ColumnStore<Real>::drop(Place column) {
    where_[column->sample] = used_.end();
    vacant_.push_back(column->place);
    used_.erase(column);
}

template <class Real>
void ColumnStore<Real>::forget(Index sample) {
    if (holds(sample)) drop(where(sample));
}

template <class Real>
typename ColumnStore<Real>::Column& ColumnStore<Real>::take(Index sample) {
    if (holds(sample)) {
        used_.splice(used_.begin(), used_, where(sample));
        return used_.front();
    }
    if (ssize(used_) >= capacity_) drop(std::prev(used_.end()));
    Index place = n_touched_;
    if (vacant_.empty()) {
        most_used_ = std::max(most_used_, ++n_touched_ * stride_);
    } else {
        place = vacant_.back();
        vacant_.pop_back();
    }
    used_.push_front(Column{sample, 0, place});
    where_[sample] = used_.begin();
    return used_.front();
}

template <class Real>
void ColumnStore<Real>::move_to(Index stride) {
    const Index old = std::exchange(stride_, stride);
    capacity_ = ssize(block_) / stride_;
    while (ssize(used_) > capacity_) drop(std::prev(used_.end()));
    std::vector<Column*> by_place;
    for (Column& column : used_) by_place.push_back(&column);
    std::sort(by_place.begin(), by_place.end(),
              [](const Column* a, const Column* b) { return a->place < b->place; });
    const auto move = [&](Column& column, Index from, Index to) {
        const Index bytes = column.filled * sizeof(Real);
        if (from != to) std::memmove(block_.data() + to, block_.data() + from, bytes);
    };
    // Together first, where the places lie now; then apart, from the last, or closer.
    const Index closer = std::min(old, stride_);
    for (Index k = 0; k < ssize(by_place); ++k) {
        move(*by_place[k], by_place[k]->place * old, k * closer);
        by_place[k]->place = k;
    }
    if (stride_ > old) {
        for (Index k = by_place.size(); k-- > 0;) {
            move(*by_place[k], k * old, k * stride_);
        }
    }
    vacant_.clear();
    n_touched_ = ssize(by_place);
    most_used_ = std::max(most_used_, n_touched_ * stride_);
}

template <class Real>
void ColumnStore<Real>::grow(Index n_samples, Index padded) {
    where_.resize(n_samples, used_.end());
    const Index needed = stride_for<Real>(padded);
    if (needed > most_stride_) throw std::length_error("more samples than were announced");
    if (needed > stride_) move_to(roomy_stride(padded));
}

template <class Real>
void ColumnStore<Real>::keep_only(std::span<const Index> kept, Index padded, ThreadPool& pool) {
    std::vector<Index> new_number(where_.size(), -1);
    for (Index k = 0; k < ssize(kept); ++k) {
        new_number[kept[k]] = k;
    }
    for (auto column = used_.begin(); column != used_.end();) {
        const auto next = std::next(column);
        if (new_number[column->sample] < 0) drop(column);
        column = next;
    }
    where_.assign(kept.size(), used_.end());
    std::vector<Column*> columns;
    for (auto column = used_.begin(); column != used_.end(); ++column) {
        column->sample = new_number[column->sample];
        where_[column->sample] = column;
        columns.push_back(&*column);
    }
    pool.run(ssize(columns), [&](Index c) {
        // A column that was not complete keeps what it has of the samples that stay.
        Column& column = *columns[c];
        Real* known = values(column);
        Index k = 0;
        for (; k < ssize(kept) && kept[k] < column.filled; ++k) known[k] = known[kept[k]];
        column.filled = k;
    });
    // Moved closer, there is room for more columns, if more may come.
    const Index needed = stride_for<Real>(padded);
    if (capacity_ < ssize(kept) && 4 * needed <= 3 * stride_) move_to(needed);
    // Vector loops read the padding of a complete column.
    for (Column& column : used_) {
        if (column.filled < ssize(kept)) continue;
        std::fill(values(column) + column.filled, values(column) + padded, Real{0});
    }
}

template class ColumnStore<float>;
template class ColumnStore<double>;

}  // namespace svmosaic
