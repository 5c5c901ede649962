// NL-SGD: nonlinear soft-margin SVM by stochastic gradient descent.
#pragma once

#include <span>
#include <vector>

#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "core/rows.hpp"
#include "solvers/online.hpp"

namespace svmosaic {

struct KernelSgdSettings {
    double C = 100.0;      // 1 / lambda
    Index epochs = 2;      // how often every sample is visited
    double average = 0.5;  // the model is the mean over this last share of the visits
    VisitOrder order = VisitOrder::shuffled;
    bool fit_intercept = false;  // the kernel k(x, z) + 1
    Index seed = 0;
    double cache_mb = 200.0;
};

// Solves       min  lambda/2 |w|^2 + mean_i max(0, 1 - y_i <w, phi(x_i)>),  C = 1 / lambda,
// approximately, by Algorithm B of Melki and Kecman with NL-SGD's cyclic order:
//
//              t = t + 1;  alpha = beta / (lambda t)
//              if y_i sum_j alpha_j k(x_j, x_i) < 1:  beta_i = beta_i + y_i
//
// Given        a table, a kernel, and tasks: samples, targets, weights, the model to continue.
// Returns      alpha after the last visit, or its mean over the last share of the visits; state
//              and t are beta and the weight visited.
// Stops when   all visits are done (status exhausted), or the monitor says so.
// Cost         one kernel column per violator; nothing for a sample that is no violator.
//
// Unlike lines 3 and 4 of the algorithm as printed, alpha is beta / (lambda t), not
// beta / (lambda m): the source that the paper follows has it so, and only then do the steps
// decrease. A visit of share r counts r in t and adds r y_i to beta_i.
template <class Real>
std::vector<OnlineSolution> solve_kernel_sgd(const Rows<Real>& rows, const KernelSpec& kernel,
                                             std::span<const OnlineTask> tasks,
                                             const KernelSgdSettings& settings, Index n_threads,
                                             Monitor& monitor);

// The same for the linear kernel on dense or sparse rows, in the primal (Algorithm A): state is
// theta = sum_j beta_j x_j, weights is w. A task's coef is the theta to start from; no support
// vector is kept. Cost: the non-zeros of the visited row.
template <class Real>
std::vector<OnlineSolution> solve_linear_sgd(const Rows<Real>& rows,
                                             std::span<const OnlineTask> tasks,
                                             const KernelSgdSettings& settings, Index n_threads,
                                             Monitor& monitor);

}  // namespace svmosaic
