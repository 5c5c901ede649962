#include "expansion/kernel_matrix.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/aligned.hpp"
#include "core/packed_rows.hpp"
#include "simd/loops.hpp"

namespace svmosaic {

namespace {

// Rows that are packed together: they stay in the cache while all vectors pass by.
constexpr Index batch_size = 256;

template <class Real>
std::vector<Index> all_rows(const Rows<Real>& rows) {
    std::vector<Index> numbers(static_cast<std::size_t>(count_rows(rows)));
    std::iota(numbers.begin(), numbers.end(), Index{0});
    return numbers;
}

// Fills the rows of one batch; `values` begins with the first of them.
template <class Real>
void fill_batch(const Rows<Real>& rows, std::span<const Index> batch, const Rows<Real>& vectors,
                std::span<const Index> numbers, const KernelSpec& kernel, Layout layout,
                double* values, Monitor& monitor) {
    const PackedRows<Real> packed(rows, batch, layout);
    constexpr auto step = static_cast<std::size_t>(Queries<Real>::capacity);
    const auto room =
        static_cast<std::size_t>(simd::round_up(packed.chunk_capacity(), simd::lanes<Real>));
    AlignedVector<Real> columns(room * step);
    Queries<Real> queries;
    std::array<Real*, step> out;
    for (std::size_t m = 0; m < step; ++m) out[m] = columns.data() + m * room;
    for (std::size_t first = 0; first < numbers.size(); first += step) {
        if (monitor.should_stop(0)) return;
        const auto count = std::min(step, numbers.size() - first);
        packed.read(vectors, numbers.subspan(first, count), queries);
        for (Index chunk = 0; chunk < packed.n_chunks(); ++chunk) {
            packed.kernel_chunk(kernel, queries, chunk, out.data());
            const auto begin = static_cast<std::size_t>(packed.chunk_begin(chunk));
            const auto end = static_cast<std::size_t>(packed.chunk_end(chunk));
            for (std::size_t i = begin; i < end; ++i) {
                double* row = values + i * numbers.size() + first;
                for (std::size_t m = 0; m < count; ++m) {
                    row[m] = static_cast<double>(out[m][i - begin]);
                }
            }
        }
    }
}

}  // namespace

template <class Real>
std::vector<double> kernel_matrix(const Rows<Real>& rows, const Rows<Real>& vectors,
                                  const KernelSpec& kernel, ThreadPool& pool, Monitor& monitor) {
    const auto all = all_rows(rows);
    const auto numbers = all_rows(vectors);
    std::vector<double> values(all.size() * numbers.size());
    if (values.empty()) return values;
    const auto support = std::span<const Index>(numbers);
    // Chosen by the vectors alone, so that a row's values do not depend on its batch.
    const Layout layout = best_layout(kernel, vectors, support);
    const auto n = static_cast<Index>(all.size());
    pool.run((n + batch_size - 1) / batch_size,
             [&](Index b) {
                 if (monitor.stopped()) return;
                 const auto begin = static_cast<std::size_t>(b * batch_size);
                 const auto end = static_cast<std::size_t>(std::min(n, (b + 1) * batch_size));
                 fill_batch(rows, std::span<const Index>(all).subspan(begin, end - begin), vectors,
                            support, kernel, layout, values.data() + begin * numbers.size(),
                            monitor);
             },
             [&] { monitor.should_stop(0); });
    return values;
}

template std::vector<double> kernel_matrix(const Rows<float>&, const Rows<float>&,
                                           const KernelSpec&, ThreadPool&, Monitor&);
template std::vector<double> kernel_matrix(const Rows<double>&, const Rows<double>&,
                                           const KernelSpec&, ThreadPool&, Monitor&);

}  // namespace svmosaic
