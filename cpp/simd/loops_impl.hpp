// The hot loops in the compiler's vector extensions; see loops.hpp for what each one does.
//
// Every function is a template on the level, so that the copies compiled with different
// instruction sets are different functions for the linker. Nothing from the standard library
// is called here: an inline function compiled for AVX-512 could otherwise be linked into code
// that runs on any machine.
#pragma once

#include "simd/loops.hpp"

namespace svmosaic::simd {

template <class T>
struct VectorOf {
    typedef T type __attribute__((vector_size(64)));
};
template <class T>
using Vec = typename VectorOf<T>::type;

// A vector of doubles as wide as a vector of Real has lanes.
template <class Real>
struct WideOf {
    typedef double type __attribute__((vector_size(8 * lanes<Real>)));
};
template <class Real>
using Wide = typename WideOf<Real>::type;

template <class Real>
struct BitsOf;
template <>
struct BitsOf<double> {
    using type = unsigned long long;
    static constexpr int mantissa = 52;
    static constexpr double magic = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds
    static constexpr double ln2_high = 6.93147180369123816490e-01;
    static constexpr double ln2_low = 1.90821492927058770002e-10;
    static constexpr double lowest = -708.0;  // below this the result is not a normal number
    static constexpr int degree = 13;
};
template <>
struct BitsOf<float> {
    using type = unsigned int;
    static constexpr int mantissa = 23;
    static constexpr float magic = 12582912.0F;  // 1.5 * 2^23
    static constexpr float ln2_high = 6.93145752e-1F;
    static constexpr float ln2_low = 1.42860677e-6F;
    static constexpr float lowest = -87.0F;
    static constexpr int degree = 7;
};

template <Level level, class Real>
struct Code {
    using V = Vec<Real>;
    using D = Wide<Real>;
    static constexpr Index width = lanes<Real>;
    // Independent blocks in flight, to hide the latency of the multiply-add.
    static constexpr Index unroll = 4;
    // A single-precision sum is moved to double precision after this many features.
    static constexpr Index segment = sizeof(Real) == 4 ? 256 : (Index{1} << 60);

    static V load(const Real* p) { return *reinterpret_cast<const V*>(p); }
    static D load_wide(const double* p) { return *reinterpret_cast<const D*>(p); }
    static void store_wide(double* p, D v) { *reinterpret_cast<D*>(p) = v; }
    static D widen(V v) { return __builtin_convertvector(v, D); }

    struct SquaredDistance {
        static V step(V sum, V x, Real q) {
            const V t = x - q;
            return sum + t * t;
        }
    };
    struct DotProduct {
        static V step(V sum, V x, Real q) { return sum + x * q; }
    };
    struct ManhattanDistance {
        static V step(V sum, V x, Real q) {
            const V t = x - q;
            return sum + (t < 0 ? -t : t);
        }
    };

    template <class Op, Index n_chains>
    static void accumulate(const Real* blocks, Index n_features, const Real* query, Real* out) {
        const Index stride = n_features * width;
        D total[n_chains] = {};
        for (Index first = 0; first < n_features; first += segment) {
            const Index last = n_features - first < segment ? n_features : first + segment;
            V sum[n_chains] = {};
            for (Index f = first; f < last; ++f) {
                for (Index u = 0; u < n_chains; ++u) {
                    sum[u] = Op::step(sum[u], load(blocks + u * stride + f * width), query[f]);
                }
            }
            for (Index u = 0; u < n_chains; ++u) total[u] += widen(sum[u]);
        }
        for (Index u = 0; u < n_chains; ++u) {
            *reinterpret_cast<V*>(out + u * width) = __builtin_convertvector(total[u], V);
        }
    }

    template <class Op>
    static void against_blocks(const Real* blocks, Index n_blocks, Index n_features,
                               const Real* query, Real* out) {
        const Index stride = n_features * width;
        Index b = 0;
        for (; b + unroll <= n_blocks; b += unroll) {
            accumulate<Op, unroll>(blocks + b * stride, n_features, query, out + b * width);
        }
        for (; b < n_blocks; ++b) {
            accumulate<Op, 1>(blocks + b * stride, n_features, query, out + b * width);
        }
    }

    // exp by x = k ln 2 + r, |r| <= ln 2 / 2, and a Taylor polynomial for exp(r).
    static V exp(V x) {
        using Bits = BitsOf<Real>;
        typedef typename Bits::type I __attribute__((vector_size(64)));
        const Real log2e = static_cast<Real>(1.44269504088896340736);
        const auto vanishes = x < Bits::lowest;
        x = vanishes ? V{} + Bits::lowest : x;
        const V shifted = x * log2e + Bits::magic;
        const V k = shifted - Bits::magic;
        const V r = (x - k * Bits::ln2_high) - k * Bits::ln2_low;
        V p = V{} + inverse_factorial(Bits::degree);
        for (int n = Bits::degree - 1; n >= 0; --n) p = p * r + inverse_factorial(n);
        const Real one = 1;
        // The low bits of `shifted` hold k: moved into the exponent of 1 they make 2^k.
        const I exponent = reinterpret_cast<I>(shifted) << Bits::mantissa;
        p = p * reinterpret_cast<V>(exponent + reinterpret_cast<I>(V{} + one));
        return vanishes ? V{} : p;
    }

    static constexpr Real inverse_factorial(int n) {
        double f = 1.0;
        for (int i = 2; i <= n; ++i) f *= i;
        return static_cast<Real>(1.0 / f);
    }

    static void scaled_exp(Real* values, Index n, double factor) {
        const Real scale = static_cast<Real>(factor);
        for (Index i = 0; i < n; i += width) {
            V* v = reinterpret_cast<V*>(values + i);
            *v = exp(*v * scale);
        }
    }

    static void add_scaled(const Real* column, double step, double* sums, Index n) {
        for (Index i = 0; i < n; i += width) {
            store_wide(sums + i, load_wide(sums + i) + step * widen(load(column + i)));
        }
    }

    static double lowest(D v) {
        double best = v[0];
        for (Index l = 1; l < width; ++l) best = v[l] < best ? v[l] : best;
        return best;
    }

    static double update_scores(const Real* column, const double* targets, double step,
                                double shift, double* scores, Index n) {
        D best = D{} + __builtin_inf();
        for (Index i = 0; i < n; i += width) {
            const D change = step * widen(load(column + i)) + shift;
            const D score = load_wide(scores + i) + load_wide(targets + i) * change;
            store_wide(scores + i, score);
            best = score < best ? score : best;
        }
        return lowest(best);
    }

    // The lane with the best value; equal values go to the lowest index.
    static Extreme best_lane(D value, D index, bool largest) {
        Extreme best{value[0], static_cast<Index>(index[0])};
        for (Index l = 1; l < width; ++l) {
            const Index at = static_cast<Index>(index[l]);
            const bool better = largest ? value[l] > best.value : value[l] < best.value;
            if (better || (value[l] == best.value && at < best.index)) best = {value[l], at};
        }
        return best;
    }

    static D first_indices() {
        D index = {};
        for (Index l = 0; l < width; ++l) index[l] = static_cast<double>(l);
        return index;
    }

    static Extreme select_second(const Real* column_i, const double* diagonal,
                                 const double* gradient, const double* low, double gradient_i,
                                 double diagonal_i, Index n) {
        // Curvature of a pair of (nearly) identical samples: keeps the quotient finite.
        const double tiny = 1e-12;
        D best = {};
        D best_index = D{} - 1.0;
        D index = first_indices();
        for (Index j = 0; j < n; j += width) {
            const D difference = load_wide(gradient + j) + load_wide(low + j) - gradient_i;
            D curvature = load_wide(diagonal + j) + diagonal_i - 2.0 * widen(load(column_i + j));
            curvature = curvature > tiny ? curvature : D{} + tiny;
            const D gain = difference * difference / curvature;
            const auto better = (difference > 0.0) & (gain > best);
            best = better ? gain : best;
            best_index = better ? index : best_index;
            index += static_cast<double>(width);
        }
        // Lanes without a candidate carry the gain 0 and the index -1.
        Extreme winner{0.0, -1};
        for (Index l = 0; l < width; ++l) {
            const Index at = static_cast<Index>(best_index[l]);
            if (at < 0) continue;
            if (winner.index < 0 || best[l] > winner.value ||
                (best[l] == winner.value && at < winner.index)) {
                winner = {best[l], at};
            }
        }
        return winner;
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
        return {best_lane(lowest_up, lowest_index, false), -lowest(-highest_low)};
    }
};

template <Level level, class Real>
constexpr Loops<Real> loops_of() {
    using C = Code<level, Real>;
    return {C::template against_blocks<typename C::SquaredDistance>,
            C::template against_blocks<typename C::DotProduct>,
            C::template against_blocks<typename C::ManhattanDistance>,
            C::scaled_exp,
            C::add_scaled,
            C::update_scores,
            C::select_second,
            C::update_gradient};
}

}  // namespace svmosaic::simd
