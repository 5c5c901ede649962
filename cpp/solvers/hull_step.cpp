#include "solvers/hull_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace svmosaic {

namespace {

// A factor of this many variables takes a tenth of a second. The monitor is asked between two.
constexpr Index most_variables_of_hulls = 2'000;
// Updates before a step is worth a thought.
constexpr Index fewest_updates_of_hulls = 1'000;
// Rounds in which a variable is left out.
constexpr int most_rounds_of_hulls = 100;

}  // namespace

// In units of one variable in one update, as those of JointStep.
template <class Real>
bool HullStep<Real>::due(const DualPoint<Real>& point) const {
    const Index held = point.held().size();
    if (n_updates_ < fewest_updates_of_hulls || held > most_variables_of_hulls) return false;
    const auto m = static_cast<double>(held);
    const auto n = static_cast<double>(point.size());
    const double cost = 300.0 + 10.0 * m + 3.0 * m * m + m * m * m / 60.0 + m * n;
    return 2.0 * static_cast<double>(n_updates_) * (n + 100.0) >= patience_ * cost;
}

// The best values of the variables inside, of any sign, to `aims_`.
template <class Real>
bool HullStep<Real>::solve(DualPoint<Real>& point) {
    const Index m = inside_.size();
    system_.resize(m);
    double largest = 0.0;
    for (Index a = 0; a < m; ++a) largest = std::max(largest, point.diagonal(inside_[a]));
    // Kernel values are rounded, and samples of a hull can be dependent.
    constexpr auto epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
    const double ridge = 16.0 * epsilon * largest;
    for (Index a = 0; a < m; ++a) {
        double* row = system_.row(a);
        row[a] = point.diagonal(inside_[a]) + ridge;
        point.row(inside_[a], std::span(inside_).subspan(a + 1), row + a + 1);
        system_.b(a) = point.target(inside_[a]) > 0.0 ? 1.0 : 0.0;
    }
    if (!system_.solve()) return false;

    // Q x = 1 in the positive class and 0 in the other, Q z = 1 in all: a = u x + v (z - x), and
    // both classes sum to 1.
    const auto x = system_.solution();
    const auto z = system_.solution_for_ones();
    double pp = 0.0;
    double pq = 0.0;
    double qq = 0.0;
    for (Index a = 0; a < m; ++a) {
        if (point.target(inside_[a]) > 0.0) {
            pp += x[a];
        } else {
            pq += x[a];
            qq += z[a] - x[a];
        }
    }
    const double determinant = pp * qq - pq * pq;
    if (!(determinant > 0.0)) return false;
    const double u = (qq - pq) / determinant;
    const double v = (pp - pq) / determinant;
    aims_.resize(m);
    for (Index a = 0; a < m; ++a) aims_[a] = u * x[a] + v * (z[a] - x[a]);
    return true;
}

// Goes to the aims, or as far as no variable falls below zero. True if it arrives.
template <class Real>
bool HullStep<Real>::advance() {
    double share = 1.0;
    Index first = -1;
    for (Index a = 0; a < ssize(values_); ++a) {
        if (aims_[a] > 0.0) continue;
        const double until_zero = values_[a] / (values_[a] - aims_[a]);
        if (first < 0 || until_zero < share) {
            share = until_zero;
            first = a;
        }
    }
    for (Index a = 0; a < ssize(values_); ++a) {
        values_[a] = std::max(0.0, values_[a] + share * (aims_[a] - values_[a]));
    }
    if (first >= 0) values_[first] = 0.0;
    return first < 0;
}

template <class Real>
void HullStep<Real>::leave_out() {
    Index kept = 0;
    for (Index a = 0; a < ssize(inside_); ++a) {
        if (values_[a] == 0.0) continue;
        inside_[kept] = inside_[a];
        values_[kept++] = values_[a];
    }
    inside_.resize(kept);
    values_.resize(kept);
}

// Rounding must not add up.
template <class Real>
void HullStep<Real>::rescale(const DualPoint<Real>& point) {
    double sums[2] = {0.0, 0.0};
    for (Index a = 0; a < ssize(inside_); ++a) sums[point.target(inside_[a]) > 0.0] += values_[a];
    for (Index a = 0; a < ssize(inside_); ++a) values_[a] /= sums[point.target(inside_[a]) > 0.0];
}

// |p - q|^2 at the values.
template <class Real>
double HullStep<Real>::distance(DualPoint<Real>& point) const {
    std::vector<double> row(inside_.size());
    double sum = 0.0;
    for (Index a = 0; a < ssize(inside_); ++a) {
        const auto rest = std::span(inside_).subspan(a + 1);
        point.row(inside_[a], rest, row.data());
        double others = 0.0;
        for (Index b = 0; b < ssize(rest); ++b) others += row[b] * values_[a + 1 + b];
        sum += values_[a] * (values_[a] * point.diagonal(inside_[a]) + 2.0 * others);
    }
    return sum;
}

template <class Real>
void HullStep<Real>::take(DualPoint<Real>& point, double distance_before, Monitor& monitor) {
    n_updates_ = 0;
    patience_ *= 2.0;
    const std::vector<Index> held(point.held().begin(), point.held().end());
    inside_ = held;
    std::sort(inside_.begin(), inside_.end());
    values_.clear();
    for (const Index i : inside_) values_.push_back(point.alpha(i));
    bool arrived = false;
    for (int round = 0; round < most_rounds_of_hulls && !arrived && solve(point); ++round) {
        arrived = advance();
        leave_out();
        if (monitor.should_stop(0)) break;
    }
    rescale(point);
    // Not with values that are not numbers, either.
    if (!(distance(point) < distance_before)) return;

    if (arrived) patience_ = 1.0;
    for (const Index i : held) {
        if (!std::binary_search(inside_.begin(), inside_.end(), i)) point.move(i, 0.0);
    }
    for (Index a = 0; a < ssize(inside_); ++a) point.move(inside_[a], values_[a]);
}

template class HullStep<float>;
template class HullStep<double>;

}  // namespace svmosaic
