// Several queries at once: what is read of a sample serves them all. See loops.hpp.
#pragma once

#include "simd/loops_impl.hpp"

namespace svmosaic::simd {

template <Level level, class Real>
struct Tiles {
    using C = Code<level, Real>;
    using V = typename C::V;
    using D = typename C::D;
    static constexpr Index width = C::width;
    static constexpr Index wide = C::wide;
    // A tile is some parts of a block against some queries. Its sums are held in registers,
    // of which AVX-512 and ARM have 32 and the others 16. Where a query's value has to be spread
    // over a register by an instruction of its own, as on ARM, it serves all parts of a block.
#ifdef __aarch64__
    static constexpr Index tile_parts = C::parts;
    static constexpr Index tile_queries = 4;
#else
    static constexpr Index tile_parts = 1;
    static constexpr Index tile_queries = level == Level::avx512 ? 16 : 8;
#endif

    // Every sum runs through the features in the same order as that of a single query, so a value
    // does not depend on its company.
    template <class Op, Index most_queries>
    static void tile(const Real* samples, Index n_features, const Real* queries, Index n_queries,
                     Real* const* out, Index at) {
        constexpr Index n_sums = most_queries * tile_parts;
        constexpr auto all = std::make_integer_sequence<Index, n_sums>{};
        if (n_features <= C::segment) {
            V sum[n_sums] = {};
            add_features<Op>(samples, 0, n_features, queries, sum, all);
            store_sums(sum, n_queries, out, at, all);
            return;
        }
        D total[n_sums * C::halves] = {};
        for (Index first = 0; first < n_features; first += C::segment) {
            V sum[n_sums] = {};
            add_features<Op>(samples, first, C::end_of_segment(first, n_features), queries, sum,
                             all);
            for (Index s = 0; s < n_sums; ++s) C::add_widened(sum[s], total + s * C::halves);
        }
        for (Index s = 0; s < n_sums; ++s) {
            if (s / tile_parts >= n_queries) continue;
            for (Index h = 0; h < C::halves; ++h) {
                C::store_narrowed(out[s / tile_parts] + at + s % tile_parts * width + h * wide,
                                  total[s * C::halves + h]);
            }
        }
    }

    // Sum s is that of query s / tile_parts and of part s % tile_parts. Written out sum by sum: in
    // a loop, GCC for ARM stores all of them after each feature.
    template <class Op, Index n, Index... s>
    SVMOSAIC_INLINE static void add_features(const Real* samples, Index first, Index last,
                                             const Real* queries, V (&sum)[n],
                                             std::integer_sequence<Index, s...>) {
        for (Index f = first; f < last; ++f) {
            const Real* x = samples + f * lanes<Real>;
            const Real* q = queries + f * max_queries;
            ((sum[s] = Op::step(sum[s], C::load(x + s % tile_parts * width), q[s / tile_parts])),
             ...);
        }
    }

    template <Index n, Index... s>
    SVMOSAIC_INLINE static void store_sums(const V (&sum)[n], Index n_queries, Real* const* out,
                                           Index at, std::integer_sequence<Index, s...>) {
        const auto store = [&](Index query, Index part, V values) SVMOSAIC_INLINE {
            if (query < n_queries) C::store(out[query] + at + part * width, values);
        };
        (store(s / tile_parts, s % tile_parts, sum[s]), ...);
    }

    template <class Op>
    static void against_blocks(const Real* blocks, Index n_blocks, Index n_features,
                               const Real* queries, Index n_queries, Real* const* out) {
        for (Index part = 0; part < n_blocks * C::parts; part += tile_parts) {
            const Real* samples =
                blocks + (part / C::parts) * n_features * lanes<Real> + (part % C::parts) * width;
            for (Index m = 0; m < n_queries; m += tile_queries) {
                smallest_tile<Op, 4>(samples, n_features, queries + m, n_queries - m, out + m,
                                     part * width);
            }
        }
    }

    // A few queries need not pay for a whole tile.
    template <class Op, Index most_queries>
    static void smallest_tile(const Real* samples, Index n_features, const Real* queries,
                              Index n_queries, Real* const* out, Index at) {
        if constexpr (most_queries < tile_queries) {
            if (n_queries > most_queries) {
                return smallest_tile<Op, 2 * most_queries>(samples, n_features, queries, n_queries,
                                                           out, at);
            }
        }
        tile<Op, most_queries>(samples, n_features, queries, n_queries, out, at);
    }

    static void squared_norms(const Real* values, Index stride, Index n_features, Real* out) {
        for (Index l = 0; l < lanes<Real>; l += width) {
            D total[C::halves] = {};
            for (Index first = 0; first < n_features; first += C::segment) {
                Real sum[width] __attribute__((aligned(64))) = {};
                for (Index f = first; f < C::end_of_segment(first, n_features); ++f) {
                    const Real* x = values + f * stride + l;
                    for (Index k = 0; k < width; ++k) sum[k] = C::fused(x[k], x[k], sum[k]);
                }
                C::add_widened(C::load(sum), total);
            }
            for (Index h = 0; h < C::halves; ++h) C::store_narrowed(out + l + h * wide, total[h]);
        }
    }

    // Rounded as squared_norms does.
    static Real squared_norm(const Real* values, Index n_features) {
        double total = 0.0;
        for (Index first = 0; first < n_features; first += C::segment) {
            Real sum = 0;
            for (Index f = first; f < C::end_of_segment(first, n_features); ++f) {
                sum = C::fused(values[f], values[f], sum);
            }
            total += static_cast<double>(sum);
        }
        return static_cast<Real>(total);
    }

    static void distances_of_products(Real* values, const Real* norms, double norm, Index n) {
        const Real query_norm = static_cast<Real>(norm);
        for (Index i = 0; i < n; i += width) {
            const V distance = (C::load(norms + i) + query_norm) - 2 * C::load(values + i);
            C::store(values + i, distance > 0 ? distance : V{});
        }
    }

    // Sums in Real or in double precision, one lane per query.
    template <class Sum>
    using SumVector = typename VectorOf<Sum, C::bytes>::type;

    // What a non-zero adds to the sums of its sample.
    struct SparseProduct {
        template <class Sum, class S>
        static S add(S sum, Sum x, S q) {
            return C::fused(x - S{}, q, sum);
        }
    };
    struct SparseManhattan {
        template <class S>
        static S magnitude(S v) {
            return v < 0 ? -v : v;
        }
        template <class Sum, class S>
        static S add(S sum, Sum x, S q) {
            const S t = x - q;
            return sum + (magnitude(t) - (x < 0 ? -x : x) - magnitude(q));
        }
    };

    enum class Finish { product, squared_distance, manhattan_distance };

    // lanes<Real> queries against one sample.
    template <class Sum, class Op, Finish finish>
    static void against_sample(const SparseRows<Real>& rows, Index row, const Sum* table,
                               const Sum* query_sums, Real* out) {
        using S = SumVector<Sum>;
        constexpr Index size = C::bytes / sizeof(Sum);
        constexpr Index n_sums = lanes<Real> / size;
        const auto load = [](const Sum* p) { return *reinterpret_cast<const S*>(p); };
        S chain[C::unroll * n_sums] = {};
        const auto add = [&](Index p, Index c) {
            const Sum* q = table + rows.features[p] * max_queries;
            const Sum x = static_cast<Sum>(rows.values[p]);
            for (Index s = 0; s < n_sums; ++s) {
                S& sum = chain[c * n_sums + s];
                sum = Op::template add<Sum, S>(sum, x, load(q + s * size));
            }
        };
        static_assert(C::unroll == sparse_group);
        for (Index p = rows.offsets[row]; p < rows.offsets[row + 1]; p += sparse_group) {
            for (Index c = 0; c < sparse_group; ++c) add(p + c, c);
        }
        const Sum own = static_cast<Sum>(rows.sums[row]);
        for (Index s = 0; s < n_sums; ++s) {
            S sum =
                (chain[s] + chain[n_sums + s]) + (chain[2 * n_sums + s] + chain[3 * n_sums + s]);
            if constexpr (finish == Finish::squared_distance) {
                sum = (own + load(query_sums + s * size)) - 2 * sum;
            } else if constexpr (finish == Finish::manhattan_distance) {
                sum = (own + load(query_sums + s * size)) + sum;
            }
            if constexpr (finish != Finish::product) sum = sum > 0 ? sum : S{};
            if constexpr (sizeof(Sum) == sizeof(Real)) {
                C::store(out + s * size, sum);
            } else {
                C::store_narrowed(out + s * size, sum);
            }
        }
    }

    template <class Sum, class Op, Finish finish>
    static void against_sparse(const SparseRows<Real>& rows, Index first, Index n, const Sum* table,
                               const Sum* query_sums, Real* const* out, Index n_queries) {
        constexpr Index side = lanes<Real>;
        Real square[side * side] __attribute__((aligned(64)));
        for (Index i = 0; i < n; i += side) {
            for (Index r = 0; r < side && i + r < n; ++r) {
                against_sample<Sum, Op, finish>(rows, first + i + r, table, query_sums,
                                                square + r * side);
            }
            write_columns(square, out, i, n_queries);
        }
    }

    // Sample r has its values in row r of the square; query m wants them in out[m].
    static void write_columns(const Real* square, Real* const* out, Index at, Index n_queries) {
        constexpr Index side = lanes<Real>;
        if constexpr (width == side) {
            V row[side];
            for (Index r = 0; r < side; ++r) row[r] = C::load(square + r * side);
            transpose(row);
            for (Index m = 0; m < side; ++m) {
                if (m < n_queries) C::store(out[m] + at, row[m]);
            }
        } else {
            for (Index m = 0; m < side && m < n_queries; ++m) {
                for (Index r = 0; r < side; ++r) out[m][at + r] = square[r * side + m];
            }
        }
    }

    // Rows become columns by exchanging ever smaller squares.
    static void transpose(V (&row)[width]) {
        transpose_squares<width / 2>(row, std::make_index_sequence<width>{});
    }
    template <std::size_t size, std::size_t... l>
    static void transpose_squares(V (&row)[width], std::index_sequence<l...> lanes_of_row) {
        constexpr std::size_t n = width;
        for (Index r = 0; r < width; ++r) {
            if ((r & static_cast<Index>(size)) != 0) continue;
            const V a = row[r];
            const V b = row[r + static_cast<Index>(size)];
            row[r] =
                C::pick_lanes(a, b, std::index_sequence<((l & size) != 0 ? n + l - size : l)...>{});
            row[r + static_cast<Index>(size)] =
                C::pick_lanes(a, b, std::index_sequence<((l & size) != 0 ? n + l : l + size)...>{});
        }
        if constexpr (size > 1) transpose_squares<size / 2>(row, lanes_of_row);
    }
};

}  // namespace svmosaic::simd
