// The L1-SVM without an intercept, by coordinate descent on its dual.
#pragma once

#include "core/kernel_columns.hpp"
#include "core/monitor.hpp"
#include "core/problem.hpp"

namespace svmosaic {

struct DualDescentSettings {
    double C = 1.0;           // bound of a coefficient, times the weight of its sample
    double tol = 1e-3;        // largest violation of the optimality conditions that is accepted
    Index max_iter = 0;       // updates; 0 means max(10 million, 100 n)
    double cache_mb = 200.0;  // memory for kernel columns
};

// Solves       min  1/2 beta' K beta - y' beta   subject to  0 <= y_i beta_i <= C_i,
//              the dual of   min  1/2 |w|^2 + sum_i C_i max(0, 1 - y_i f(x_i)),  f(x) = <w,
//              phi(x)>.
// Given        the columns of a kernel, targets and weights; C_i = C * weight_i.
// Returns      f(x) = sum_i beta_i k(x_i, x), objective and duality gap.
// Method       the coordinate whose step, if it were free, would gain most:
//                  g_i = f(x_i) - y_i,   beta_i = beta_i - g_i / K_ii, cut to its bounds.
//              Where coordinates are slow, all variables between their bounds move together to
//              their joint minimum within the box (FreeStep): one such step when the coordinates
//              since the last have cost as much.
// Stops when   no variable that may move that way has |g_i| above tol.
// Cost         one kernel column per update, cached by KernelColumns.
template <class Real>
Solution solve_dual_descent(const Problem& problem, const DualDescentSettings& settings,
                            KernelColumns<Real>& columns, Monitor& monitor);

}  // namespace svmosaic
