#include "expansion/distances.hpp"

#include <algorithm>

#include "core/pairwise_values.hpp"

namespace svmosaic {

template <class Real>
UnsetVector<double> pair_distances(const Rows<Real>& rows, const Rows<Real>& vectors, bool absolute,
                                   ThreadPool& pool, Monitor& monitor) {
    const auto queries = count_up(count_rows(rows));
    const auto samples = count_up(count_rows(vectors));
    UnsetVector<double> distances(queries.size() * samples.size());
    if (distances.empty()) return distances;
    ask_for_large_pages(distances.data(), distances.size() * sizeof(double));
    // Of the linear kernel: differences, which suit all gammas.
    const Layout layout = best_layout({KernelKind::linear, 1.0, 3, 0.0}, vectors, samples);
    const PackedRows<Real> packed(vectors, samples, layout);
    const auto value = absolute ? PairValue::manhattan_distance : PairValue::squared_distance;
    for_base_values(packed, rows, std::span<const Index>(queries), value, pool, monitor,
                    [&](Index first, Index begin, Index n, std::span<Real* const> values) {
                        for (Index m = 0; m < ssize(values); ++m) {
                            const Index at = (first + m) * samples.size() + begin;
                            std::copy_n(values[m], n, distances.begin() + at);
                        }
                    });
    return distances;
}

template UnsetVector<double> pair_distances(const Rows<float>&, const Rows<float>&, bool,
                                            ThreadPool&, Monitor&);
template UnsetVector<double> pair_distances(const Rows<double>&, const Rows<double>&, bool,
                                            ThreadPool&, Monitor&);

}  // namespace svmosaic
