#include "solvers/shrinking_system.hpp"

#include <algorithm>

#include "simd/loops.hpp"

namespace svmosaic {

bool ShrinkingSystem::begin(NewtonSystem& system) {
    system_ = &system;
    if (!system.solve()) return false;
    const auto x = system.solution();
    const auto y = system.solution_for_ones();
    x_.assign(system.stride(), 0.0);
    y_.assign(system.stride(), 0.0);
    std::ranges::copy(x, x_.begin());
    std::ranges::copy(y, y_.begin());
    fixed_.clear();
    is_fixed_.assign(x.size(), 0);
    return true;
}

bool ShrinkingSystem::fix(Index a) {
    const auto add = [&](const AlignedVector<double>& column, double factor, auto& sums) {
        simd::loops<double>().add_scaled(column.data(), factor, sums.data(), ssize(sums));
    };
    const Index n_before = ssize(fixed_);
    if (ssize(columns_) == n_before) columns_.emplace_back();
    auto& z = columns_[n_before];
    z.assign(x_.size(), 0.0);
    system_->solve_for_column(a, z);
    for (Index p = 0; p < n_before; ++p) {
        const Index b = fixed_[p];
        add(columns_[p], -z[b] / columns_[p][b], z);
        z[b] = 0.0;
    }
    fixed_.push_back(a);
    is_fixed_[a] = 1;
    if (!(z[a] > 0.0)) return false;
    add(z, -x_[a] / z[a], x_);
    add(z, -y_[a] / z[a], y_);
    x_[a] = y_[a] = 0.0;
    return true;
}

}  // namespace svmosaic
