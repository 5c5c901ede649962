// The L2-SVM in the primal, by Newton's method.
//
//     1/2 w'Pw + e/2 b^2 + C/2 sum over i of max(0, 1 - y_i (w'x_i + b))^2
//
// The intercept b is hardly penalised: by an e that only makes the equations solvable. Where the
// samples inside the margin stay the same, this is a quadratic function, and one step ends in its
// minimum. O. Chapelle (2007), "Training a support vector machine in the primal", Neural
// Computation 19, section 4.
#pragma once

#include <span>
#include <vector>

#include "core/monitor.hpp"
#include "core/rows.hpp"
#include "core/thread_pool.hpp"

namespace svmosaic {

template <class Real>
struct PrimalProblem {
    DenseRows<Real> rows;
    std::span<const double> targets;  // +1, -1, or 0 for a row that does not take part
    std::span<const double> norm;     // P, row by row and symmetric; without it, the identity
    double C = 1.0;
};

// A model that is not far, as its weights, the intercept last, or as its decisions on all rows.
// With neither, a share of the samples is learned from first.
struct PrimalStart {
    std::span<const double> weights;
    std::span<const double> decisions;
};

struct PrimalStopping {
    double gain = 0.0;  // stop when a step lowers the objective by less than this share of it
    Index max_steps = 0;
};

// The weights, the intercept last. They do not depend on the number of threads, and are zeros where
// the sums are not finite.
template <class Real>
std::vector<double> solve_primal(const PrimalProblem<Real>& problem, const PrimalStart& start,
                                 const PrimalStopping& stopping, ThreadPool& pool,
                                 Monitor& monitor);

}  // namespace svmosaic
