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
    const PackedRows<Real> packed(rows, all);
    const auto n = packed.size();
    pool.run(
        n,
        [&](Index j) {
            if (monitor.should_stop()) return;
            Query<Real> query;
            read_query(rows, j, query);
            AlignedVector<Real> chunk_values(static_cast<std::size_t>(
                simd::round_up(packed.chunk_capacity(), simd::lanes<Real>)));
            for (Index chunk = 0; chunk < packed.n_chunks(); ++chunk) {
                packed.base_values(kind, query, chunk, chunk_values.data());
                const Index begin = packed.chunk_begin(chunk);
                std::copy_n(chunk_values.begin(), packed.chunk_end(chunk) - begin,
                            values.begin() + j * n + begin);
            }
        },
        [&] { monitor.should_stop(0); });
}

template void pairwise_values(const Rows<float>&, KernelKind, std::span<float>, ThreadPool&,
                              Monitor&);
template void pairwise_values(const Rows<double>&, KernelKind, std::span<double>, ThreadPool&,
                              Monitor&);

}  // namespace svmosaic
