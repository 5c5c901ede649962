// Dot products in double precision. See loops.hpp for what each function does and loops_impl.hpp
// for the rules that hold here.
#pragma once

#include "simd/loops_impl.hpp"

namespace svmosaic::simd {

template <Level level, class Real>
struct Dot {
    using C = Code<level, double>;
    using D = typename C::D;
    static constexpr Index wide = C::wide;
    // Sums run in this many lanes at every level, so that all levels round alike.
    static constexpr Index lanes = 8;

    struct Sum {
        D parts[lanes / wide] = {};

        // The products of `lanes` numbers that may lie anywhere.
        void add(const Real* x, const double* y) {
            for (Index p = 0; p < lanes / wide; ++p) {
                parts[p] +=
                    Code<level, Real>::load_widened(x + p * wide) * C::load_widened(y + p * wide);
            }
        }
        void add(const Sum& other) {
            for (Index p = 0; p < lanes / wide; ++p) parts[p] += other.parts[p];
        }
        double total() const {
            double v[lanes] __attribute__((aligned(64)));
            for (Index p = 0; p < lanes / wide; ++p) C::store_wide(v + p * wide, parts[p]);
            return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
        }
    };

    static double dot(const Real* x, const double* y, Index n) {
        // Several in flight, to hide the latency of the multiply-add.
        Sum sum[C::unroll];
        Index k = 0;
        for (; k + C::unroll * lanes <= n; k += C::unroll * lanes) {
            for (Index u = 0; u < C::unroll; ++u) sum[u].add(x + k + u * lanes, y + k + u * lanes);
        }
        for (; k + lanes <= n; k += lanes) sum[0].add(x + k, y + k);
        for (Index u = 1; u < C::unroll; ++u) sum[0].add(sum[u]);
        double total = sum[0].total();
        for (; k < n; ++k) total += static_cast<double>(x[k]) * y[k];
        return total;
    }
};

}  // namespace svmosaic::simd
