// Products with a small symmetric matrix. See loops.hpp for what each function does and
// loops_impl.hpp for the rules that hold here.
#pragma once

#include "simd/loops_impl.hpp"

namespace svmosaic::simd {

template <Level level>
struct Symmetric {
    using C = Code<level, double>;
    using D = typename C::D;
    static constexpr Index wide = C::wide;

    static D load(const double* p) { return C::load_wide(p); }
    static void store(double* p, D v) { C::store_wide(p, v); }

    // As a sum of rows: no sum runs across the lanes of a vector.
    static void multiply(const double* A, Index stride, Index n, const double* x, double* y) {
        Index c = 0;
        for (; c + 4 * wide <= n; c += 4 * wide) columns<4>(A + c, stride, n, x, y + c);
        for (; c < n; c += wide) columns<1>(A + c, stride, n, x, y + c);
    }

    template <Index n_vectors>
    static void columns(const double* A, Index stride, Index n, const double* x, double* y) {
        D sums[n_vectors] = {};
        for (Index a = 0; a < n; ++a) {
            for (Index v = 0; v < n_vectors; ++v) sums[v] += x[a] * load(A + a * stride + v * wide);
        }
        for (Index v = 0; v < n_vectors; ++v) store(y + v * wide, sums[v]);
    }

    static void add_square(double* A, Index stride, Index n, double factor, const double* x) {
        for (Index a = 0; a < n; ++a) {
            double* row = A + a * stride;
            const double times = factor * x[a];
            for (Index c = 0; c < n; c += wide) store(row + c, load(row + c) + times * load(x + c));
        }
    }
};

}  // namespace svmosaic::simd
