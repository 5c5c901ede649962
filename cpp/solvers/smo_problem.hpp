// The L1-SVM and epsilon-SVR on all samples of a problem, by SMO.
#pragma once

#include <span>
#include <vector>

#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "core/rows.hpp"
#include "core/thread_pool.hpp"
#include "solvers/smo.hpp"

namespace svmosaic {

struct SmoSettings {
    Loss loss = Loss::hinge;
    double C = 1.0;        // upper bound of a coefficient, times the weight of its sample
    double epsilon = 0.1;  // half the width of the tube, for regression
    SmoOptions smo;
    double cache_mb = 200.0;
};

struct SmoTask {
    Problem problem;
    // A warm start: signed coefficients, one per sample, or none. They are cut to the bounds and
    // balanced, so a solution for another C or for other weights will do.
    std::span<const double> start;
};

// One problem; dual_gap is that of a feasible primal and dual pair, so it is never smaller than the
// distance to the optimum.
template <class Real>
Solution solve_smo_problem(const Rows<Real>& rows, const KernelSpec& kernel, const SmoTask& task,
                           const SmoSettings& settings, Index cache_bytes, ThreadPool& pool,
                           Monitor& monitor);

// One Solution per task, the same for any number of threads.
template <class Real>
std::vector<Solution> solve_smo_problems(const Rows<Real>& rows, const KernelSpec& kernel,
                                         std::span<const SmoTask> tasks,
                                         const SmoSettings& settings, Index n_threads,
                                         Monitor& monitor);

}  // namespace svmosaic
