#include "core/kernel_columns.hpp"

#include <algorithm>
#include <vector>

#include "simd/loops.hpp"

namespace svmosaic {

namespace {

// Columns that are computed in one go: their queries should stay in the cache.
constexpr Index most_at_once = 64;

}  // namespace

template <class Real>
KernelColumns<Real>::KernelColumns(const Rows<Real>& rows, std::span<const Index> samples,
                                   const KernelSpec& kernel, Index cache_bytes, ThreadPool& pool,
                                   Index most_samples, ColumnUse use)
    : computer_(rows, samples, kernel, pool, use),
      store_(computer_.size(), computer_.padded_size(),
             simd::round_up(std::max(computer_.size(), most_samples), simd::lanes<Real>),
             cache_bytes) {}

template <class Real>
bool KernelColumns<Real>::gains_by_blocks() const {
    return computer_.gains_by_blocks() && capacity() >= 4 * Queries<Real>::capacity;
}

template <class Real>
void KernelColumns<Real>::fill(std::span<Column* const> columns) {
    Index filled = size();
    std::vector<Index> rows;
    std::vector<Real*> out;
    for (const Column* column : columns) {
        filled = std::min(filled, column->filled);
        rows.push_back(computer_.samples()[column->sample]);
        out.push_back(store_.values(*column));
    }
    computer_.compute(rows, out, filled);
    for (Column* column : columns) column->filled = size();
}

template <class Real>
const Real* KernelColumns<Real>::column(Index i) {
    Column* column = &store_.take(i);
    if (column->filled < size()) fill(std::span(&column, 1));
    return store_.values(*column);
}

template <class Real>
void KernelColumns<Real>::prefetch(std::span<const Index> samples) {
    std::vector<Column*> missing;
    for (const Index i : samples) {
        Column& column = store_.take(i);
        if (column.filled < size()) missing.push_back(&column);
    }
    // Those of which as much is known go together: what is known is not computed again.
    std::stable_sort(missing.begin(), missing.end(),
                     [](const Column* a, const Column* b) { return a->filled < b->filled; });
    for (Index first = 0; first < ssize(missing);) {
        Index end = first + 1;
        while (end < ssize(missing) && end - first < most_at_once &&
               missing[end]->filled - missing[first]->filled <= size() / 16) {
            ++end;
        }
        fill(std::span(missing).subspan(first, end - first));
        first = end;
    }
}

template <class Real>
void KernelColumns<Real>::keep_only(std::span<const Index> kept) {
    std::vector<Index> samples;
    samples.reserve(kept.size());
    for (const Index i : kept) samples.push_back(computer_.samples()[i]);
    computer_.set_samples(samples);
    store_.keep_only(kept, padded_size(), computer_.pool());
}

template <class Real>
void KernelColumns<Real>::append(std::span<const Index> rows) {
    std::vector<Index> samples(computer_.samples().begin(), computer_.samples().end());
    samples.insert(samples.end(), rows.begin(), rows.end());
    computer_.set_samples(samples);
    store_.grow(size(), padded_size());
}

template class KernelColumns<float>;
template class KernelColumns<double>;

}  // namespace svmosaic
