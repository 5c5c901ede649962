// What kernels are made from (see PackedRows::base_values), for many queries against packed rows.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/aligned.hpp"
#include "core/monitor.hpp"
#include "core/packed_rows.hpp"
#include "core/queries.hpp"
#include "core/rows.hpp"
#include "core/thread_pool.hpp"

namespace svmosaic {

// Calls visit(first, begin, n, values) for some queries and packed samples that follow one another:
// values[m][i], i < n, belongs to query number first + m of the list and to the packed sample
// begin + i. Any thread may call it; different calls are about different pairs. Where the queries
// are the packed samples themselves, `upper_only` leaves out most of the pairs whose packed sample
// comes before the query.
template <class Real, class Visit>
void for_base_values(const PackedRows<Real>& packed, const Rows<Real>& table,
                     std::span<const Index> numbers, PairValue value, ThreadPool& pool,
                     Monitor& monitor, const Visit& visit, bool upper_only = false) {
    constexpr Index step = Queries<Real>::capacity;
    const Index n = ssize(numbers);
    const auto of_block = [&](Index block) {
        if (monitor.should_stop(0)) return;
        const Index first = block * step;
        Queries<Real> queries;
        packed.read(table, numbers.subspan(first, std::min(step, n - first)), queries);
        const Index room = simd::round_up(packed.chunk_capacity(), simd::lanes<Real>);
        AlignedVector<Real> values(room * queries.size());
        std::vector<Real*> out;
        for (Index m = 0; m < ssize(queries); ++m) out.push_back(values.data() + m * room);
        for (Index chunk = 0; chunk < packed.n_chunks(); ++chunk) {
            if (upper_only && packed.chunk_end(chunk) <= first) continue;
            packed.base_values(value, queries, chunk, out.data());
            const Index begin = packed.chunk_begin(chunk);
            const Index length = packed.chunk_end(chunk) - begin;
            visit(first, begin, length, std::span<Real* const>(out));
        }
    };
    pool.run((n + step - 1) / step, of_block, [&] { monitor.should_stop(0); });
}

}  // namespace svmosaic
