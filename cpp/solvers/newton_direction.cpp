#include "solvers/newton_direction.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace svmosaic {

namespace {

// Relative to the largest diagonal entry.
constexpr double ridge = 1e-11;

// A = L L' in the lower half of A. False when a pivot is not positive.
bool factorise(std::span<double> A, std::size_t n) {
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = j; i < n; ++i) {
            const double* row_i = A.data() + i * n;
            const double* row_j = A.data() + j * n;
            const double rest = A[i * n + j] - std::inner_product(row_i, row_i + j, row_j, 0.0);
            if (i == j) {
                if (!(rest > 0.0)) return false;
                A[j * n + j] = std::sqrt(rest);
            } else {
                A[i * n + j] = rest / A[j * n + j];
            }
        }
    }
    return true;
}

bool factorise_with_ridge(std::span<double> A, std::size_t n) {
    double largest = 0.0;
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, A[i * n + i]);
    for (std::size_t i = 0; i < n; ++i) A[i * n + i] += ridge * largest;
    return factorise(A, n);
}

std::vector<double> solve(std::span<const double> L, std::vector<double> b) {
    const std::size_t n = b.size();
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < i; ++k) b[i] -= L[i * n + k] * b[k];
        b[i] /= L[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) b[i] -= L[k * n + i] * b[k];
        b[i] /= L[i * n + i];
    }
    return b;
}

}  // namespace

std::vector<double> newton_direction(std::span<double> A, std::span<const double> s) {
    const std::size_t n = s.size();
    if (!factorise_with_ridge(A, n)) return {};
    const auto from_slope = solve(A, {s.begin(), s.end()});
    const auto from_sum = solve(A, std::vector<double>(n, 1.0));
    const double multiplier = std::accumulate(from_slope.begin(), from_slope.end(), 0.0) /
                              std::accumulate(from_sum.begin(), from_sum.end(), 0.0);
    std::vector<double> step(n);
    for (std::size_t i = 0; i < n; ++i) step[i] = multiplier * from_sum[i] - from_slope[i];
    return step;
}

std::vector<double> newton_direction_free(std::span<double> A, std::span<const double> s) {
    if (!factorise_with_ridge(A, s.size())) return {};
    auto step = solve(A, {s.begin(), s.end()});
    for (double& value : step) value = -value;
    return step;
}

}  // namespace svmosaic
