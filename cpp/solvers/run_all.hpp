// Many problems on some threads: what every solver does with its list.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "core/thread_pool.hpp"

namespace svmosaic {

// Problems of at least this many samples are split over the threads; smaller ones are not
// worth it and run side by side.
inline constexpr Index large_problem = 8'000;

// Kept below what a size holds; no computer has a petabyte.
inline Index bytes_of(double cache_mb) {
    return static_cast<Index>(std::min(cache_mb, 1e9) * 1024 * 1024);
}

// Runs solve(p, cache_bytes, pool) for problems of the given sizes: large ones one by one, each
// split over all threads, then the small ones side by side.
template <class Solve>
std::vector<Solution> run_all(std::span<const Index> sizes, Index cache_bytes, Index n_threads,
                              Monitor& monitor, const Solve& solve) {
    const Index n = ssize(sizes);
    monitor.expect_problems(n);
    std::vector<Index> order(sizes.size());
    std::iota(order.begin(), order.end(), Index{0});
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
