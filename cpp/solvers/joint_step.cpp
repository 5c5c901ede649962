#include "solvers/joint_step.hpp"

#include <algorithm>
#include <cmath>

namespace svmosaic {

namespace {

// A factor of this many variables takes a tenth of a second. The monitor is asked between two.
constexpr Index most_variables = 2'000;
// Single updates before a step is worth a thought.
constexpr Index fewest_updates = 20;
// Rounds in which variables are set to zero.
constexpr int most_rounds = 10;

}  // namespace

// In units of one variable in one update, as measured: what a step costs anyway, the passes over
// the system, its triangle; and moving there.
template <class Real>
bool JointStep<Real>::due(const DualPoint<Real>& point) const {
    const Index held = point.held().size();
    if (n_updates_ < fewest_updates || held < 2 || held > most_variables) return false;
    const auto m = static_cast<double>(held);
    const auto n = static_cast<double>(point.size());
    const double cost = 300.0 + 10.0 * m + 3.0 * m * m + m * m * m / 60.0 + m * n;
    return static_cast<double>(n_updates_) * (n + 100.0) >= patience_ * cost;
}

template <class Real>
void JointStep<Real>::choose(const DualPoint<Real>& point, double threshold) {
    const auto held = point.held();
    inside_.clear();
    for (Index k = 0; k < point.size(); ++k) {
        if (point.alpha(k) == 0.0 && point.gradient(k) < threshold) inside_.push_back(k);
    }
    // As many as there are above zero, so that the cost is known beforehand; the worst ones.
    const Index most = std::min(held.size(), most_variables - held.size());
    if (ssize(inside_) > most) {
        const auto end = inside_.begin() + most;
        std::nth_element(inside_.begin(), end, inside_.end(), [&](Index i, Index j) {
            return std::pair(point.gradient(i), i) < std::pair(point.gradient(j), j);
        });
        inside_.erase(end, inside_.end());
    }
    inside_.insert(inside_.end(), held.begin(), held.end());
    std::sort(inside_.begin(), inside_.end());
}

template <class Real>
bool JointStep<Real>::solve(DualPoint<Real>& point) {
    const Index m = inside_.size();
    system_.resize(m);
    for (Index a = 0; a < m; ++a) {
        double* row = system_.row(a);
        row[a] = point.diagonal(inside_[a]);
        point.row(inside_[a], std::span(inside_).subspan(a + 1), row + a + 1);
    }
    return system_.solve();
}

template <class Real>
bool JointStep<Real>::find(DualPoint<Real>& point, double threshold, double least,
                           Monitor& monitor) {
    n_updates_ = 0;
    patience_ *= 2.0;
    choose(point, threshold);
    values_.clear();
    for (int round = 0; round < most_rounds; ++round) {
        if (inside_.empty() || monitor.should_stop(0) || !solve(point)) return false;
        const auto solved = system_.solution_for_ones();
        std::vector<Index> rest;
        for (Index a = 0; a < ssize(inside_); ++a) {
            if (solved[a] > 0.0) {
                rest.push_back(inside_[a]);
            } else if (point.alpha(inside_[a]) > 0.0) {
                values_.push_back({inside_[a], 0.0});
            }
        }
        if (rest.size() == inside_.size()) {
            for (Index a = 0; a < ssize(rest); ++a) values_.push_back({rest[a], solved[a]});
            if (!(0.5 * sum() > least) || !std::isfinite(sum())) return false;
            patience_ = 1.0;
            return true;
        }
        inside_ = std::move(rest);
    }
    return false;
}

template <class Real>
double JointStep<Real>::sum() const {
    double sum = 0.0;
    for (const auto& [_, value] : values_) sum += value;
    return sum;
}

template class JointStep<float>;
template class JointStep<double>;

}  // namespace svmosaic
