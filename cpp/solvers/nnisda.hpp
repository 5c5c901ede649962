// NNISDA: Non-Negative Iterative Single Data Algorithm for the L2-SVM.
#pragma once

#include "core/kernel_columns.hpp"
#include "core/monitor.hpp"
#include "core/problem.hpp"

namespace svmosaic {

struct NnisdaSettings {
    double C = 1.0;           // penalty of the squared slack, times the weight of its sample
    double tol = 1e-3;        // largest violation of the optimality conditions that is accepted
    Index max_iter = 0;       // updates; 0 means max(10 million, 100 n)
    double cache_mb = 200.0;  // memory for kernel columns
    bool joint_steps = true;  // see JointStep; without them it is the published method
};

// Solves       min  1/2 a' Q a - sum a   subject to  a >= 0,
//                   Q_ij = y_i y_j (k(x_i, x_j) + 1) + [i = j] / C_i,
//              the dual of the L2-SVM   min 1/2 (|w|^2 + b^2) + 1/2 sum_i C_i xi_i^2,
//              y_i f(x_i) >= 1 - xi_i.
// Given        the columns of a kernel, targets and weights; C_i = C * weight_i. The squares of w
//              copies with a / w each sum up to a^2 / w, so a weight means repetition.
// Returns      f(x) = sum_i a_i y_i k(x_i, x) + sum_i a_i y_i, objective and duality gap.
// Method       the variable that violates its condition most goes to its minimum; now and then many
//              go to their joint minimum.
// Stops when   every gradient is above -tol, and below tol where a_i > 0.
// Cost         one kernel column per update, cached by KernelColumns.
template <class Real>
Solution solve_nnisda(const Problem& problem, const NnisdaSettings& settings,
                      KernelColumns<Real>& columns, Monitor& monitor);

}  // namespace svmosaic
