#include "core/kernel_columns.hpp"

#include <algorithm>
#include <vector>

#include "simd/loops.hpp"

namespace svmosaic {

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
        if (ssize(missing) == Queries<Real>::capacity) {
            fill(missing);
            missing.clear();
        }
    }
    if (!missing.empty()) fill(missing);
}

template <class Real>
void KernelColumns<Real>::keep_only(std::span<const Index> kept) {
    std::vector<Index> samples;
    samples.reserve(kept.size());
    for (const Index i : kept) samples.push_back(computer_.samples()[i]);
    computer_.set_samples(samples);
    store_.keep_only(kept, padded_size());
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
