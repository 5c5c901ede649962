#include "solvers/dual_point.hpp"

#include <algorithm>

#include "core/infinity.hpp"

namespace svmosaic {

namespace {

// Passes over fewer variables than this are not shared between threads.
constexpr Index range_size = 16'384;

}  // namespace

template <class Real>
DualPoint<Real>::DualPoint(KernelColumns<Real>& columns, double offset)
    : columns_(columns), offset_(offset), n_ahead_(columns.computer().cheap_block()) {}

template <class Real>
Index DualPoint<Real>::n_ranges() const {
    return (columns_.padded_size() + range_size - 1) / range_size;
}

template <class Real>
void DualPoint<Real>::enter(std::span<const double> targets, std::span<const double> softness,
                            std::span<const double> gradients) {
    const auto known = size();
    const Index padded = columns_.padded_size();
    alpha_.resize(size() + targets.size(), 0.0);
    ahead_.resize(size(), false);
    softness_.insert(softness_.end(), softness.begin(), softness.end());
    targets_.resize(padded, 1.0);
    gradient_.resize(padded, infinity);
    std::copy(targets.begin(), targets.end(), targets_.begin() + known);
    std::copy(gradients.begin(), gradients.end(), gradient_.begin() + known);
    range_lowest_.resize(n_ranges());
    for (Index range = 0; range < n_ranges(); ++range) {
        const auto begin = gradient_.begin() + range * range_size;
        const auto end =
            gradient_.begin() + std::min((range + 1) * range_size, columns_.padded_size());
        range_lowest_[range] = *std::min_element(begin, end);
    }
}

template <class Real>
double DualPoint<Real>::diagonal(Index i) {
    return columns_.diagonal()[i] + offset_ + softness_[i];
}

template <class Real>
double DualPoint<Real>::curvature(Index i, Index j) {
    const double k_ij = static_cast<double>(column(i)[j]);
    return diagonal(i) + diagonal(j) - 2.0 * target(i) * target(j) * (k_ij + offset_);
}

template <class Real>
void DualPoint<Real>::row(Index i, std::span<const Index> others, double* values) {
    const Real* k_i = column(i);
    for (const Index j : others) {
        *values++ = target(i) * target(j) * (static_cast<double>(k_i[j]) + offset_);
    }
}

template <class Real>
void DualPoint<Real>::move(Index i, double value) {
    if (alpha_[i] == 0.0 && value > 0.0) held_.push_back(i);
    if (alpha_[i] > 0.0 && value == 0.0) std::erase(held_, i);
    const double delta = value - alpha_[i];
    alpha_[i] = value;

    // g_k += delta y_k y_i (k_ki + offset), and the softness for k = i alone.
    gradient_[i] += delta * softness_[i];
    const double step = delta * targets_[i];
    const Real* k_i = column(i);
    const auto& loops = simd::loops<Real>();
    columns_.computer().pool().run(n_ranges(), [&](Index range) {
        const Index begin = range * range_size;
        const Index length = std::min(range_size, columns_.padded_size() - begin);
        range_lowest_[range] =
            loops.update_scores(k_i + begin, targets_.data() + begin, step, step * offset_,
                                gradient_.data() + begin, length);
    });
}

template <class Real>
const Real* DualPoint<Real>::column(Index i) {
    if (ahead_[i]) {
        ahead_[i] = false;
        ++n_of_use_;
    } else if (!columns_.holds(i) && columns_.gains_by_blocks()) {
        // As many as were of use since the last time, and more when all were.
        if (3 * n_of_use_ >= n_ahead_) n_ahead_ = std::min(2 * n_ahead_, Queries<Real>::capacity);
        if (4 * n_of_use_ < n_ahead_) n_ahead_ = std::max<Index>(1, n_ahead_ / 2);
        n_of_use_ = 1;
        const auto samples = lowest_not_kept(i, n_ahead_);
        columns_.prefetch(samples);
        for (const Index k : samples) ahead_[k] = k != i;
    }
    return columns_.column(i);
}

// Sample i and those with the lowest gradients whose columns are not kept, `most` together.
template <class Real>
std::vector<Index> DualPoint<Real>::lowest_not_kept(Index i, Index most) const {
    std::vector<std::pair<double, Index>> others;
    for (Index k = 0; k < size(); ++k) {
        if (k != i && !columns_.holds(k)) others.emplace_back(gradient_[k], k);
    }
    const Index count = std::min(ssize(others), most - 1);
    std::nth_element(others.begin(), others.begin() + count, others.end());
    std::vector<Index> samples{i};
    for (Index k = 0; k < count; ++k) samples.push_back(others[k].second);
    return samples;
}

template <class Real>
simd::Extreme DualPoint<Real>::lowest() const {
    const auto range = std::min_element(range_lowest_.begin(), range_lowest_.end());
    const auto begin = gradient_.begin() + (range - range_lowest_.begin()) * range_size;
    const auto found = std::find(begin, gradient_.end(), *range);
    if (found == gradient_.end()) return {*range, -1};
    return {*range, found - gradient_.begin()};
}

template <class Real>
simd::Extreme DualPoint<Real>::lowest(double target) const {
    simd::Extreme best{infinity, -1};
    for (Index k = 0; k < size(); ++k) {
        if (targets_[k] == target && gradient_[k] < best.value) {
            best = {gradient_[k], k};
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
