#include "solvers/uniform.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "solvers/dual_point.hpp"
#include "solvers/hull_step.hpp"
#include "solvers/stopping.hpp"

namespace svmosaic {

namespace {

// Relative to the squared size of the data, nobody can ask for a finer |p - q|^2 than this.
constexpr double finest = 1e-10;
constexpr double least_curvature = 1e-12;

// Squared distances that count as none.
struct NoDistance {
    double unproven;  // unless the hulls are proved to be apart
    double rounding;  // in any case
};

// Measured against the distances from the first sample, which do not depend on the origin, and
// against the rounding of the kernel values.
template <class Real>
NoDistance no_distance(KernelColumns<Real>& columns, double tol) {
    const auto& diagonal = columns.diagonal();
    const Real* column = columns.column(0);
    double size = 0.0;
    double largest = 0.0;
    for (Index k = 0; k < ssize(columns); ++k) {
        size = std::max(size, diagonal[k] + diagonal[0] - 2.0 * static_cast<double>(column[k]));
        largest = std::max(largest, std::abs(diagonal[k]));
    }
    constexpr auto epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
    return {std::max(tol * tol, finest) * size, 4.0 * epsilon * largest};
}

// How far the gradients of one class are from equal: nothing to gain when it is zero.
struct Spread {
    simd::Extreme lowest;
    simd::Extreme highest_held;
    double size() const { return highest_held.value - lowest.value; }
};

template <class Real>
Spread spread_of(const DualPoint<Real>& point, double target) {
    return {point.lowest(target), point.highest_held(target)};
}

// (p - q).p for target 1, -(p - q).q for target -1.
template <class Real>
double mean_gradient(const DualPoint<Real>& point, double target) {
    double sum = 0.0;
    for (const Index i : point.held()) {
        if (point.target(i) == target) sum += point.alpha(i) * point.gradient(i);
    }
    return sum;
}

// f(x) = s (p - q).x + b, or nothing at all when the distance counts as none.
template <class Real>
void report(const Problem& problem, double C, bool overlapping, const DualPoint<Real>& point,
            Solution& solution) {
    if (overlapping) {
        solution.objective = C;
        solution.dual_gap = 0.0;
        return;
    }
    const double of_p = mean_gradient(point, 1.0);
    const double of_q = mean_gradient(point, -1.0);
    const double distance = of_p + of_q;  // squared
    const double s = std::min(0.5 * C, 2.0 / distance);
    for (Index i = 0; i < ssize(problem.samples); ++i) {
        const double alpha = point.alpha(i);
        if (alpha == 0.0) continue;
        solution.support.push_back(problem.samples[i]);
        solution.coef.push_back(s * problem.targets[i] * alpha);
    }
    solution.intercept = -0.5 * s * (of_p - of_q);
    solution.objective = 2.0 * s - 0.5 * s * s * distance;
    const double worst = std::min(s * point.lowest(1.0).value + solution.intercept,
                                  s * point.lowest(-1.0).value - solution.intercept);
    const double primal = 0.5 * s * s * distance + C * std::max(0.0, 1.0 - worst);
    // Below zero by rounding only.
    solution.dual_gap = std::max(0.0, primal - solution.objective);
}

}  // namespace

template <class Real>
Solution solve_uniform(const Problem& problem, const UniformSettings& settings,
                       KernelColumns<Real>& columns, Monitor& monitor) {
    const Index n = columns.size();
    const Index max_iter = update_limit(settings.max_iter, n);
    const NoDistance none = no_distance(columns, settings.tol);
    const std::vector<double> zeros(problem.targets.size(), 0.0);
    DualPoint<Real> point(columns, 0.0);
    point.enter(problem.targets, zeros, zeros);
    // p and q begin at the first sample of each class.
    for (const double target : {1.0, -1.0}) {
        const auto first = std::find(problem.targets.begin(), problem.targets.end(), target);
        point.move(first - problem.targets.begin(), 1.0);
    }

    Solution solution;
    HullStep<Real> hull_step;
    bool overlapping = false;
    while (true) {
        if (hull_step.due(point)) {
            hull_step.take(point, mean_gradient(point, 1.0) + mean_gradient(point, -1.0), monitor);
        }
        const Spread positive = spread_of(point, 1.0);
        const Spread negative = spread_of(point, -1.0);
        const double distance = mean_gradient(point, 1.0) + mean_gradient(point, -1.0);
        // The projections of the hulls on p - q are this far apart, times |p - q|.
        const bool apart = positive.lowest.value + negative.lowest.value > 0.0;
        overlapping = distance <= none.rounding || (!apart && distance <= none.unproven);
        const double violation = positive.size() + negative.size();
        solution.violation = overlapping ? 0.0 : violation / distance;
        if (overlapping || violation <= settings.tol * distance) break;
        if (must_stop(max_iter, monitor, solution)) break;
        // Nobody violates anything, and yet the end is not reached: there are values without order.
        if (!std::isfinite(violation)) {
            throw std::domain_error(
                "The distance of the classes is not finite. Scale the features or change the "
                "kernel's parameters.");
        }
        const Spread& worse = positive.size() >= negative.size() ? positive : negative;
        const Index i = worse.lowest.index;
        const Index j = worse.highest_held.index;
        const double curvature = std::max(point.curvature(i, j), least_curvature);
        const double amount = std::min(worse.size() / curvature, point.alpha(j));
        const bool all = amount == point.alpha(j);
        point.move(j, all ? 0.0 : point.alpha(j) - amount);
        point.move(i, point.alpha(i) + amount);
        hull_step.count();
        ++solution.n_iter;
    }
    report(problem, settings.C, overlapping, point, solution);
    solution.counters.n_updates = solution.n_iter;
    columns.add_to(solution.counters);
    return solution;
}

template Solution solve_uniform(const Problem&, const UniformSettings&, KernelColumns<float>&,
                                Monitor&);
template Solution solve_uniform(const Problem&, const UniformSettings&, KernelColumns<double>&,
                                Monitor&);

}  // namespace svmosaic
