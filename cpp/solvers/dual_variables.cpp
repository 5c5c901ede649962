#include "solvers/dual_variables.hpp"

#include <cmath>

namespace svmosaic {

namespace {

// Curvature of a pair of (nearly) identical samples, or of a kernel that is not positive definite.
constexpr double least_curvature = 1e-12;

}  // namespace

void DualVariables::resize(Index n, Index padded) {
    size = n;
    for (auto* values : {&beta, &lower, &upper, &gradient, &diagonal}) values->assign(padded, 0.0);
    up.assign(padded, infinity);
    low.assign(padded, -infinity);
    n_free = 0;
    largest = 0.0;
}

void DualVariables::mark_all() {
    n_free = simd::loops<double>().mark_bounds(beta.data(), lower.data(), upper.data(), epsilon,
                                               up.data(), low.data(), padded());
    for (Index k = 0; k < size; ++k) largest = std::max(largest, std::abs(beta[k]));
}

void DualVariables::stretch(double ratio, double factor, const AlignedVector<double>& target) {
    for (Index k = 0; k < size; ++k) {
        lower[k] *= ratio;
        upper[k] *= ratio;
        beta[k] = std::min(std::max(factor * beta[k], lower[k]), upper[k]);
        gradient[k] = factor * (gradient[k] + target[k]) - target[k];
    }
    mark_all();
}

// beta_i grows and beta_j shrinks by the same amount, which keeps their sum.
template <class Real>
double PairSteps<Real>::move(DualVariables& v, Index i, Index j, double k_ij) {
    const double curvature = std::max(v.diagonal[i] + v.diagonal[j] - 2.0 * k_ij, least_curvature);
    const double end_i = v.end_of(i, true);
    const double end_j = v.end_of(j, false);
    const double room_i = end_i - v.beta[i];
    const double room_j = v.beta[j] - end_j;
    const double slope = (v.gradient[j] + v.low[j]) - (v.gradient[i] + v.up[i]);
    const double delta = std::min({slope / curvature, room_i, room_j});
    // Both may get to their ends together, where all others are at bounds.
    v.beta[i] = either(room_i - delta <= v.nearly(i, delta), end_i, v.beta[i] + delta);
    v.beta[j] = either(room_j - delta <= v.nearly(j, delta), end_j, v.beta[j] - delta);
    v.mark(i);
    v.mark(j);
    return delta;
}

template <class Real>
template <class Task>
void PairSteps<Real>::for_ranges(const DualVariables& v, const Task& task) {
    const Index n = (v.padded() + range_size - 1) / range_size;
    const auto one = [&](Index range) {
        const Index begin = range * range_size;
        task(range, begin, std::min(range_size, v.padded() - begin));
    };
    if (pool_) {
        pool_->run(n, one);
    } else {
        for (Index range = 0; range < n; ++range) one(range);
    }
}

template <class Real>
Index PairSteps<Real>::second_of_ranges(const DualVariables& v, Index i, const Real* column_i) {
    auto& found = second_of_range_;
    found.resize(v.padded() / range_size + 1);
    std::fill(found.begin(), found.end(), simd::Extreme{0.0, -1});
    for_ranges(v, [&](Index range, Index begin, Index length) {
        found[range] = second_in(v, i, column_i, begin, length);
        if (found[range].index >= 0) found[range].index += begin;
    });
    simd::Extreme winner{0.0, -1};
    for (const auto& best : found) {
        if (best.index >= 0 && (winner.index < 0 || best.value > winner.value)) winner = best;
    }
    return winner.index;
}

template <class Real>
void PairSteps<Real>::update_ranges(DualVariables& v, const Real* column_i, const Real* column_j,
                                    double delta) {
    const simd::PairExtremes none{{infinity, -1}, -infinity};
    auto& found = extremes_of_range_;
    found.resize(v.padded() / range_size + 1);
    std::fill(found.begin(), found.end(), none);
    for_ranges(v, [&](Index range, Index begin, Index length) {
        found[range] = update_in(v, column_i, column_j, delta, begin, length);
        if (found[range].lowest_up.index >= 0) found[range].lowest_up.index += begin;
    });
    v.extremes = none;
    for (const auto& part : found) {
        if (part.lowest_up.index >= 0 && part.lowest_up.value < v.extremes.lowest_up.value) {
            v.extremes.lowest_up = part.lowest_up;
        }
        v.extremes.highest_low = std::max(v.extremes.highest_low, part.highest_low);
    }
}

template class PairSteps<float>;
template class PairSteps<double>;

}  // namespace svmosaic
