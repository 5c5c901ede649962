// The Uniform SVM: one slack for all samples, solved by the nearest points of two hulls.
#pragma once

#include "core/kernel_columns.hpp"
#include "core/monitor.hpp"
#include "core/problem.hpp"

namespace svmosaic {

struct UniformSettings {
    double C = 1.0;           // penalty of the one slack
    double tol = 1e-3;        // accepted spread of the gradients, relative to |p - q|^2
    Index max_iter = 0;       // updates; 0 means max(10 million, 100 n)
    double cache_mb = 200.0;  // memory for kernel columns
};

// Solves       min  1/2 |w|^2 + C xi   subject to  y_i (w.x_i + b) >= 1 - xi,  xi >= 0
//              (Eq. 2.16 of Galimzianova's thesis).
// Given        the columns of a kernel and targets. A copy of a sample adds no constraint, so the
//              weights, all positive, do not matter.
// Returns      f, objective and duality gap. No support vector at all when the hulls overlap: then
//              w = 0, xi = 1, f = 0 is the optimum, because averaging the constraints at a common
//              point of the hulls gives 0 >= 1 - xi.
// Method       the dual (Eq. 2.19) has sum a = 2 s with s in each class, so w = s (p - q) with p, q
//              in the two hulls, and the objective is 2 s - 1/2 s^2 |p - q|^2: p and q are the
//              nearest points and s = min(C / 2, 2 / |p - q|^2). They are found by MDM steps within
//              the class whose gradients spread more, and after a thousand of them by steps of all
//              that are above zero (HullStep). The intercept puts the boundary midway.
// Stops when   both spreads together are at most tol |p - q|^2; or when |p - q| is at most tol of
//              the size of the data and the hulls are not proved to be apart: then they count as
//              overlapping. Where they overlap, |p - q|^2 falls like 1 / MDM steps and no faster.
// Cost         two kernel columns per update, cached by KernelColumns.
template <class Real>
Solution solve_uniform(const Problem& problem, const UniformSettings& settings,
                       KernelColumns<Real>& columns, Monitor& monitor);

}  // namespace svmosaic
