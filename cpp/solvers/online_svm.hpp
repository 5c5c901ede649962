// The on-line SVM in coefficient space, plain and with characteristic boundary points.
#pragma once

#include <span>
#include <vector>

#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "core/rows.hpp"
#include "solvers/online.hpp"

namespace svmosaic {

// What a violator does to the coefficients: a step along the gradient of the norm, or shrinking by
// the factor as it is printed, or by that cut to [0, 1].
enum class Shrinking { gradient, printed, clipped };

struct OnlineSvmSettings {
    double lam = 1.0;                       // lambda of the thesis
    Index max_iter = 20'000;                // visits, when they are drawn
    VisitOrder order = VisitOrder::random;  // or given: one pass over the samples
    Shrinking update = Shrinking::gradient;
    Index seed = 0;
};

// A model to continue, and its boundary points: rows of a table of their own. Without any, it
// is the plain on-line SVM.
struct OnlineSvmTask {
    OnlineTask task;
    std::span<const Index> boundary;
};

struct OnlineSvmSolution : OnlineSolution {
    double norm = 0.0;  // |a . k_z| after the last visit, z its boundary point
};

// Runs         Algorithms 1 and 2 of the thesis. Step t, x drawn by weight, z a boundary point
//              drawn uniformly, k_x and k_z the kernel values of x and z with the kept samples:
//
//              t = 1:              keep x with coefficient y
//              if y a.k_x < 1:     a = (I - k_z k_z' / t) a + y k_x / (lambda t)
//                                  if x is not kept: keep it with coefficient y / (lambda t)
//              else:               a = (1 - 1 / t) a
//
//              Without boundary points the factor is 1 - 1 / t (Algorithm 1). The thesis prints
//              1 - k_X(z)' k_X(z) / t. With rows for k_X, as in its outputs, that is the gradient
//              of |C'a|^2, as above; `gradient`, with 1 / |k_z|^2 as the longest step. Read as a
//              number it is 1 - |k_z|^2 / t; `printed` and `clipped`.
// Given        dense rows, the rbf kernel, tasks with models to continue, boundary points.
// Returns      the kept samples and a, which is also the state; no intercept.
// Stops when   all visits are done (status exhausted), or the monitor says so.
// Cost         two columns over the kept samples per violator, one for other visits.
//
// A kept sample is found by its values, as the algorithm says, whatever its label. A visit of share
// r counts r in t and scales both terms by r. What is drawn depends on the seed and on t alone.
template <class Real>
std::vector<OnlineSvmSolution> solve_online_svm(const DenseRows<Real>& rows,
                                                const DenseRows<Real>& boundary, double gamma,
                                                std::span<const OnlineSvmTask> tasks,
                                                const OnlineSvmSettings& settings, Index n_threads,
                                                Monitor& monitor);

}  // namespace svmosaic
