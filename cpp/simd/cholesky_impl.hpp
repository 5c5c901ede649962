// The triangular factor of a symmetric positive definite matrix. See loops.hpp for what each
// function does and loops_impl.hpp for the rules that hold here.
#pragma once

#include "simd/dot_impl.hpp"
#include "simd/square_update_impl.hpp"

namespace svmosaic::simd {

template <Level level>
struct Cholesky {
    using C = Code<level, double>;
    using D = typename C::D;
    static constexpr Index wide = C::wide;
    using Sum = typename Dot<level, double>::Sum;
    static constexpr Index lanes = Dot<level, double>::lanes;

    static D load(const double* p) { return C::load_wide(p); }
    static void store(double* p, D v) { C::store_wide(p, v); }

    // row -= sum over p < n_rows of factor[p] * above[p], from column `from` on.
    template <Index n_rows>
    static void subtract_rows(double* row, const double* above, Index stride, const double* factor,
                              Index from, Index to) {
        for (Index c = from / wide * wide; c < to; c += wide) {
            D v = load(row + c);
            for (Index p = 0; p < n_rows; ++p) v -= factor[p] * load(above + p * stride + c);
            store(row + c, v);
        }
    }

    // After each panel the rest of the matrix is read and written. Every element meets the rows
    // above it in their order, so that the size changes no bit.
    static bool factorise(double* A, Index stride, Index n, Index begin, Index end) {
        if (!finish_rows(A, stride, begin, end, n)) return false;
        if (end < n) {
            SquareUpdate<level>::template update<false>(A, stride, A + begin * stride, end - begin,
                                                        end, n);
        }
        return true;
    }

    // The rows of a panel, four at a time, so that those below them in it are read and written once
    // for four.
    static bool finish_rows(double* A, Index stride, Index begin, Index end, Index n) {
        for (Index j = begin; j < end; j += 4) {
            const Index last = j + 4 < end ? j + 4 : end;
            for (Index p = j; p < last; ++p) {
                double* row = A + p * stride;
                for (Index q = j; q < p; ++q) {
                    const double factor = A[q * stride + p];
                    subtract_rows<1>(row, A + q * stride, stride, &factor, p, n);
                }
                const double pivot = row[p];
                if (!(pivot > 0.0)) return false;
                const double scale = 1.0 / __builtin_sqrt(pivot);
                for (Index c = p / wide * wide; c < n; c += wide) {
                    store(row + c, load(row + c) * scale);
                }
                row[p] = scale;
            }
            for (Index i = last; i < end; ++i) {
                double factor[4];
                for (Index p = j; p < last; ++p) factor[p - j] = A[p * stride + i];
                subtract_rows<4>(A + i * stride, A + j * stride, stride, factor, i, n);
            }
        }
        return true;
    }

    static void solve_factored(const double* U, Index stride, Index n, double* b, double* c) {
        for (Index j = 0; j < n; ++j) {
            const double* row = U + j * stride;
            const double x = b[j] *= row[j];
            const double y = c[j] *= row[j];
            // Whole vectors: what is left of the diagonal must not change.
            const Index body = (j + lanes) / lanes * lanes;
            for (Index k = j + 1; k < body; ++k) {
                b[k] -= x * row[k];
                c[k] -= y * row[k];
            }
            for (Index k = body; k < n; k += wide) {
                store(b + k, load(b + k) - x * load(row + k));
                store(c + k, load(c + k) - y * load(row + k));
            }
        }
        // Beyond n the rows hold zeros, and the right-hand sides are made to.
        for (Index k = n; k < stride; ++k) b[k] = c[k] = 0.0;
        for (Index j = n - 1; j >= 0; --j) {
            const double* row = U + j * stride;
            const Index body = (j + lanes) / lanes * lanes;
            Sum sum_b;
            Sum sum_c;
            for (Index k = body; k < n; k += lanes) {
                sum_b.add(row + k, b + k);
                sum_c.add(row + k, c + k);
            }
            double x = b[j] - sum_b.total();
            double y = c[j] - sum_c.total();
            for (Index k = j + 1; k < body; ++k) {
                x -= row[k] * b[k];
                y -= row[k] * c[k];
            }
            b[j] = x * row[j];
            c[j] = y * row[j];
        }
    }

    // Rows in blocks of `lanes`, so that what is outside of a block is read in whole vectors, and z
    // once for all rows of it. What is above the one of the unit vector stays zero on the way down.
    static void solve_for_column(const double* U, Index stride, Index n, Index column, double* z) {
        z[column] = 1.0;
        for (Index j = column / lanes * lanes; j < n; j += lanes) {
            const Index last = j + lanes < n ? j + lanes : n;
            for (Index p = j; p < last; ++p) {
                const double* row = U + p * stride;
                const double x = z[p] *= row[p];
                for (Index k = p + 1; k < last; ++k) z[k] -= x * row[k];
            }
            for (Index k = j + lanes; k < n; k += wide) {
                D v = load(z + k);
                for (Index p = j; p < j + lanes; ++p) v -= z[p] * load(U + p * stride + k);
                store(z + k, v);
            }
        }
        for (Index j = (n - 1) / lanes * lanes; j >= 0; j -= lanes) {
            const Index last = j + lanes < n ? j + lanes : n;
            Sum sums[lanes];
            for (Index k = j + lanes; k < n; k += lanes) {
                for (Index p = 0; p < lanes; ++p) sums[p].add(U + (j + p) * stride + k, z + k);
            }
            for (Index p = last - 1; p >= j; --p) {
                const double* row = U + p * stride;
                double x = z[p] - sums[p - j].total();
                for (Index k = p + 1; k < last; ++k) x -= row[k] * z[k];
                z[p] = x * row[p];
            }
        }
    }
};

}  // namespace svmosaic::simd
