#include "solvers/dual_variables.hpp"

namespace svmosaic {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Curvature of a pair of (nearly) identical samples, or of a kernel that is not positive definite.
constexpr double least_curvature = 1e-12;
// Passes over fewer variables than this are not shared between threads.
constexpr Index range_size = 16'384;

}  // namespace

void DualVariables::resize(std::size_t n, std::size_t padded) {
    size = n;
    beta.assign(padded, 0.0);
    lower.assign(padded, 0.0);
    upper.assign(padded, 0.0);
    gradient.assign(padded, 0.0);
    diagonal.assign(padded, 0.0);
    up.assign(padded, infinity);
    low.assign(padded, -infinity);
}

template <class Real>
Index PairSteps<Real>::n_ranges() const {
    return (v_.padded() + range_size - 1) / range_size;
}

template <class Real>
Index PairSteps<Real>::range_length(Index range) const {
    return std::min(range_size, v_.padded() - range * range_size);
}

// beta_i grows and beta_j shrinks by the same amount, which keeps their sum. At zero the slope of
// epsilon |beta| changes, so a step ends there.
template <class Real>
double PairSteps<Real>::move(Index i, Index j, double k_ij) {
    const auto a = static_cast<std::size_t>(i);
    const auto b = static_cast<std::size_t>(j);
    const double curvature =
        std::max(v_.diagonal[a] + v_.diagonal[b] - 2.0 * k_ij, least_curvature);
    const double end_i = v_.end_of(a, true);
    const double end_j = v_.end_of(b, false);
    const double room_i = end_i - v_.beta[a];
    const double room_j = v_.beta[b] - end_j;
    const double slope = (v_.gradient[b] + v_.low[b]) - (v_.gradient[a] + v_.up[a]);
    const double delta = std::min({slope / curvature, room_i, room_j});
    // At an end the variable is set, not added to, so that it is exactly there.
    v_.beta[a] = delta == room_i ? end_i : v_.beta[a] + delta;
    v_.beta[b] = delta == room_j ? end_j : v_.beta[b] - delta;
    v_.mark(a);
    v_.mark(b);
    return delta;
}

template <class Real>
Index PairSteps<Real>::second(Index i, const Real* column_i) {
    const auto a = static_cast<std::size_t>(i);
    const auto& loops = simd::loops<Real>();
    std::vector<simd::Extreme>& found = second_of_range_;
    found.resize(static_cast<std::size_t>(n_ranges()));
    pool_.run(n_ranges(), [&](Index range) {
        const Index begin = range * range_size;
        auto best = loops.select_second(
            column_i + begin, v_.diagonal.data() + begin, v_.gradient.data() + begin,
            v_.low.data() + begin, v_.gradient[a] + v_.up[a], v_.diagonal[a], range_length(range));
        if (best.index >= 0) best.index += begin;
        found[static_cast<std::size_t>(range)] = best;
    });
    simd::Extreme winner{0.0, -1};
    for (const auto& best : found) {
        if (best.index >= 0 && (winner.index < 0 || best.value > winner.value)) winner = best;
    }
    return winner.index;
}

template <class Real>
void PairSteps<Real>::update(const Real* column_i, const Real* column_j, double delta) {
    const auto& loops = simd::loops<Real>();
    auto& found = extremes_of_range_;
    found.resize(static_cast<std::size_t>(n_ranges()));
    pool_.run(n_ranges(), [&](Index range) {
        const Index begin = range * range_size;
        auto extremes = loops.update_gradient(column_i + begin, column_j + begin, delta,
                                              v_.up.data() + begin, v_.low.data() + begin,
                                              v_.gradient.data() + begin, range_length(range));
        if (extremes.lowest_up.index >= 0) extremes.lowest_up.index += begin;
        found[static_cast<std::size_t>(range)] = extremes;
    });
    v_.extremes = {{infinity, -1}, -infinity};
    for (const auto& part : found) {
        if (part.lowest_up.index >= 0 && part.lowest_up.value < v_.extremes.lowest_up.value) {
            v_.extremes.lowest_up = part.lowest_up;
        }
        v_.extremes.highest_low = std::max(v_.extremes.highest_low, part.highest_low);
    }
}

template class PairSteps<float>;
template class PairSteps<double>;

}  // namespace svmosaic
