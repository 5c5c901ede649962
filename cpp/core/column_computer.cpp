#include "core/column_computer.hpp"

#include <algorithm>
#include <array>

#include "simd/loops.hpp"

namespace svmosaic {

namespace {

// A task for another thread should be worth its hand-over, about this many multiply-adds.
constexpr Index least_work = 60'000;
// What one thread has in its second-level cache is read fast enough for one column at a time.
constexpr Index near_memory = 512 * 1024;

template <class Real>
Index work_per_sample(const Rows<Real>& rows) {
    // Besides the products: exp, and the update of what the column is read for.
    constexpr Index overhead = 16;
    if (const auto* dense = std::get_if<DenseRows<Real>>(&rows)) return dense->n_columns + overhead;
    if (const auto* csr = std::get_if<CsrRows<Real>>(&rows)) {
        return csr->offsets[csr->n_rows] / std::max<Index>(1, csr->n_rows) + overhead;
    }
    return overhead;
}

template <class Real>
Layout layout_for(const KernelSpec& kernel, const Rows<Real>& rows, std::span<const Index> samples,
                  ColumnUse use) {
    Layout layout = best_layout(kernel, rows, samples);
    if (use == ColumnUse::one_by_one) layout.sparse = SparseOrder::by_feature;
    return layout;
}

}  // namespace

template <class Real>
ColumnComputer<Real>::ColumnComputer(const Rows<Real>& rows, std::span<const Index> samples,
                                     const KernelSpec& kernel, ThreadPool& pool, ColumnUse use)
    : rows_(&rows),
      kernel_(kernel),
      pool_(&pool),
      packed_(rows, samples, layout_for(kernel, rows, samples, use)) {
    const Index work = packed_.chunk_capacity() * work_per_sample(rows);
    chunks_per_task_ = std::max<Index>(1, least_work / std::max<Index>(1, work));
}

template <class Real>
void ColumnComputer<Real>::set_samples(std::span<const Index> samples) {
    packed_ = PackedRows<Real>(*rows_, samples, packed_.layout());
    diagonal_.clear();
}

template <class Real>
Real* ColumnComputer<Real>::chunk_buffer() const {
    thread_local AlignedVector<Real> buffer;
    const auto capacity = simd::round_up(packed_.chunk_capacity(), simd::lanes<Real>);
    if (ssize(buffer) < capacity) buffer.resize(capacity);
    return buffer.data();
}

template <class Real>
const AlignedVector<double>& ColumnComputer<Real>::diagonal() {
    if (diagonal_.empty()) {
        diagonal_.assign(padded_size(), 0.0);
        const auto samples = packed_.samples();
        for (Index i = 0; i < ssize(samples); ++i) {
            diagonal_[i] = kernel_diagonal(kernel_, *rows_, samples[i]);
        }
    }
    return diagonal_;
}

template <class Real>
bool ColumnComputer<Real>::gains_by_blocks() const {
    const bool computed = std::holds_alternative<DenseRows<Real>>(*rows_) ||
                          (std::holds_alternative<CsrRows<Real>>(*rows_) &&
                           packed_.layout().sparse == SparseOrder::by_sample);
    return computed && packed_.bytes() > near_memory;
}

template <class Real>
Index ColumnComputer<Real>::cheap_block() const {
    return std::holds_alternative<CsrRows<Real>>(*rows_) ? Queries<Real>::capacity : 4;
}

template <class Real>
void ColumnComputer<Real>::compute(std::span<const Index> rows, std::span<Real* const> out,
                                   Index first) {
    constexpr Index at_once = Queries<Real>::capacity;
    const Index n = ssize(rows);
    count(n, first);
    const Index n_groups = (n + at_once - 1) / at_once;
    if (ssize(queries_) < n_groups) queries_.resize(n_groups);
    for (Index g = 0; g < n_groups; ++g) {
        const auto group = rows.subspan(g * at_once, std::min(at_once, n - g * at_once));
        packed_.read(*rows_, group, queries_[g]);
    }
    // Chunks begin at cache lines, so they are written in place. The first one may hold values
    // that are known already; they come out the same.
    const auto compute_group = [&](Index g, Index chunk) {
        std::array<Real*, at_once> from;
        for (Index m = 0; m < ssize(queries_[g]); ++m) {
            from[m] = out[g * at_once + m] + packed_.chunk_begin(chunk);
        }
        packed_.kernel_chunk(kernel_, queries_[g], chunk, from.data());
    };
    const Index first_chunk = packed_.chunk_of(first);
    if (n_groups == 1) {
        const Index chunks_per_task = std::max<Index>(1, chunks_per_task_ / n);
        return for_chunks(first_chunk, chunks_per_task,
                          [&](Index chunk) { compute_group(0, chunk); });
    }
    // A task per group and chunk: few chunks alone would leave threads without work.
    pool_->run(n_groups * (n_chunks() - first_chunk),
               [&](Index task) { compute_group(task % n_groups, first_chunk + task / n_groups); });
}

template class ColumnComputer<float>;
template class ColumnComputer<double>;

}  // namespace svmosaic
