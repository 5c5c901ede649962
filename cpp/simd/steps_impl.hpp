// The loops of solvers: a pass over all samples or variables for one step. See loops.hpp for what
// each one does and loops_impl.hpp for the rules that hold here.
#pragma once

#include <cstddef>
#include <utility>

#include "simd/loops_impl.hpp"

namespace svmosaic::simd {

template <Level level, class Real>
struct Steps {
    using C = Code<level, Real>;
    using D = typename C::D;
    static constexpr Index wide = C::wide;

    static D load(const double* p) { return C::load_wide(p); }
    // A column may lie anywhere: a row of a stored matrix need not start at a cache line.
    static D load_column(const Real* p) { return C::load_widened(p); }
    static void store(double* p, D v) { C::store_wide(p, v); }

    static double lowest(D v) { return C::spread_lowest(v)[0]; }
    // The smallest value and its index; equal values go to the lowest index.
    static Extreme lowest_lane(D value, D index) {
        const D best = C::spread_lowest(value);
        const D none = D{} + 1e300;
        return {best[0], static_cast<Index>(lowest(value == best ? index : none))};
    }
    static D first_indices() {
        D index = {};
        for (Index l = 0; l < wide; ++l) index[l] = static_cast<double>(l);
        return index;
    }

    static void gather(const Real* row, const int* places, Real* out, Index n) {
        for (Index i = 0; i < n; ++i) out[i] = row[places[i]];
    }

    static Index mark_bounds(const double* beta, const double* lower, const double* upper,
                             double epsilon, double* up, double* low, Index n) {
        const D slope = D{} + epsilon;
        const D zero = {};
        const D none = zero + __builtin_inf();
        D n_free = {};
        for (Index i = 0; i < n; i += wide) {
            const D b = load(beta + i);
            const D slope_up = b >= zero ? slope : -slope;
            const D slope_low = b > zero ? slope : -slope;
            const D of_up = b >= load(upper + i) ? none : slope_up;
            const D of_low = b <= load(lower + i) ? -none : slope_low;
            store(up + i, of_up);
            store(low + i, of_low);
            n_free += of_up == of_low ? zero + 1.0 : zero;
        }
        double sum = 0.0;
        for (Index l = 0; l < wide; ++l) sum += n_free[l];
        return static_cast<Index>(sum);
    }

    static void add_scaled(const Real* column, double step, double* sums, Index n) {
        for (Index i = 0; i < n; i += wide) {
            store(sums + i, load(sums + i) + step * load_column(column + i));
        }
    }

    static double update_scores(const Real* column, const double* targets, double step,
                                double shift, double* scores, Index n) {
        D best = D{} + __builtin_inf();
        for (Index i = 0; i < n; i += wide) {
            const D change = step * load_column(column + i) + shift;
            const D score = load(scores + i) + load(targets + i) * change;
            store(scores + i, score);
            best = C::lower(score, best);
        }
        return lowest(best);
    }

    static double update_outputs(const Real* column, double step, double shift, double sign,
                                 const double* blocked, double* outputs, Index n) {
        D best = D{} + __builtin_inf();
        for (Index i = 0; i < n; i += wide) {
            const D output = load(outputs + i) + (step * load_column(column + i) + shift);
            store(outputs + i, output);
            const D score = sign * output + load(blocked + i);
            best = C::lower(score, best);
        }
        return lowest(best);
    }

    static void follow(const Real* column, double step, double shift, double* outputs, Index n) {
        for (Index i = 0; i < n; i += wide) {
            store(outputs + i, load(outputs + i) + (step * load_column(column + i) + shift));
        }
    }

    static Index first_at_most(const double* outputs, double sign, const double* blocked,
                               double bound, Index n) {
        for (Index i = 0; i < n; i += wide) {
            const D score = sign * load(outputs + i) + load(blocked + i);
            if (lowest(score) > bound) continue;
            for (Index l = 0; l < wide; ++l) {
                if (score[l] <= bound) return i + l;
            }
        }
        return -1;
    }

    // The best gain of each lane so far, as the fraction square / curvature: fractions are compared
    // by products, because a division takes far longer.
    struct Gain {
        D square = {};
        D curvature = D{} + 1.0;
        D index = D{} - 1.0;

        void take(D difference, D pair_curvature, D at) {
            // Curvature of a pair of (nearly) identical samples: keeps the quotient finite.
            const double tiny = 1e-12;
            difference = C::higher(difference, D{});
            pair_curvature = C::higher(pair_curvature, D{} + tiny);
            const D pair_square = difference * difference;
            const auto better = pair_square * curvature > square * pair_curvature;
            square = better ? pair_square : square;
            curvature = better ? pair_curvature : curvature;
            index = better ? at : index;
        }
        // The better one in each lane; of equal ones, that with the lower index.
        void join(const Gain& other) {
            const D here = square * other.curvature;
            const D there = other.square * curvature;
            const auto better = (there > here) | ((there == here) & (other.index < index));
            square = better ? other.square : square;
            curvature = better ? other.curvature : curvature;
            index = better ? other.index : index;
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
            const D difference = load(gradient + j) + load(low + j) - gradient_i;
            const D curvature = load(diagonal + j) + diagonal_i - 2.0 * load_column(column_i + j);
            gain.take(difference, curvature, index);
            index += static_cast<double>(wide);
        };
        Index j = 0;
        for (; j + 2 * wide <= n; j += 2 * wide) {
            take(even, j);
            take(odd, j + wide);
        }
        if (j < n) take(even, j);
        even.join(odd);
        const Extreme winner = lowest_lane(even.loss(), even.index);
        return winner.value > 0.0 ? Extreme{0.0, -1} : Extreme{-winner.value, winner.index};
    }

    // The lowest value of each lane so far, and the first index that has it.
    struct Lowest {
        D value = D{} + __builtin_inf();
        D index = D{} - 1.0;

        void take(D other, D at) {
            index = other < value ? at : index;
            value = C::lower(other, value);
        }
        void join(const Lowest& other) {
            const auto lower =
                (other.value < value) | ((other.value == value) & (other.index < index));
            index = lower ? other.index : index;
            value = lower ? other.value : value;
        }
    };

    static PairExtremes update_gradient(const Real* column_i, const Real* column_j, double step,
                                        const double* up, const double* low, double* gradient,
                                        Index n) {
        // Two chains, as above.
        Lowest even;
        Lowest odd;
        D highest_even = D{} - __builtin_inf();
        D highest_odd = highest_even;
        D index = first_indices();
        const auto take = [&](Lowest& lowest_up, D& highest_low, Index t) {
            D g = load(gradient + t);
            g += step * (load_column(column_i + t) - load_column(column_j + t));
            store(gradient + t, g);
            lowest_up.take(g + load(up + t), index);
            highest_low = C::higher(g + load(low + t), highest_low);
            index += static_cast<double>(wide);
        };
        Index t = 0;
        for (; t + 2 * wide <= n; t += 2 * wide) {
            take(even, highest_even, t);
            take(odd, highest_odd, t + wide);
        }
        if (t < n) take(even, highest_even, t);
        even.join(odd);
        return {lowest_lane(even.value, even.index),
                -lowest(-C::higher(highest_even, highest_odd))};
    }

    // The first zero of each lane so far, as the fraction height / fall: as for Gain.
    struct FirstZero {
        D height = D{} + 1.0;
        D fall = {};
        D index = D{} - 1.0;

        // What does not fall has no zero, and is never earlier.
        void take(D line, D slope, D at) {
            line = C::higher(line, D{});
            slope = C::higher(-slope, D{});
            const auto earlier = line * fall < height * slope;
            height = earlier ? line : height;
            fall = earlier ? slope : fall;
            index = earlier ? at : index;
        }
        D when() const { return index < 0.0 ? D{} + __builtin_inf() : height / fall; }
    };

    // use(i, sum over m of factors[m] columns[m][i ...]) for all i, one vector after the other.
    template <class Use>
    static void for_sums(const Real* const* columns, const double* factors, Index n_columns,
                         Index n, const Use& use) {
        // Sums that are held in registers while the columns pass.
        constexpr Index held = 4;
        Index i = 0;
        for (; i + held * wide <= n; i += held * wide) {
            D sums[held] = {};
            for (Index m = 0; m < n_columns; ++m) {
                const Real* column = columns[m] + i;
                const double factor = factors[m];
                for (Index h = 0; h < held; ++h) sums[h] += factor * load_column(column + h * wide);
            }
            for (Index h = 0; h < held; ++h) use(i + h * wide, sums[h]);
        }
        for (; i < n; i += wide) {
            D sum = {};
            for (Index m = 0; m < n_columns; ++m) sum += factors[m] * load_column(columns[m] + i);
            use(i, sum);
        }
    }

    static void add_all_scaled(const Real* const* columns, const double* factors, Index n_columns,
                               double* sums, Index n) {
        for_sums(columns, factors, n_columns, n,
                 [&](Index i, D sum) { store(sums + i, load(sums + i) + sum); });
    }

    static void multiply_columns(const Real* const* columns, Index begin, const double* factors,
                                 Index n_columns, Index n_sums, double* sums, Index stride,
                                 Index n) {
        constexpr Index together = 4;
        Index s = 0;
        for (; s + together <= n_sums; s += together) {
            sums_of<together>(columns, begin, factors + s, n_columns, n_sums, sums + s * stride,
                              stride, n);
        }
        for (; s < n_sums; ++s) {
            sums_of<1>(columns, begin, factors + s, n_columns, n_sums, sums + s * stride, stride,
                       n);
        }
    }

    // Some of the sums. A column is read once for all of them, and they stay in registers.
    template <Index n_sums>
    static void sums_of(const Real* const* columns, Index begin, const double* factors,
                        Index n_columns, Index factor_stride, double* sums, Index stride, Index n) {
        constexpr Index most = level == Level::avx512 ? 4 : 2;
        Index i = 0;
        for (; i + most * wide <= n; i += most * wide) {
            tile_of_sums<n_sums, most>(columns, begin + i, factors, n_columns, factor_stride,
                                       sums + i, stride);
        }
        for (; i < n; i += wide) {
            tile_of_sums<n_sums, 1>(columns, begin + i, factors, n_columns, factor_stride, sums + i,
                                    stride);
        }
    }

    template <Index n_sums, Index n_vectors>
    static void tile_of_sums(const Real* const* columns, Index begin, const double* factors,
                             Index n_columns, Index factor_stride, double* sums, Index stride) {
        D sum[n_sums][n_vectors] = {};
        for (Index m = 0; m < n_columns; ++m) {
            const double* factor = factors + m * factor_stride;
            for (Index v = 0; v < n_vectors; ++v) {
                const D values = load_column(columns[m] + begin + v * wide);
                for (Index s = 0; s < n_sums; ++s) sum[s][v] += factor[s] * values;
            }
        }
        for (Index s = 0; s < n_sums; ++s) {
            for (Index v = 0; v < n_vectors; ++v) {
                double* at = sums + s * stride + v * wide;
                store(at, load(at) + sum[s][v]);
            }
        }
    }

    static Extreme next_to_leave(const Real* const* columns, const double* factors, Index n_columns,
                                 const double* side, const double* gradient, double intercept,
                                 double shift, double* change, Index n) {
        FirstZero first;
        D index = first_indices();
        for_sums(columns, factors, n_columns, n, [&](Index i, D sum) {
            store(change + i, sum);
            const D sides = load(side + i);
            const D slack = sides * (load(gradient + i) + intercept);
            const D excess = C::higher(-slack, D{});
            first.take(slack, sides * (sum + shift) - excess, index);
            index += static_cast<double>(wide);
        });
        const Extreme winner = lowest_lane(first.when(), first.index);
        return winner.value < __builtin_inf() ? winner : Extreme{__builtin_inf(), -1};
    }
};

}  // namespace svmosaic::simd
