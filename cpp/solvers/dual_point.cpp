#include "solvers/dual_point.hpp"

#include <algorithm>
#include <limits>

namespace svmosaic {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Passes over fewer variables than this are not shared between threads.
constexpr Index range_size = 16'384;

}  // namespace

template <class Real>
DualPoint<Real>::DualPoint(KernelColumns<Real>& columns, double offset)
    : columns_(columns), offset_(offset) {}

template <class Real>
Index DualPoint<Real>::n_ranges() const {
    return (columns_.padded_size() + range_size - 1) / range_size;
}

template <class Real>
void DualPoint<Real>::enter(std::span<const double> targets, std::span<const double> softness,
                            std::span<const double> gradients) {
    const auto known = static_cast<std::ptrdiff_t>(size());
    const auto padded = static_cast<std::size_t>(columns_.padded_size());
    alpha_.resize(size() + targets.size(), 0.0);
    softness_.insert(softness_.end(), softness.begin(), softness.end());
    targets_.resize(padded, 1.0);
    gradient_.resize(padded, infinity);
    std::copy(targets.begin(), targets.end(), targets_.begin() + known);
    std::copy(gradients.begin(), gradients.end(), gradient_.begin() + known);
    range_lowest_.resize(static_cast<std::size_t>(n_ranges()));
    for (Index range = 0; range < n_ranges(); ++range) {
        const auto begin = gradient_.begin() + range * range_size;
        const auto end =
            gradient_.begin() + std::min((range + 1) * range_size, columns_.padded_size());
        range_lowest_[static_cast<std::size_t>(range)] = *std::min_element(begin, end);
    }
}

template <class Real>
double DualPoint<Real>::diagonal(Index i) {
    const auto at = static_cast<std::size_t>(i);
    return columns_.diagonal()[at] + offset_ + softness_[at];
}

template <class Real>
double DualPoint<Real>::curvature(Index i, Index j) {
    const double k_ij = static_cast<double>(columns_.column(i)[j]);
    return diagonal(i) + diagonal(j) - 2.0 * target(i) * target(j) * (k_ij + offset_);
}

template <class Real>
void DualPoint<Real>::row(Index i, std::span<const Index> others, double* values) {
    const Real* column = columns_.column(i);
    for (const Index j : others) {
        *values++ = target(i) * target(j) * (static_cast<double>(column[j]) + offset_);
    }
}

template <class Real>
void DualPoint<Real>::move(Index i, double value) {
    const auto at = static_cast<std::size_t>(i);
    if (alpha_[at] == 0.0 && value > 0.0) held_.push_back(i);
    if (alpha_[at] > 0.0 && value == 0.0) std::erase(held_, i);
    const double delta = value - alpha_[at];
    alpha_[at] = value;

    // g_k += delta y_k y_i (k_ki + offset), and the softness for k = i alone.
    gradient_[at] += delta * softness_[at];
    const double step = delta * targets_[at];
    const Real* column = columns_.column(i);
    const auto& loops = simd::loops<Real>();
    columns_.pool().run(n_ranges(), [&](Index range) {
        const Index begin = range * range_size;
        const Index length = std::min(range_size, columns_.padded_size() - begin);
        range_lowest_[static_cast<std::size_t>(range)] =
            loops.update_scores(column + begin, targets_.data() + begin, step, step * offset_,
                                gradient_.data() + begin, length);
    });
}

template <class Real>
simd::Extreme DualPoint<Real>::lowest() const {
    const auto range = std::min_element(range_lowest_.begin(), range_lowest_.end());
    const auto begin = gradient_.begin() + (range - range_lowest_.begin()) * range_size;
    const auto found = std::find(begin, gradient_.end(), *range);
    if (found == gradient_.end()) return {*range, -1};
    return {*range, static_cast<Index>(found - gradient_.begin())};
}

template <class Real>
simd::Extreme DualPoint<Real>::lowest(double target) const {
    simd::Extreme best{infinity, -1};
    for (std::size_t k = 0; k < size(); ++k) {
        if (targets_[k] == target && gradient_[k] < best.value) {
            best = {gradient_[k], static_cast<Index>(k)};
        }
    }
    return best;
}

template <class Real>
simd::Extreme DualPoint<Real>::highest_held() const {
    simd::Extreme best{-infinity, -1};
    for (const Index k : held_) {
        if (gradient(k) > best.value) best = {gradient(k), k};
    }
    return best;
}

template <class Real>
simd::Extreme DualPoint<Real>::highest_held(double wanted) const {
    simd::Extreme best{-infinity, -1};
    for (const Index k : held_) {
        if (target(k) == wanted && gradient(k) > best.value) best = {gradient(k), k};
    }
    return best;
}

template class DualPoint<float>;
template class DualPoint<double>;

}  // namespace svmosaic
