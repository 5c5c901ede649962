#include "solvers/solve_each.hpp"

#include <chrono>

namespace svmosaic {

std::vector<Solution> solve_each(std::span<const Problem> problems, double cache_mb,
                                 Index n_threads, Monitor& monitor, const SolveProblem& solve) {
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
