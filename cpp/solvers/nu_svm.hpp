// The nu-SVMs for classification and regression, and the one-class SVM, by SMO.
#pragma once

#include "core/kernel_columns.hpp"
#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "solvers/smo.hpp"

namespace svmosaic {

enum class NuTask { classification, regression, one_class };

struct NuSettings {
    NuTask task = NuTask::classification;
    double nu = 0.5;  // in (0, 1]: bounds the shares of margin errors and of support vectors
    double C = 1.0;   // upper bound of a coefficient, times the weight of its sample; regression
    SmoOptions smo;
    double cache_mb = 200.0;
};

// Solves       with W the sum of the weights w,
//   classification   min 1/2 beta' K beta,  0 <= y_i beta_i <= w_i, and the sum of y_i beta_i in
//                    each class is nu W / 2, or all that the weights of a class allow if that is
//                    less; then f is divided by the margin, so that it is 1 there;
//   regression       min 1/2 beta' K beta - t' beta,  beta = a - a*,  0 <= a_i, a*_i <= C w_i,
//                    sum a = sum a* = C nu W / 2;
//   one_class        min 1/2 beta' K beta,  0 <= beta_i <= w_i, sum beta = nu W.
// Given        targets +1 and -1, or real ones; those of a one-class problem do not matter.
// Returns      f; its width is the margin, zero if it is not above the tolerance, or half the width
//              of the tube. Objective and gap of classification are divided by the squared margin,
//              as f is by the margin; without one they are as they are.
// Method       solve_grouped_smo, from a point where the samples that look hardest have all that
//              they may: those that lie, on the average over some samples, nearest to the others.
// References   Schoelkopf, Smola, Williamson, Bartlett (2000), Neural Computation 12, 1207-1245;
//              Chang and Lin (2001), Neural Computation 13, 2119-2147; Schoelkopf, Platt,
//              Shawe-Taylor, Smola, Williamson (2001), Neural Computation 13, 1443-1471.
template <class Real>
Solution solve_nu_svm(const Problem& problem, const NuSettings& settings,
                      KernelColumns<Real>& columns, Monitor& monitor);

}  // namespace svmosaic
