// The binary problems of an estimator whose solver needs no more than kernel columns.
#pragma once

#include <span>
#include <vector>

#include "core/kernel_columns.hpp"
#include "solvers/run_all.hpp"

namespace svmosaic {

// solve(problem, cache_bytes, pool) for each problem, timed. One Solution per Problem, the same for
// any number of threads.
template <class Solve>
std::vector<Solution> solve_each(std::span<const Problem> problems, double cache_mb,
                                 Index n_threads, Monitor& monitor, const Solve& solve) {
    std::vector<Index> sizes;
    for (const auto& problem : problems) sizes.push_back(problem.samples.size());
    return run_all(sizes, bytes_of(cache_mb), n_threads, monitor,
                   [&](Index p, Index cache_bytes, ThreadPool& pool) {
                       const auto began = Monitor::Clock::now();
                       Solution solution = solve(problems[p], cache_bytes, pool);
                       solution.seconds.total =
                           std::chrono::duration<double>(Monitor::Clock::now() - began).count();
                       solution.seconds.solving = solution.seconds.total;
                       return solution;
                   });
}

}  // namespace svmosaic
