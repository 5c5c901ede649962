// The loops of parameter tuning in the compiler's vector extensions; see tune_loops.hpp for what
// each one does and loops_impl.hpp for the rules that hold here.
#pragma once

#include "simd/tune_loops.hpp"

namespace svmosaic::simd {

// Eight numbers of any type, beside eight doubles: wider vectors of doubles than the machine has
// are taken apart lane by lane.
template <class T>
struct EightOf {
    typedef T type __attribute__((vector_size(8 * sizeof(T))));
};

template <Level level, class Real>
struct TuneCode {
    static constexpr Index width = 8;
    using V = typename EightOf<Real>::type;
    using D = typename EightOf<double>::type;

    static V load(const Real* p) { return *reinterpret_cast<const V*>(p); }
    static D load_wide(const double* p) { return *reinterpret_cast<const D*>(p); }
    static void store_wide(double* p, D v) { *reinterpret_cast<D*>(p) = v; }
    static D widen(V v) { return __builtin_convertvector(v, D); }

    // Lane l of the result is lane l + by of v, in a circle.
    template <Index by>
    static D rotate(D v) {
        using I = typename EightOf<long long>::type;
        I from = {};
        for (Index l = 0; l < width; ++l) from[l] = (l + by) % width;
        return __builtin_shuffle(v, from);
    }
    // The smallest lane, in all lanes. Without branches: which lane wins cannot be predicted.
    template <Index by = width / 2>
    static D spread_lowest(D v) {
        const D other = rotate<by>(v);
        const D lower = other < v ? other : v;
        if constexpr (by > 1) {
            return spread_lowest<by / 2>(lower);
        } else {
            return lower;
        }
    }
    static double lowest(D v) { return spread_lowest(v)[0]; }
    // The smallest value and its index; equal values go to the lowest index.
    static Extreme lowest_lane(D value, D index) {
        const D best = spread_lowest(value);
        const D none = D{} + 1e300;
        return {best[0], static_cast<Index>(lowest(value == best ? index : none))};
    }

    static double advance(const Real* column, double step, double shift, double sign,
                          const double* blocked, double* outputs, Index n) {
        D best = D{} + __builtin_inf();
        for (Index i = 0; i < n; i += width) {
            const D output = load_wide(outputs + i) + (step * widen(load(column + i)) + shift);
            store_wide(outputs + i, output);
            const D score = sign * output + load_wide(blocked + i);
            best = score < best ? score : best;
        }
        return lowest(best);
    }

    static void follow(const Real* column, double step, double shift, double* outputs, Index n) {
        for (Index i = 0; i < n; i += width) {
            store_wide(outputs + i,
                       load_wide(outputs + i) + (step * widen(load(column + i)) + shift));
        }
    }

    static Index first_at_most(const double* outputs, double sign, const double* blocked,
                               double bound, Index n) {
        for (Index i = 0; i < n; i += width) {
            const D score = sign * load_wide(outputs + i) + load_wide(blocked + i);
            if (lowest(score) > bound) continue;
            for (Index l = 0; l < width; ++l) {
                if (score[l] <= bound) return i + l;
            }
        }
        return -1;
    }

    static void gather(const Real* row, const int* places, Real* out, Index n) {
        for (Index i = 0; i < n; ++i) out[i] = row[places[i]];
    }

    static void add_scaled(const Real* column, double step, double* sums, Index n) {
        for (Index i = 0; i < n; i += width) {
            store_wide(sums + i, load_wide(sums + i) + step * widen(load(column + i)));
        }
    }

    static D first_indices() {
        D index = {};
        for (Index l = 0; l < width; ++l) index[l] = static_cast<double>(l);
        return index;
    }

    // The best gain of each lane so far, as the fraction square / curvature.
    struct Gain {
        D square = {};
        D curvature = D{} + 1.0;
        D index = D{} - 1.0;

        void take(D difference, D pair_curvature, D at) {
            // Curvature of a pair of (nearly) identical samples: keeps the quotient finite.
            const double tiny = 1e-12;
            difference = difference > 0.0 ? difference : D{};
            pair_curvature = pair_curvature > tiny ? pair_curvature : D{} + tiny;
            const D pair_square = difference * difference;
            const auto better = pair_square * curvature > square * pair_curvature;
            square = better ? pair_square : square;
            curvature = better ? pair_curvature : curvature;
            index = better ? at : index;
        }
        // Smaller is better; lanes without a candidate must not win.
        D loss() const { return index < 0.0 ? D{} + 1.0 : -square / curvature; }
    };

    static Extreme select_second(const Real* column_i, const double* diagonal,
                                 const double* gradient, const double* low, double gradient_i,
                                 double diagonal_i, Index n) {
        // Two chains hide the latency of comparing fractions.
        Gain even;
        Gain odd;
        D index = first_indices();
        const auto take = [&](Gain& gain, Index j) {
            const D difference = load_wide(gradient + j) + load_wide(low + j) - gradient_i;
            const D curvature =
                load_wide(diagonal + j) + diagonal_i - 2.0 * widen(load(column_i + j));
            gain.take(difference, curvature, index);
            index += static_cast<double>(width);
        };
        Index j = 0;
        for (; j + 2 * width <= n; j += 2 * width) {
            take(even, j);
            take(odd, j + width);
        }
        if (j < n) take(even, j);
        const D loss_even = even.loss();
        const D loss_odd = odd.loss();
        const auto odd_wins =
            (loss_odd < loss_even) | ((loss_odd == loss_even) & (odd.index < even.index));
        const Extreme winner =
            lowest_lane(odd_wins ? loss_odd : loss_even, odd_wins ? odd.index : even.index);
        return winner.value > 0.0 ? Extreme{0.0, -1} : Extreme{-winner.value, winner.index};
    }

    static PairExtremes update_gradient(const Real* column_i, const Real* column_j, double step,
                                        const double* up, const double* low, double* gradient,
                                        Index n) {
        D lowest_up = D{} + __builtin_inf();
        D lowest_index = D{} - 1.0;
        D highest_low = D{} - __builtin_inf();
        D index = first_indices();
        for (Index t = 0; t < n; t += width) {
            D g = load_wide(gradient + t);
            g += step * (widen(load(column_i + t)) - widen(load(column_j + t)));
            store_wide(gradient + t, g);
            const D growing = g + load_wide(up + t);
            const auto lower = growing < lowest_up;
            lowest_up = lower ? growing : lowest_up;
            lowest_index = lower ? index : lowest_index;
            const D shrinking = g + load_wide(low + t);
            highest_low = shrinking > highest_low ? shrinking : highest_low;
            index += static_cast<double>(width);
        }
        return {lowest_lane(lowest_up, lowest_index), -lowest(-highest_low)};
    }

    // row -= sum over p < n_rows of factor[p] * above[p], from column `from` on.
    template <Index n_rows>
    static void subtract_rows(double* row, const double* above, Index stride, const double* factor,
                              Index from, Index to) {
        for (Index c = from / width * width; c < to; c += width) {
            D v = load_wide(row + c);
            for (Index p = 0; p < n_rows; ++p) v -= factor[p] * load_wide(above + p * stride + c);
            store_wide(row + c, v);
        }
    }

    static bool factorise(double* A, Index stride, Index n) {
        // Rows are finished four at a time, so that the rest is read and written once for four.
        for (Index j = 0; j < n; j += 4) {
            const Index last = j + 4 < n ? j + 4 : n;
            double* block = A + j * stride;
            for (Index p = j; p < last; ++p) {
                double* row = A + p * stride;
                for (Index q = j; q < p; ++q) {
                    const double factor = A[q * stride + p];
                    subtract_rows<1>(row, A + q * stride, stride, &factor, p, n);
                }
                const double pivot = row[p];
                if (!(pivot > 0.0)) return false;
                const double scale = 1.0 / __builtin_sqrt(pivot);
                for (Index c = p / width * width; c < n; c += width) {
                    store_wide(row + c, load_wide(row + c) * scale);
                }
                row[p] = scale;
            }
            for (Index i = last; i < n; ++i) {
                double factor[4];
                for (Index p = j; p < last; ++p) factor[p - j] = A[p * stride + i];
                subtract_rows<4>(A + i * stride, block, stride, factor, i, n);
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
            const Index body = (j + width) / width * width;
            for (Index k = j + 1; k < body; ++k) {
                b[k] -= x * row[k];
                c[k] -= y * row[k];
            }
            for (Index k = body; k < n; k += width) {
                store_wide(b + k, load_wide(b + k) - x * load_wide(row + k));
                store_wide(c + k, load_wide(c + k) - y * load_wide(row + k));
            }
        }
        // Beyond n the rows hold zeros, and the right-hand sides are made to.
        for (Index k = n; k < stride; ++k) b[k] = c[k] = 0.0;
        for (Index j = n - 1; j >= 0; --j) {
            const double* row = U + j * stride;
            const Index body = (j + width) / width * width;
            D sums_b = {};
            D sums_c = {};
            for (Index k = body; k < n; k += width) {
                sums_b += load_wide(row + k) * load_wide(b + k);
                sums_c += load_wide(row + k) * load_wide(c + k);
            }
            double x = b[j] - sum_of(sums_b);
            double y = c[j] - sum_of(sums_c);
            for (Index k = j + 1; k < body; ++k) {
                x -= row[k] * b[k];
                y -= row[k] * c[k];
            }
            b[j] = x * row[j];
            c[j] = y * row[j];
        }
    }

    static double sum_of(D v) {
        return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
    }
};

template <Level level, class Real>
constexpr TuneLoops<Real> tune_loops_of() {
    using C = TuneCode<level, Real>;
    return {C::advance,       C::follow,          C::first_at_most, C::gather,        C::add_scaled,
            C::select_second, C::update_gradient, C::factorise,     C::solve_factored};
}

}  // namespace svmosaic::simd
