#include "solvers/newton_system.hpp"

#include <algorithm>

#include "simd/loops.hpp"

namespace svmosaic {

void NewtonSystem::resize(Index n) {
    n_ = n;
    stride_ = (n + 7) / 8 * 8;
    const auto size = static_cast<std::size_t>(stride_ * stride_);
    if (matrix_.size() < size) matrix_.resize(size);
    solution_.assign(stride_, 0.0);
    for_ones_.assign(stride_, 0.0);
    std::fill_n(for_ones_.begin(), n, 1.0);
    for (Index a = 0; a < n; ++a) std::fill(row(a) + n, row(a) + stride_, 0.0);
}

void NewtonSystem::add_ridge(double share) {
    double largest = 0.0;
    for (Index a = 0; a < n_; ++a) largest = std::max(largest, row(a)[a]);
    for (Index a = 0; a < n_; ++a) row(a)[a] += share * largest;
}

bool NewtonSystem::solve() {
    if (!factorise()) return false;
    solve_factored();
    return true;
}

bool NewtonSystem::factorise(Monitor* monitor) {
    const Index piece = n_ < simd::least_to_split ? n_ : simd::factor_panel;
    for (Index row = 0; row < n_; row += piece) {
        if (monitor && monitor->should_stop(0)) return false;
        const Index end = std::min(row + piece, n_);
        if (!simd::algebra().factorise(matrix_.data(), stride_, n_, row, end)) return false;
    }
    return true;
}

void NewtonSystem::solve_factored() {
    solve_factored(solution_, for_ones_);
}

void NewtonSystem::solve_factored(std::span<double> b, std::span<double> c) const {
    simd::algebra().solve_factored(matrix_.data(), stride_, n_, b.data(), c.data());
}

void NewtonSystem::solve_for_column(Index a, std::span<double> z) const {
    simd::algebra().solve_for_column(matrix_.data(), stride_, n_, a, z.data());
}

}  // namespace svmosaic
