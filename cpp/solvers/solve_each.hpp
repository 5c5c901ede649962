// The binary problems of an estimator whose solver needs no more than kernel columns.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "solvers/run_all.hpp"

namespace svmosaic {

using SolveProblem =
    std::function<Solution(const Problem& problem, Index cache_bytes, ThreadPool& pool)>;

// Solves each problem, timed. One Solution per Problem, the same for any number of threads.
std::vector<Solution> solve_each(std::span<const Problem> problems, double cache_mb,
                                 Index n_threads, Monitor& monitor, const SolveProblem& solve);

}  // namespace svmosaic
