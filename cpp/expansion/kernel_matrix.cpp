#include "expansion/kernel_matrix.hpp"

#include <algorithm>
#include <array>

#include "core/packed_rows.hpp"
#include "simd/loops.hpp"

namespace svmosaic {

namespace {

// Rows that are packed together: they stay in the cache while all vectors pass by.
constexpr Index batch_size = 256;

// Fills the rows of one batch; `values` begins with the first of them.
template <class Real, class Value>
void fill_batch(const Rows<Real>& rows, std::span<const Index> batch, const Rows<Real>& vectors,
                std::span<const Index> numbers, const KernelSpec& kernel, Layout layout,
                Value* values, Monitor& monitor) {
    const PackedRows<Real> packed(rows, batch, layout);
    constexpr Index step = Queries<Real>::capacity;
    const auto room = simd::round_up(packed.chunk_capacity(), simd::lanes<Real>);
    AlignedVector<Real> columns(room * step);
    Queries<Real> queries;
    std::array<Real*, step> out;
    for (Index m = 0; m < step; ++m) out[m] = columns.data() + m * room;
    for (Index first = 0; first < ssize(numbers); first += step) {
        if (monitor.should_stop(0)) return;
        const auto count = std::min(step, ssize(numbers) - first);
        packed.read(vectors, numbers.subspan(first, count), queries);
        for (Index chunk = 0; chunk < packed.n_chunks(); ++chunk) {
            packed.kernel_chunk(kernel, queries, chunk, out.data());
            const Index begin = packed.chunk_begin(chunk);
            const Index end = packed.chunk_end(chunk);
            for (Index i = begin; i < end; ++i) {
                Value* row = values + i * numbers.size() + first;
                for (Index m = 0; m < count; ++m) {
                    row[m] = static_cast<Value>(out[m][i - begin]);
                }
            }
        }
    }
}

}  // namespace

template <class Real, class Value>
UnsetVector<Value> kernel_matrix(const Rows<Real>& rows, const Rows<Real>& vectors,
                                 const KernelSpec& kernel, ThreadPool& pool, Monitor& monitor) {
    const auto all = count_up(count_rows(rows));
    const auto numbers = count_up(count_rows(vectors));
    UnsetVector<Value> values(all.size() * numbers.size());
    if (values.empty()) return values;
    ask_for_large_pages(values.data(), values.size() * sizeof(Value));
    const auto support = std::span<const Index>(numbers);
    // Chosen by the vectors alone, so that a row's values do not depend on its batch.
    const Layout layout = best_layout(kernel, vectors, support);
    const Index n = ssize(all);
    pool.run((n + batch_size - 1) / batch_size,
             [&](Index b) {
                 if (monitor.stopped()) return;
                 const Index begin = b * batch_size;
                 const Index end = std::min(n, (b + 1) * batch_size);
                 fill_batch(rows, std::span<const Index>(all).subspan(begin, end - begin), vectors,
                            support, kernel, layout, values.data() + begin * numbers.size(),
                            monitor);
             },
             [&] { monitor.should_stop(0); });
    return values;
}

template UnsetVector<float> kernel_matrix(const Rows<float>&, const Rows<float>&, const KernelSpec&,
                                          ThreadPool&, Monitor&);
template UnsetVector<double> kernel_matrix(const Rows<float>&, const Rows<float>&,
                                           const KernelSpec&, ThreadPool&, Monitor&);
template UnsetVector<double> kernel_matrix(const Rows<double>&, const Rows<double>&,
                                           const KernelSpec&, ThreadPool&, Monitor&);

}  // namespace svmosaic
