// Many problems on some threads: what every family of solvers does with its list of machines.
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
inline constexpr std::size_t large_problem = 8'000;

// Kept below what a size holds; no machine has a petabyte.
inline std::size_t bytes_of(double cache_mb) {
    return static_cast<std::size_t>(std::min(cache_mb, 1e9) * 1024 * 1024);
}

// Runs solve(p, cache_bytes, pool) for problems of the given sizes: large ones one by one, each
// split over all threads, then the small ones side by side.
template <class Solve>
std::vector<Solution> run_all(std::span<const std::size_t> sizes, std::size_t cache_bytes,
                              Index n_threads, Monitor& monitor, const Solve& solve) {
    const auto n = static_cast<Index>(sizes.size());
    monitor.expect_problems(n);
    std::vector<std::size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // Largest first: the short ones fill the gaps at the end.
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
    const auto is_large = [&](std::size_t p) { return sizes[p] >= large_problem; };
    const auto n_large =
        static_cast<Index>(std::find_if_not(order.begin(), order.end(), is_large) - order.begin());

    std::vector<Solution> solutions(sizes.size());
    ThreadPool pool(n_large > 0 ? n_threads : std::min(n_threads, n));
    for (Index k = 0; k < n_large; ++k) {
        const std::size_t p = order[static_cast<std::size_t>(k)];
        solutions[p] = solve(p, cache_bytes, pool);
        monitor.problem_done();
    }
    const auto share = static_cast<std::size_t>(pool.n_threads());
    pool.run(
        n - n_large,
        [&](Index k) {
            const std::size_t p = order[static_cast<std::size_t>(n_large + k)];
            ThreadPool alone(1);
            solutions[p] = solve(p, cache_bytes / share, alone);
            monitor.problem_done();
        },
        [&] { monitor.should_stop(0); });
    return solutions;
}

}  // namespace svmosaic
