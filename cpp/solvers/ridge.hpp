// Ridge regression of several targets at once: one matrix serves them all.
#pragma once

#include <span>
#include <vector>

#include "core/monitor.hpp"
#include "core/rows.hpp"
#include "core/thread_pool.hpp"

namespace svmosaic {

// Minimises, for each target, the sum over i of (w'x_i + b - y_i)^2, plus v'Pv for v = (w, b).
template <class Real>
struct RidgeProblem {
    DenseRows<Real> rows;
    std::span<const double> targets;  // row by row
    Index n_targets = 0;
    std::span<const double> penalty;  // P, row by row and symmetric
};

// The weights, target by target, each with its intercept last. They do not depend on the number of
// threads, and are zeros where the sums are not finite.
template <class Real>
std::vector<double> solve_ridge(const RidgeProblem<Real>& problem, ThreadPool& pool,
                                Monitor& monitor);

}  // namespace svmosaic
