// Checks that count instead of stopping, and the small tables that the tests share.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem.hpp"
#include "core/rows.hpp"
#include "simd/loops.hpp"

namespace svmosaic::test {

struct Tally {
    std::atomic<std::int64_t> checks{0};
    std::atomic<std::int64_t> failures{0};
};

inline Tally& tally() {
    static Tally counts;
    return counts;
}

// Where a check was called. Clang 14 has no std::source_location.
struct Place {
    const char* file;
    const char* function;
    int line;

    static constexpr Place here(const char* file = __builtin_FILE(),
                                const char* function = __builtin_FUNCTION(),
                                int line = __builtin_LINE()) {
        return {file, function, line};
    }
};

inline void check(bool ok, std::string_view what, Place where = Place::here()) {
    ++tally().checks;
    if (ok) return;
    ++tally().failures;
    std::fprintf(stderr, "%s:%d: in %s: %.*s\n", where.file, where.line, where.function,
                 static_cast<int>(what.size()), what.data());
}

// |value - expected| <= tolerance * max(1, |expected|). Equal infinities are near each other.
inline void check_near(double value, double expected, double tolerance, std::string_view what,
                       Place where = Place::here()) {
    const double allowed = tolerance * std::max(1.0, std::abs(expected));
    if (value == expected || std::abs(value - expected) <= allowed) {
        check(true, what, where);
        return;
    }
    check(false,
          std::string(what) + ": got " + std::to_string(value) + ", expected " +
              std::to_string(expected),
          where);
}

// Tables ----------------------------------------------------------------------------------------

inline std::vector<Index> count_up(Index n) {
    std::vector<Index> numbers(n);
    std::iota(numbers.begin(), numbers.end(), Index{0});
    return numbers;
}

// Numbers that are the same on every platform; the standard distributions are not.
class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    double uniform(double low, double high) {
        return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
    }
    Index below(Index n) { return engine_() % static_cast<std::uint64_t>(n); }

    void shuffle(std::vector<Index>& values) {
        for (Index i = values.size(); i > 1; --i) {
            std::swap(values[i - 1], values[below(i)]);
        }
    }

  private:
    std::mt19937_64 engine_;
};

template <class Real>
struct Samples {
    Index n_rows = 0;
    Index n_columns = 0;
    std::vector<Real> values;

    DenseRows<Real> rows() const { return {values.data(), n_rows, n_columns}; }
    std::span<const Real> row(Index i) const { return rows().row(i); }
};

// Values of size 1/sqrt(n_columns), so that dot products and distances are about 1; a share
// `density` of them is not zero.
template <class Real>
Samples<Real> random_samples(Index n_rows, Index n_columns, std::uint64_t seed,
                             double density = 1.0) {
    Random random(seed);
    Samples<Real> samples{n_rows, n_columns, std::vector<Real>(n_rows * n_columns)};
    const double scale = 1.0 / std::sqrt(static_cast<double>(std::max<Index>(1, n_columns)));
    for (Real& value : samples.values) {
        const double drawn = random.uniform(-scale, scale);
        value = random.uniform(0.0, 1.0) < density ? static_cast<Real>(drawn) : Real{0};
    }
    return samples;
}

template <class Real>
struct Sparse {
    Index n_columns = 0;
    std::vector<Real> values;
    std::vector<std::int32_t> columns;
    std::vector<std::int64_t> offsets{0};

    CsrRows<Real> rows() const {
        return {values.data(), IndexView(columns), IndexView(offsets), ssize(offsets) - 1,
                n_columns};
    }
};

template <class Real>
Sparse<Real> sparse_copy(const Samples<Real>& samples) {
    Sparse<Real> sparse;
    sparse.n_columns = samples.n_columns;
    for (Index i = 0; i < samples.n_rows; ++i) {
        const auto row = samples.row(i);
        for (Index f = 0; f < ssize(row); ++f) {
            if (row[f] == Real{0}) continue;
            sparse.values.push_back(row[f]);
            sparse.columns.push_back(static_cast<std::int32_t>(f));
        }
        sparse.offsets.push_back(static_cast<std::int64_t>(sparse.values.size()));
    }
    return sparse;
}

template <class Real>
double naive_base(KernelKind kind, std::span<const Real> x, std::span<const Real> z) {
    double sum = 0.0;
    for (Index f = 0; f < ssize(x); ++f) {
        const auto a = static_cast<double>(x[f]);
        const auto b = static_cast<double>(z[f]);
        sum += kind == KernelKind::rbf         ? (a - b) * (a - b)
               : kind == KernelKind::laplacian ? std::abs(a - b)
                                               : a * b;
    }
    return sum;
}

inline double naive_kernel_of(const KernelSpec& kernel, double base) {
    switch (kernel.kind) {
        case KernelKind::rbf:
        case KernelKind::laplacian:
            return std::exp(-kernel.gamma * base);
        case KernelKind::poly:
            return std::pow(kernel.gamma * base + kernel.coef0, static_cast<double>(kernel.degree));
        case KernelKind::sigmoid:
            return std::tanh(kernel.gamma * base + kernel.coef0);
        case KernelKind::linear:
        case KernelKind::precomputed:
            break;
    }
    return base;
}

template <class Real>
double naive_kernel(const KernelSpec& kernel, std::span<const Real> x, std::span<const Real> z) {
    return naive_kernel_of(kernel, naive_base(kernel.kind, x, z));
}

// Arrays that a Problem borrows.
struct ProblemArrays {
    std::vector<Index> samples;
    std::vector<double> targets;
    std::vector<double> weights;
    Index start = 0;

    Problem view() const { return {samples, targets, weights, start}; }
};

// The sign of a curve through the table, flipped for a share `noise` of the samples.
template <class Real>
ProblemArrays random_problem(const Samples<Real>& table, std::uint64_t seed, double noise) {
    Random random(seed);
    ProblemArrays problem;
    problem.samples = count_up(table.n_rows);
    for (Index i = 0; i < table.n_rows; ++i) {
        const auto row = table.row(i);
        const double x = static_cast<double>(row[0]);
        const double z = static_cast<double>(row[row.size() - 1]);
        const double side = x + 2.0 * z * z > 0.1 ? 1.0 : -1.0;
        problem.targets.push_back(random.uniform(0.0, 1.0) < noise ? -side : side);
    }
    problem.weights.assign(problem.samples.size(), 1.0);
    return problem;
}

inline std::vector<simd::Level> available_levels() {
    std::vector<simd::Level> levels;
    for (const auto level : {simd::Level::baseline, simd::Level::avx2, simd::Level::avx512}) {
        if (level <= simd::best_level()) levels.push_back(level);
    }
    return levels;
}

// Uses a SIMD level until the end of its scope.
class ForcedLevel {
  public:
    explicit ForcedLevel(simd::Level level) : before_(simd::current_level()) {
        simd::force_level(level);
    }
    ~ForcedLevel() { simd::force_level(before_); }
    ForcedLevel(const ForcedLevel&) = delete;
    ForcedLevel& operator=(const ForcedLevel&) = delete;

  private:
    simd::Level before_;
};

}  // namespace svmosaic::test
