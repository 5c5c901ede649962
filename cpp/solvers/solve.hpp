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

struct OllawvSettings {
    OllawvOptions ollawv;
    RefineSettings refine;
    double C = 1.0;  // scales coefficients and intercept where nothing refines
    double cache_mb = 200.0;
};

// One Solution per Problem, the same for any number of threads.
template <class Real>
std::vector<Solution> solve_all(const Rows<Real>& rows, const KernelSpec& kernel,
                                std::span<const Problem> problems, const OllawvSettings& settings,
                                Index n_threads, Monitor& monitor);

}  // namespace svmosaic
