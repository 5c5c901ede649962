// The hot loops in the compiler's vector extensions; see loops.hpp for what each one does.
//
// Every function is a template on the level, so that the copies compiled with different
// instruction sets are different functions for the linker. Nothing from the standard library
// is called here: an inline function compiled for AVX-512 could otherwise be linked into code
// that runs on any computer. Vectors are as wide as the level's registers: the compiler takes wider
// ones apart, number by number.
#pragma once

#ifdef __FMA__
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif
// Clang 14 does not say that a fused multiply-add is fast, but that there is one.
#if defined(__FP_FAST_FMA) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define SVMOSAIC_FMA
#endif

// For functions that get sums by reference: in registers they stay only if none takes their
// address.
#define SVMOSAIC_INLINE __attribute__((always_inline))

#include <cstddef>
#include <type_traits>
#include <utility>

#include "simd/loops.hpp"

namespace svmosaic::simd {

template <class T, int bytes>
struct VectorOf {
    typedef T type __attribute__((vector_size(bytes)));
};
// The same vector where it may lie at any multiple of a number.
template <class T, int bytes>
struct UnalignedVectorOf {
    typedef T type __attribute__((vector_size(bytes), aligned(alignof(T))));
};

// A number, or a vector of them?
template <class S>
inline constexpr bool is_vector = sizeof(S) > sizeof(double);

template <class Real>
struct BitsOf;
template <>
struct BitsOf<double> {
    using type = unsigned long long;
    using integer = long long;
    static constexpr int mantissa = 52;
    static constexpr double bias = 1023.0;  // of the exponent: 2^-bias is written as 0
    // 1.5 * 2^52 + bias: adding it rounds to an integer, whose exponent is in the lowest bits then.
    static constexpr double magic = 6755399441055744.0 + bias;
    // 2^f = 1 + f q(f), |f| <= 1/2, with the least relative error, 1.8e-17.
    static constexpr double q[] = {
        0.6931471805599457,     0.24022650695910097,    0.05550410866479039,
        0.009618129107607003,   0.0013333558153440048,  0.00015403530441572444,
        1.5252727385120261e-05, 1.3215442675142101e-06, 1.0180647687399386e-07,
        7.07257044833737e-09,   4.078067990821038e-10};
};
template <>
struct BitsOf<float> {
    using type = unsigned int;
    using integer = int;
    static constexpr int mantissa = 23;
    static constexpr float bias = 127.0F;
    static constexpr float magic = 12582912.0F + bias;  // 1.5 * 2^23 + bias
    static constexpr float q[] = {0.693147214968025F,    0.24022652782875578F,
                                  0.055503105510240104F, 0.009617692974976257F,
                                  0.001340664389672815F, 0.00015594677525516054F};  // 2.6e-9
};

// The constants of an exponential, each as often as there are numbers in a register.
template <class Real, Index width>
struct ExpConstants {
    static constexpr int degree = static_cast<int>(sizeof(BitsOf<Real>::q) / sizeof(Real)) - 1;
    static constexpr int one = degree + 1;
    static constexpr int magic = degree + 2;
    alignas(64) Real values[degree + 3][width] = {};

    constexpr ExpConstants() {
        for (Index l = 0; l < width; ++l) {
            for (int n = 0; n <= degree; ++n) values[n][l] = BitsOf<Real>::q[n];
            values[one][l] = 1;
            values[magic][l] = BitsOf<Real>::magic;
        }
    }
};
template <class Real, Index width>
inline constexpr ExpConstants<Real, width> exp_constants{};

template <Level level, class Real>
struct Code {
    static constexpr int bytes = level == Level::avx512 ? 64 : level == Level::avx2 ? 32 : 16;
    using V = typename VectorOf<Real, bytes>::type;
    using D = typename VectorOf<double, bytes>::type;
    static constexpr Index width = bytes / sizeof(Real);
    static constexpr Index wide = bytes / 8;             // doubles in a register
    static constexpr Index halves = width / wide;        // D's for the numbers of one V
    static constexpr Index parts = lanes<Real> / width;  // V's in the samples of one block
    // As many Reals as there are doubles in a D.
    using H = typename UnalignedVectorOf<Real, static_cast<int>(sizeof(Real)) * wide>::type;
    // Independent sums in flight, to hide the latency of the multiply-add.
    static constexpr Index unroll = 4;
    // A single-precision sum is moved to double precision after this many features.
    static constexpr Index segment = sizeof(Real) == 4 ? 256 : (Index{1} << 60);

    static V load(const Real* p) { return *reinterpret_cast<const V*>(p); }
    static void store(Real* p, V v) { *reinterpret_cast<V*>(p) = v; }
    static D load_wide(const double* p) { return *reinterpret_cast<const D*>(p); }
    static void store_wide(double* p, D v) { *reinterpret_cast<D*>(p) = v; }
    // As many Reals as a D holds, as doubles; and back.
    static D load_widened(const Real* p) {
#ifdef __aarch64__
        // GCC would convert number by number.
        if constexpr (sizeof(Real) == sizeof(float)) return (D)vcvt_f64_f32(vld1_f32(p));
#endif
        return __builtin_convertvector(*reinterpret_cast<const H*>(p), D);
    }
    static void store_narrowed(Real* p, D v) {
#ifdef __aarch64__
        if constexpr (sizeof(Real) == sizeof(float)) {
            return vst1_f32(p, vcvt_f32_f64((float64x2_t)v));
        }
#endif
        *reinterpret_cast<H*>(p) = __builtin_convertvector(v, H);
    }
    // The numbered lanes of two vectors, those of the second one behind those of the first.
    template <class S, class Lane, Lane... lane>
    static S pick_lanes(S first, S second, std::integer_sequence<Lane, lane...>) {
#if __has_builtin(__builtin_shufflevector)
        return __builtin_shufflevector(first, second, lane...);
#else
        // GCC 11.
        using I = typename BitsOf<std::remove_cvref_t<decltype(first[0])> >::integer;
        typedef typename VectorOf<I, sizeof(S)>::type Lanes;
        return __builtin_shuffle(first, second, Lanes{static_cast<I>(lane)...});
#endif
    }
    // Lane l of the result is lane l + by of v, in a circle.
    template <std::size_t by, class S, std::size_t... lane>
    static S rotate(S v, std::index_sequence<lane...>) {
        return pick_lanes(v, v, std::index_sequence<(lane + by) % sizeof...(lane)...>{});
    }
    // The smallest lane, in all lanes. Without branches: which lane wins cannot be predicted.
    template <class S, std::size_t by = sizeof(S) / sizeof(S{}[0]) / 2>
    static S spread_lowest(S v) {
        const S other = rotate<by>(v, std::make_index_sequence<sizeof(S) / sizeof(v[0])>{});
        const S lower = other < v ? other : v;
        if constexpr (by > 1) {
            return spread_lowest<S, by / 2>(lower);
        } else {
            return lower;
        }
    }
    // The lower and the higher one of two numbers in each lane; of a number and none, the number.
    // Compilers make one instruction of the comparison for x86, but three for ARM.
    static D lower(D a, D b) {
#ifdef __aarch64__
        return (D)vminnmq_f64((float64x2_t)a, (float64x2_t)b);
#else
        return a < b ? a : b;
#endif
    }
    static D higher(D a, D b) {
#ifdef __aarch64__
        return (D)vmaxnmq_f64((float64x2_t)a, (float64x2_t)b);
#else
        return a > b ? a : b;
#endif
    }
    // The lower one of two numbers in each lane; none, if one of them is none.
    static V clipped(V x, V most) {
#ifdef __aarch64__
        if constexpr (sizeof(Real) == sizeof(double)) {
            return (V)vminq_f64((float64x2_t)x, (float64x2_t)most);
        } else {
            return (V)vminq_f32((float32x4_t)x, (float32x4_t)most);
        }
#else
        return x > most ? most : x;
#endif
    }
    static V magnitude(V x) {
#ifdef __aarch64__
        if constexpr (sizeof(Real) == sizeof(double)) {
            return (V)vabsq_f64((float64x2_t)x);
        } else {
            return (V)vabsq_f32((float32x4_t)x);
        }
#else
        return x < 0 ? -x : x;
#endif
    }
    static Index end_of_segment(Index first, Index n_features) {
        return n_features - first < segment ? n_features : first + segment;
    }
    // total[0 .. halves) += sum, in double precision.
    static void add_widened(V sum, D* total) {
        Real values[width] __attribute__((aligned(64)));
        store(values, sum);
        for (Index h = 0; h < halves; ++h) total[h] += load_widened(values + h * wide);
    }

    // x * y + sum with one rounding where the processor can, explicitly: left to itself the
    // compiler fuses in one loop and not in another, |x|^2 would differ from x.x, and a kernel
    // value would depend on how many threads share a column.
    template <class S>
    static S fused(S x, S y, S sum) {
        if constexpr (sizeof(S) == sizeof(double) && !is_vector<S>) {
#ifdef SVMOSAIC_FMA
            return __builtin_fma(x, y, sum);
#endif
        } else if constexpr (!is_vector<S>) {
#ifdef SVMOSAIC_FMA
            return __builtin_fmaf(x, y, sum);
#endif
        } else {
#ifdef __FMA__
            constexpr bool is_double = sizeof(x[0]) == sizeof(double);
            if constexpr (bytes == 64) {
                if constexpr (is_double) return _mm512_fmadd_pd(x, y, sum);
                if constexpr (!is_double) return _mm512_fmadd_ps(x, y, sum);
            } else if constexpr (bytes == 32) {
                if constexpr (is_double) return _mm256_fmadd_pd(x, y, sum);
                if constexpr (!is_double) return _mm256_fmadd_ps(x, y, sum);
            }
#elif defined(__aarch64__)
            // Left to a loop over the lanes, GCC takes the vectors apart where they came from a
            // comparison.
            static_assert(sizeof(S) == 16);
            if constexpr (sizeof(x[0]) == sizeof(double)) {
                return (S)vfmaq_f64((float64x2_t)sum, (float64x2_t)x, (float64x2_t)y);
            } else {
                return (S)vfmaq_f32((float32x4_t)sum, (float32x4_t)x, (float32x4_t)y);
            }
#elif defined(SVMOSAIC_FMA)
            constexpr int n = static_cast<int>(sizeof(S) / sizeof(x[0]));
            for (int l = 0; l < n; ++l) sum[l] = fused(x[l], y[l], sum[l]);
            return sum;
#endif
        }
        return x * y + sum;
    }

    struct SquaredDistance {
        static V step(V sum, V x, Real q) {
            const V t = x - q;
            return fused(t, t, sum);
        }
    };
    struct DotProduct {
        // q - 0 is q, and no instruction; 0 + q would be an addition, because of -0.
        static V step(V sum, V x, Real q) { return fused(x, q - V{}, sum); }
    };
    struct ManhattanDistance {
        static V step(V sum, V x, Real q) { return sum + magnitude(x - q); }
    };

    // `n_chains` parts of samples, from part `first_part` on, against one query.
    template <class Op, Index n_chains>
    static void accumulate(const Real* blocks, Index first_part, Index n_features,
                           const Real* query, Real* out) {
        const Real* base[n_chains];
        for (Index u = 0; u < n_chains; ++u) {
            const Index part = first_part + u;
            base[u] = blocks + (part / parts) * n_features * lanes<Real> + (part % parts) * width;
        }
        V sum[n_chains] = {};
        D total[n_chains * halves] = {};
        for (Index first = 0; first < n_features; first += segment) {
            const Index last = end_of_segment(first, n_features);
            for (Index f = first; f < last; ++f) {
                for (Index u = 0; u < n_chains; ++u) {
                    sum[u] = Op::step(sum[u], load(base[u] + f * lanes<Real>), query[f]);
                }
            }
            if (n_features <= segment) break;
            for (Index u = 0; u < n_chains; ++u) {
                add_widened(sum[u], total + u * halves);
                sum[u] = V{};
            }
        }
        for (Index u = 0; u < n_chains; ++u) {
            Real* at = out + (first_part + u) * width;
            if (n_features <= segment) {
                store(at, sum[u]);
            } else {
                for (Index h = 0; h < halves; ++h) {
                    store_narrowed(at + h * wide, total[u * halves + h]);
                }
            }
        }
    }

    template <class Op>
    static void against_blocks(const Real* blocks, Index n_blocks, Index n_features,
                               const Real* query, Real* out) {
        const Index n_parts = n_blocks * parts;
        Index part = 0;
        for (; part + unroll <= n_parts; part += unroll) {
            accumulate<Op, unroll>(blocks, part, n_features, query, out);
        }
        for (; part < n_parts; ++part) accumulate<Op, 1>(blocks, part, n_features, query, out);
    }

    // exp(factor * x) for x >= 0 and factor <= 0, as 2^(k + f) with an integer k and |f| <= 1/2.
    // The rounding of factor / ln 2 counts no more than that of factor * x, which is never formed.
    struct ScaledExp {
        using Bits = BitsOf<Real>;
        typedef typename VectorOf<typename Bits::type, bytes>::type I;
        Real rate;
        Real most;  // from here on the exponent is written as 0, and so is the result

        explicit ScaledExp(double factor)
            : rate(static_cast<Real>(factor * 1.44269504088896340736)),
              most(rate < 0 ? Bits::bias / -rate : Bits::magic) {}

        V operator()(V x) const {
            using Constants = ExpConstants<Real, width>;
            const auto* known = &exp_constants<Real, width>;
#ifdef __aarch64__
            // A multiply-add overwrites what it adds to, so each constant has to be copied. From
            // register to register that takes as long as a multiply-add, from memory nothing. The
            // compiler copies registers, unless it does not know where the constants are.
            asm("" : "+r"(known));
#endif
            const auto constant = [known](int n) { return load(known->values[n]); };
            x = clipped(x, V{} + most);
            const V rates = V{} + rate;
            const V shifted = fused(x, rates, constant(Constants::magic));
            const V minus_k = Bits::magic - shifted;
            const V f = fused(x, rates, minus_k);
            // Even and odd powers apart: two chains of half the length, for one more product.
            constexpr int degree = Constants::degree;
            const V square = f * f;
            V last = constant(degree);
            V other = constant(degree - 1);
            for (int n = degree - 2; n >= 0; n -= 2) last = fused(last, square, constant(n));
            for (int n = degree - 3; n >= 0; n -= 2) other = fused(other, square, constant(n));
            const V q = degree % 2 == 0 ? fused(f, other, last) : fused(f, last, other);
            const V p = fused(f, q, constant(Constants::one));
            // The low bits of `shifted` hold the exponent of 2^k.
            return p * reinterpret_cast<V>(reinterpret_cast<I>(shifted) << Bits::mantissa);
        }
    };

    // The vectors of a block, written out one by one: the instructions of one exponential wait for
    // each other, and those of the others fill the time. AVX2 has too few registers for its many
    // constants, and no need of it.
    static constexpr Index side_by_side = level == Level::avx2 ? 1 : parts;
    static constexpr Index stride = side_by_side * width;
    static constexpr auto vectors = std::make_integer_sequence<Index, side_by_side>{};

    template <class Function, Index... v>
    static void replace_values(Real* values, const Function& of,
                               std::integer_sequence<Index, v...>) {
        const V found[] = {of(load(values + v * width))...};
        (store(values + v * width, found[v]), ...);
    }

    static void scaled_exp(Real* values, Index n, double factor) {
        const ScaledExp exp(factor);
        for (Index i = 0; i < n; i += stride) replace_values(values + i, exp, vectors);
    }

    // sums[i] += the sum over m of factors[m] of(values[m][i])
    template <class Function>
    static void add_function(Real* const* values, Index n_columns, const double* factors,
                             const Function& of, double* sums, Index n) {
        for (Index i = 0; i < n; i += stride) {
            add_sums(values, n_columns, factors, of, sums, i, vectors);
        }
    }

    template <class Function, Index... v>
    static void add_sums(Real* const* values, Index n_columns, const double* factors,
                         const Function& of, double* sums, Index i,
                         std::integer_sequence<Index, v...>) {
        V sum[side_by_side] = {};
        for (Index m = 0; m < n_columns; ++m) {
            const V factor = static_cast<Real>(factors[m]) - V{};
            const V found[] = {of(load(values[m] + i + v * width))...};
            ((sum[v] = fused(found[v], factor, sum[v])), ...);
        }
        Real buffer[stride] __attribute__((aligned(64)));
        (store(buffer + v * width, sum[v]), ...);
        for (Index l = 0; l < stride; l += wide) {
            store_wide(sums + i + l, load_wide(sums + i + l) + load_widened(buffer + l));
        }
    }

    static void add_exps(Real* const* values, Index n_columns, const double* factors, double scale,
                         double* sums, Index n) {
        add_function(values, n_columns, factors, ScaledExp(scale), sums, n);
    }

    static void add_columns(Real* const* values, Index n_columns, const double* factors,
                            double* sums, Index n) {
        add_function(values, n_columns, factors, [](V value) { return value; }, sums, n);
    }

    static V lesser(V a, V b) { return a < b ? a : b; }

    static Real smallest_sum(const Real* a, const Real* b, Index n) {
        // Four minima hide the latency of a comparison; by name, so that they stay in registers.
        V best0 = load(a) + load(b);
        V best1 = best0;
        V best2 = best0;
        V best3 = best0;
        Index i = 0;
        for (; i + 4 * width <= n; i += 4 * width) {
            best0 = lesser(best0, load(a + i) + load(b + i));
            best1 = lesser(best1, load(a + i + width) + load(b + i + width));
            best2 = lesser(best2, load(a + i + 2 * width) + load(b + i + 2 * width));
            best3 = lesser(best3, load(a + i + 3 * width) + load(b + i + 3 * width));
        }
        for (; i < n; i += width) best0 = lesser(best0, load(a + i) + load(b + i));
        return spread_lowest(lesser(lesser(best0, best1), lesser(best2, best3)))[0];
    }
};

}  // namespace svmosaic::simd
