#include "expansion/decide.hpp"

#include <algorithm>
#include <array>

#include "core/aligned.hpp"
#include "core/packed_rows.hpp"
#include "simd/loops.hpp"

namespace svmosaic {

namespace {

// Rows handled together: packed, they stay in the cache while all support vectors pass by. More of
// them make less work of the support vectors, fewer occupy more threads.
constexpr Index least_batch = 256;
constexpr Index most_batch = 1024;
// Sums that all threads hold together: with many outputs the batches are smaller.
constexpr Index most_sums = (Index{1} << 25) / sizeof(double);
// Support vectors between two questions to the monitor.
constexpr Index ask_every = 256;

// The support vectors, the kernel, and how it is computed.
template <class Real>
struct Expansion {
    const Rows<Real>& vectors;
    std::span<const Index> support;
    const KernelSpec& kernel;
    Layout layout;
    const Coefficients& coefficients;
};

// Sums for one batch of rows; result(o, i) in sums[o * capacity + i].
template <class Real>
void sum_batch(const Rows<Real>& table, std::span<const Index> batch,
               const Expansion<Real>& expansion, Index capacity, AlignedVector<double>& sums,
               Monitor& monitor) {
    const PackedRows<Real> packed(table, batch, expansion.layout);
    const auto& coefficients = expansion.coefficients;
    const auto& loops = simd::loops<Real>();
    constexpr Index step = Queries<Real>::capacity;
    const auto room = simd::round_up(packed.chunk_capacity(), simd::lanes<Real>);
    thread_local AlignedVector<Real> columns;
    thread_local Queries<Real> queries;
    if (ssize(columns) < room * step) columns.resize(room * step);
    std::array<Real*, step> out;
    for (Index m = 0; m < step; ++m) out[m] = columns.data() + m * room;
    std::fill(sums.begin(), sums.end(), 0.0);
    // One output: kernel values are summed as they come.
    const auto& facts = facts_of(expansion.kernel.kind);
    const bool one_sum = facts.is_exponential && coefficients.n_outputs == 1 &&
                         coefficients.values.size() == expansion.support.size();
    for (Index first = 0; first < ssize(expansion.support); first += step) {
        if (first % ask_every == 0 && monitor.should_stop(0)) return;
        const auto count = std::min(step, ssize(expansion.support) - first);
        packed.read(expansion.vectors, expansion.support.subspan(first, count), queries);
        for (Index chunk = 0; chunk < packed.n_chunks(); ++chunk) {
            const Index begin = packed.chunk_begin(chunk);
            const Index padded = simd::round_up(packed.chunk_end(chunk) - begin, simd::lanes<Real>);
            if (one_sum) {
                packed.base_values(facts.computed_from, queries, chunk, out.data());
                loops.add_exps(out.data(), count, coefficients.values.data() + first,
                               -expansion.kernel.gamma, sums.data() + begin, padded);
                continue;
            }
            packed.kernel_chunk(expansion.kernel, queries, chunk, out.data());
            for (Index m = 0; m < count; ++m) {
                const Index j = first + m;
                for (Index p = coefficients.offsets[j]; p < coefficients.offsets[j + 1]; ++p) {
                    loops.add_scaled(out[m], coefficients.values[p],
                                     sums.data() + coefficients.outputs[p] * capacity + begin,
                                     padded);
                }
            }
        }
    }
}

// Runs finish(batch_begin, batch_end, sums) for all batches of `rows`, in parallel.
template <class Real, class Finish>
void for_batches(const Rows<Real>& table, std::span<const Index> rows, const Rows<Real>& vectors,
                 std::span<const Index> support, const KernelSpec& kernel,
                 const Coefficients& coefficients, ThreadPool& pool, Monitor& monitor,
                 const Finish& finish) {
    // Chosen by the support vectors alone, so that a row's value does not depend on its batch.
    const Expansion<Real> expansion{vectors, support, kernel, best_layout(kernel, vectors, support),
                                    coefficients};
    const Index n = ssize(rows);
    const Index share = simd::round_up(n / (4 * pool.n_threads()), simd::lanes<Real>);
    const Index n_outputs = std::max(coefficients.n_outputs, Index{1});
    const Index rows_held = most_sums / (n_outputs * pool.n_threads());
    const Index held = std::max(Index{1}, rows_held / simd::lanes<Real>) * simd::lanes<Real>;
    const Index batch_size =
        std::clamp(share, std::min(least_batch, held), std::min(most_batch, held));
    const Index n_batches = (n + batch_size - 1) / batch_size;
    const Index capacity = simd::round_up(std::min(n, batch_size), simd::lanes<Real>);
    pool.run(
        n_batches,
        [&](Index b) {
            if (monitor.stopped()) return;
            const Index begin = b * batch_size;
            const Index end = std::min(n, begin + batch_size);
            AlignedVector<double> sums(capacity * coefficients.n_outputs);
            sum_batch(table, rows.subspan(begin, end - begin), expansion, capacity, sums, monitor);
            finish(begin, end, capacity, sums);
        },
        [&] { monitor.should_stop(0); });
}

}  // namespace

template <class Real>
void decide(const Rows<Real>& rows, const Rows<Real>& vectors, std::span<const Index> support,
            const KernelSpec& kernel, const Coefficients& coefficients,
            std::span<const double> intercepts, std::span<double> values, ThreadPool& pool,
            Monitor& monitor) {
    const auto all = count_up(count_rows(rows));
    const Index n_outputs = coefficients.n_outputs;
    for_batches(
        rows, std::span<const Index>(all), vectors, support, kernel, coefficients, pool, monitor,
        [&](Index begin, Index end, Index capacity, const AlignedVector<double>& sums) {
            for (Index i = begin; i < end; ++i) {
                for (Index o = 0; o < n_outputs; ++o) {
                    values[i * n_outputs + o] = sums[o * capacity + i - begin] + intercepts[o];
                }
            }
        });
}

template <class Real>
std::vector<double> expansion_values(const Rows<Real>& table, std::span<const Index> rows,
                                     const KernelSpec& kernel, std::span<const Index> support,
                                     std::span<const double> coef, ThreadPool& pool,
                                     Monitor& monitor) {
    const auto offsets = count_up(support.size() + 1);
    const std::vector<Index> outputs(support.size(), 0);
    const Coefficients coefficients{offsets, outputs, coef, 1};
    std::vector<double> values(rows.size());
    for_batches(table, rows, table, support, kernel, coefficients, pool, monitor,
                [&](Index begin, Index end, Index, const AlignedVector<double>& sums) {
                    std::copy(sums.begin(), sums.begin() + (end - begin), values.begin() + begin);
                });
    return values;
}

template <class Real>
void expansion_values(const Rows<Real>& table, std::span<const Index> rows,
                      const KernelSpec& kernel, std::span<const Index> support,
                      const Coefficients& coefficients, std::span<double* const> out,
                      ThreadPool& pool, Monitor& monitor) {
    for_batches(table, rows, table, support, kernel, coefficients, pool, monitor,
                [&](Index begin, Index end, Index capacity, const AlignedVector<double>& sums) {
                    for (Index o = 0; o < ssize(out); ++o) {
                        std::copy_n(sums.begin() + o * capacity, end - begin, out[o] + begin);
                    }
                });
}

template void decide(const Rows<float>&, const Rows<float>&, std::span<const Index>,
                     const KernelSpec&, const Coefficients&, std::span<const double>,
                     std::span<double>, ThreadPool&, Monitor&);
template void decide(const Rows<double>&, const Rows<double>&, std::span<const Index>,
                     const KernelSpec&, const Coefficients&, std::span<const double>,
                     std::span<double>, ThreadPool&, Monitor&);
template std::vector<double> expansion_values(const Rows<float>&, std::span<const Index>,
                                              const KernelSpec&, std::span<const Index>,
                                              std::span<const double>, ThreadPool&, Monitor&);
template std::vector<double> expansion_values(const Rows<double>&, std::span<const Index>,
                                              const KernelSpec&, std::span<const Index>,
                                              std::span<const double>, ThreadPool&, Monitor&);
template void expansion_values(const Rows<float>&, std::span<const Index>, const KernelSpec&,
                               std::span<const Index>, const Coefficients&,
                               std::span<double* const>, ThreadPool&, Monitor&);
template void expansion_values(const Rows<double>&, std::span<const Index>, const KernelSpec&,
                               std::span<const Index>, const Coefficients&,
                               std::span<double* const>, ThreadPool&, Monitor&);

}  // namespace svmosaic
