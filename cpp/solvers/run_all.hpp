// Many problems on some threads: what every solver does with its list.
#pragma once

#include <algorithm>
#include <functional>
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

// Solves problem p. One call of it takes microseconds at least, so it need not be inlined, and this
// file is compiled once instead of once for each solver.
using SolveOne = std::function<Solution(Index p, Index cache_bytes, ThreadPool& pool)>;

// Solves problems of the given sizes: large ones one by one, each split over all threads, then the
// small ones side by side.
std::vector<Solution> run_all(std::span<const Index> sizes, Index cache_bytes, Index n_threads,
                              Monitor& monitor, const SolveOne& solve);

}  // namespace svmosaic
