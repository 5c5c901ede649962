// What a solution of the L2-SVM says of itself: the same for every solver of that problem.
#pragma once

#include <cmath>

#include "core/problem.hpp"
#include "solvers/dual_point.hpp"

namespace svmosaic {

// The dual objective sum a - 1/2 a' Q a of an L2-SVM is at most 1/2 sum_i C_i, its primal at
// f = 0, when the kernel is positive semidefinite. A solver that gets above it would never end.
inline double highest_objective(const Problem& problem, double C) {
    double sum = 0.0;
    for (const double weight : problem.weights) sum += 0.5 * C * weight;
    return sum * (1.0 + 1e-6);
}

// The loss C_i / 2 max(0, 1 - y_i f(x_i))^2 of one sample.
inline double squared_hinge(double C, double margin) {
    const double slack = std::max(0.0, 1.0 - margin);
    return 0.5 * C * slack * slack;
}

// Fills in the expansion of a = scale * point.alpha, objective and duality gap. `gradient_of_a` is
// what the point's gradient becomes as Q a: scale * g + shift. `loss_outside` is the loss of the
// samples that are not in the point. Variable i is sample number[i] of the problem.
template <class Real>
void report_l2(const Problem& problem, std::span<const Index> number, const DualPoint<Real>& point,
               double scale, double shift, double loss_outside, Solution& solution) {
    std::vector<double> coef(problem.samples.size(), 0.0);
    double sum = 0.0;
    double square = 0.0;  // a' Q a
    double norm = 0.0;    // |w|^2 + b^2
    double loss = loss_outside;
    for (Index k = 0; k < point.size(); ++k) {
        const double a = scale * point.alpha(k);
        const double product = scale * point.gradient(k) + shift;  // (Q a)_i
        const double margin = product - a * point.softness(k);     // y_i f(x_i)
        sum += a;
        square += a * product;
        norm += a * margin;
        loss += squared_hinge(1.0 / point.softness(k), margin);
        coef[number[k]] = point.target(k) * a;
    }
    for (Index i = 0; i < ssize(coef); ++i) {
        if (coef[i] == 0.0) continue;
        solution.support.push_back(problem.samples[i]);
        solution.coef.push_back(coef[i]);
        // The kernel is k + 1: the one is the intercept.
        solution.intercept += coef[i];
    }
    solution.objective = sum - 0.5 * square;
    // Below zero by rounding only.
    solution.dual_gap = std::max(0.0, 0.5 * norm + loss - solution.objective);
}

}  // namespace svmosaic
