// The simple SMO of a textbook: every sample in turn, with a partner drawn at random.
//
// An algorithm of its own, kept as published: it looks for no violating pair and no gradient of
// the others decides a step, its bounds may couple all multipliers, it stops by the size of a
// sweep, and its result depends on the seed. All that it has in common with smo.hpp is the column
// source; PairSteps could serve none of its three kinds of bounds.
#pragma once

#include "core/kernel_columns.hpp"
#include "core/monitor.hpp"
#include "core/problem.hpp"

namespace svmosaic {

// What bounds the multipliers: each one by C (C-SVC), or their sum by C (Uniform SVM) as the
// constraint demands or as the thesis prints it.
enum class Bounds { per_sample, uniform_feasible, uniform_printed };

struct SimpleSmoSettings {
    Bounds bounds = Bounds::per_sample;
    double C = 1.0;
    double tol = 1e-3;        // a sweep that moves the multipliers by less, in norm, is the last
    Index max_iter = 10'000;  // sweeps
    Index seed = 0;           // of the partners
    double cache_mb = 200.0;  // memory for kernel columns
};

// Solves       max  sum a - 1/2 |sum_i a_i y_i x_i|^2   subject to  a >= 0, sum a_i y_i = 0, and
//              a_i <= C_i (per_sample) or sum a <= C (uniform), approximately.
// Given        the columns of a kernel, targets and weights; C_i = C * weight_i. The weights do
//              not matter to the uniform bounds.
// Returns      f with the intercept that centres the errors, the mean of y_i - sum_j coef_j k_ij;
//              n_iter counts sweeps.
// Method       section 2.3.1 of Galimzianova's thesis: for each sample j, draw i != j, find the
//              best a_j on the line that keeps sum a y, clip it to [L, H], and let a_i follow.
// Stops when   a sweep changes the multipliers by less than tol. A sweep of unlucky draws looks
//              the same, so the result depends on the seed and need not be the optimum.
// Cost         two kernel columns per pair that moves, n pairs per sweep.
//
// Unlike Eq. 2.25, H = min(C, C + a_j - a_i) where the targets differ; with the printed signs the
// pair leaves the square. Unlike Eq. 2.27, the step has the sign y_j, without which it ascends
// only when y_i = y_j. Eq. 2.35 and 2.36 (uniform_printed) subtract a_i + a_j from C where the
// constraint needs the sum of all others, so sum a may pass C; a pair whose printed interval is
// empty is left as it is.
template <class Real>
Solution solve_simple_smo(const Problem& problem, const SimpleSmoSettings& settings,
                          KernelColumns<Real>& columns, Monitor& monitor);

}  // namespace svmosaic
