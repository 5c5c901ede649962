// A symmetric matrix plus or minus the squares of some rows. See loops.hpp for what each function
// does and loops_impl.hpp for the rules that hold here.
#pragma once

#include "simd/loops_impl.hpp"

namespace svmosaic::simd {

template <Level level>
struct SquareUpdate {
    using C = Code<level, double>;
    using D = typename C::D;
    static constexpr Index wide = C::wide;

    static D load(const double* p) { return C::load_wide(p); }
    static void store(double* p, D v) { C::store_wide(p, v); }

    // A tile of the matrix is as large as there are registers for. A strip is as wide as a tile,
    // and what R has in its columns stays in the first-level cache while all tiles of it pass by.
    static constexpr Index height = level == Level::avx512 ? 8 : 4;
    static constexpr Index vectors = level == Level::avx512 ? 3 : wide == 2 ? 4 : 2;
    static constexpr Index strip = vectors * wide;
    static constexpr Index panel = 128;

    static void add_squares(double* A, Index stride, Index n, const double* R, Index n_rows) {
        update<true>(A, stride, R, n_rows, 0, n);
    }
    static void subtract_squares(double* A, Index stride, Index n, const double* R, Index n_rows) {
        update<false>(A, stride, R, n_rows, 0, n);
    }

    // Rows and columns first .. n of A +- R'R, its upper half. Rows of R are `stride` apart, too.
    // Every element of A meets them in their order, so that the size of tiles changes no bit.
    template <bool plus>
    static void update(double* A, Index stride, const double* R, Index n_rows, Index first,
                       Index n) {
        for (Index p = 0; p < n_rows; p += panel) {
            const Index taken = n_rows - p < panel ? n_rows - p : panel;
            for (Index c = first / wide * wide; c < n; c += strip) {
                update_strip<plus>(A, stride, R + p * stride, taken, first, c,
                                   c + strip < n ? c + strip : n);
            }
        }
    }

    template <bool plus>
    static void update_strip(double* A, Index stride, const double* R, Index n_rows, Index first,
                             Index from, Index to) {
        Index i = update_rows<plus, height>(A, stride, R, n_rows, first, from, to);
        i = update_rows<plus, 4>(A, stride, R, n_rows, i, from, to);
        update_rows<plus, 1>(A, stride, R, n_rows, i, from, to);
    }

    // As many rows of a strip as there are tiles of this height; returns the first that is left.
    template <bool plus, Index n_high>
    static Index update_rows(double* A, Index stride, const double* R, Index n_rows, Index i,
                             Index from, Index to) {
        for (; i + n_high <= to; i += n_high) {
            const Index diagonal = i / wide * wide;
            update_tiles<plus, n_high, vectors>(A, stride, R, n_rows, i,
                                                diagonal < from ? from : diagonal, to);
        }
        return i;
    }

    // The columns c .. to of some rows, with as many vectors at once as there are.
    template <bool plus, Index n_high, Index n_vectors>
    static void update_tiles(double* A, Index stride, const double* R, Index n_rows, Index i,
                             Index c, Index to) {
        for (; c + (n_vectors - 1) * wide < to; c += n_vectors * wide) {
            update_tile<plus, n_high, n_vectors>(A, stride, R, n_rows, i, c);
        }
        if constexpr (n_vectors > 1) {
            update_tiles<plus, n_high, n_vectors - 1>(A, stride, R, n_rows, i, c, to);
        }
    }

    // A few rows and columns of A, which stay in registers.
    template <bool plus, Index n_high, Index n_vectors>
    static void update_tile(double* A, Index stride, const double* R, Index n_rows, Index i,
                            Index c) {
        D sums[n_high][n_vectors];
        for (Index r = 0; r < n_high; ++r) {
            for (Index v = 0; v < n_vectors; ++v) {
                sums[r][v] = load(A + (i + r) * stride + c + v * wide);
            }
        }
        for (Index p = 0; p < n_rows; ++p) {
            const double* row = R + p * stride;
            D taken[n_vectors];
            for (Index v = 0; v < n_vectors; ++v) taken[v] = load(row + c + v * wide);
            for (Index r = 0; r < n_high; ++r) {
                const double factor = plus ? row[i + r] : -row[i + r];
                for (Index v = 0; v < n_vectors; ++v) sums[r][v] += factor * taken[v];
            }
        }
        for (Index r = 0; r < n_high; ++r) {
            for (Index v = 0; v < n_vectors; ++v) {
                store(A + (i + r) * stride + c + v * wide, sums[r][v]);
            }
        }
    }
};

}  // namespace svmosaic::simd
