#include "core/pairwise.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/aligned.hpp"
#include "core/packed_rows.hpp"
#include "simd/loops.hpp"

namespace svmosaic {

template <class Real>
void pairwise_values(const Rows<Real>& rows, KernelKind kind, std::span<Real> values,
                     ThreadPool& pool, Monitor& monitor) {
    std::vector<Index> all(static_cast<std::size_t>(count_rows(rows)));
    std::iota(all.begin(), all.end(), Index{0});
    // Distances are shared by all gammas: by differences, which suit them all.
    Layout layout =
        best_layout({KernelKind::linear, 1.0, 3, 0.0}, rows, std::span<const Index>(all));
    const PackedRows<Real> packed(rows, all, layout);
    const auto n = packed.size();
    constexpr Index step = Queries<Real>::capacity;
    const Index capacity = simd::round_up(packed.chunk_capacity(), simd::lanes<Real>);
    pool.run((n + step - 1) / step,
             [&](Index block) {
                 if (monitor.should_stop(step)) return;
                 const Index first = block * step;
                 const Index count = std::min(step, n - first);
                 Queries<Real> queries;
                 packed.read(rows,
                             std::span(all).subspan(static_cast<std::size_t>(first),
                                                    static_cast<std::size_t>(count)),
                             queries);
                 AlignedVector<Real> buffer(static_cast<std::size_t>(capacity * count));
                 std::vector<Real*> out;
                 for (Index m = 0; m < count; ++m) out.push_back(buffer.data() + m * capacity);
                 for (Index chunk = 0; chunk < packed.n_chunks(); ++chunk) {
                     packed.base_values(kind, queries, chunk, out.data());
                     const Index begin = packed.chunk_begin(chunk);
                     for (Index m = 0; m < count; ++m) {
                         std::copy_n(out[static_cast<std::size_t>(m)],
                                     packed.chunk_end(chunk) - begin,
                                     values.begin() + (first + m) * n + begin);
                     }
                 }
             },
             [&] { monitor.should_stop(0); });
}

template void pairwise_values(const Rows<float>&, KernelKind, std::span<float>, ThreadPool&,
                              Monitor&);
template void pairwise_values(const Rows<double>&, KernelKind, std::span<double>, ThreadPool&,
                              Monitor&);

}  // namespace svmosaic
