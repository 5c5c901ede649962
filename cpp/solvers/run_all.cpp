#include "solvers/run_all.hpp"

namespace svmosaic {

std::vector<Solution> run_all(std::span<const Index> sizes, Index cache_bytes, Index n_threads,
                              Monitor& monitor, const SolveOne& solve) {
    const Index n = ssize(sizes);
    monitor.expect_problems(n);
    std::vector<Index> order = count_up(sizes.size());
    // Largest first: the short ones fill the gaps at the end.
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return sizes[a] > sizes[b]; });
    const auto is_large = [&](Index p) { return sizes[p] >= large_problem; };
    const auto n_large = std::find_if_not(order.begin(), order.end(), is_large) - order.begin();

    std::vector<Solution> solutions(sizes.size());
    ThreadPool pool(n_large > 0 ? n_threads : std::min(n_threads, n));
    for (Index k = 0; k < n_large; ++k) {
        const Index p = order[k];
        solutions[p] = solve(p, cache_bytes, pool);
        monitor.problem_done();
    }
    const Index share = pool.n_threads();
    pool.run(
        n - n_large,
        [&](Index k) {
            const Index p = order[n_large + k];
            ThreadPool alone(1);
            solutions[p] = solve(p, cache_bytes / share, alone);
            monitor.problem_done();
        },
        [&] { monitor.should_stop(0); });
    return solutions;
}

}  // namespace svmosaic
