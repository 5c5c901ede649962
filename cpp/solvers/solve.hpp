// Solves the binary problems of one estimator, small ones side by side, large ones one by one.
#pragma once

#include <span>
#include <vector>

#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "core/rows.hpp"
#include "solvers/ollawv.hpp"
#include "solvers/refine.hpp"

namespace svmosaic {

struct OllawvMachine {
    OllawvSettings ollawv;
    RefineSettings refine;
    double C = 1.0;          // scales coefficients and intercept of the plain machine
    double cache_mb = 200.0;
};

// One Solution per Problem, the same for any number of threads.
template <class Real>
std::vector<Solution> solve_all(const Rows<Real>& rows, const KernelSpec& kernel,
                                std::span<const Problem> problems, const OllawvMachine& machine,
                                Index n_threads, Monitor& monitor);

// Refinement alone, from positions selected earlier (the margin path of a refined machine).
template <class Real>
Solution solve_selected(const Rows<Real>& rows, const KernelSpec& kernel, const Problem& problem,
                        std::span<const Index> selected, const RefineSettings& settings,
                        double cache_mb, Index n_threads, Monitor& monitor);

}  // namespace svmosaic
