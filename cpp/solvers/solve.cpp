#include "solvers/solve.hpp"

#include <algorithm>
#include <numeric>

#include "core/canonical.hpp"
#include "core/kernel_columns.hpp"
#include "core/thread_pool.hpp"

namespace svmosaic {

namespace {

// Problems of at least this many samples are split over the threads; smaller ones are not
// worth it and run side by side.
constexpr std::size_t large_problem = 8'000;

// Kept below what a size holds; no machine has a petabyte.
std::size_t bytes_of(double cache_mb) {
    return static_cast<std::size_t>(std::min(cache_mb, 1e9) * 1024 * 1024);
}

// The plain machine from its path: coefficients summed per row, in the order of the samples.
void read_expansion(const Problem& problem, std::span<const double> steps_of_sample, double C,
                    Solution& solution) {
    for (std::size_t i = 0; i < problem.samples.size(); ++i) {
        if (steps_of_sample[i] == 0.0) continue;
        solution.support.push_back(problem.samples[i]);
        solution.coef.push_back(C * steps_of_sample[i]);
    }
    solution.intercept *= C;
}

template <class Real>
Solution solve_one(const Rows<Real>& rows, const KernelSpec& kernel, const Problem& problem,
                   const OllawvMachine& machine, std::size_t cache_bytes, ThreadPool& pool,
                   Monitor& monitor) {
    const auto began = Monitor::Clock::now();
    const Index start = problem.start >= 0 ? problem.start : central_sample(rows, problem);
    Solution solution;
    {
        KernelColumns<Real> columns(rows, problem.samples, kernel, 0, pool);
        solution = solve_ollawv(problem, start, machine.ollawv, columns, monitor);
    }
    // What the path added up to, per sample.
    std::vector<double> steps(problem.samples.size(), 0.0);
    for (std::size_t t = 0; t < solution.path_rows.size(); ++t) {
        const auto taken = static_cast<std::size_t>(solution.path_rows[t]);
        steps[taken] += solution.path_steps[t];
        solution.path_rows[t] = problem.samples[taken];
    }
    const bool stopped = solution.status == Status::interrupted;
    if (machine.refine.refinement == Refinement::none || stopped) {
        read_expansion(problem, steps, machine.C, solution);
    } else {
        std::vector<Index> selected;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (steps[i] != 0.0) selected.push_back(static_cast<Index>(i));
        }
        Solution refined =
            refine(rows, kernel, problem, selected, machine.refine, cache_bytes, pool, monitor);
        refined.n_iter = solution.n_iter;
        refined.n_columns += solution.n_columns;
        refined.path_rows = std::move(solution.path_rows);
        refined.path_steps = std::move(solution.path_steps);
        refined.path_violations = std::move(solution.path_violations);
        // How the selection ended tells more than that the exact solver converged.
        if (refined.status == Status::converged) refined.status = solution.status;
        solution = std::move(refined);
    }
    solution.seconds = std::chrono::duration<double>(Monitor::Clock::now() - began).count();
    return solution;
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

}  // namespace

template <class Real>
std::vector<Solution> solve_all(const Rows<Real>& rows, const KernelSpec& kernel,
                                std::span<const Problem> problems, const OllawvMachine& machine,
                                Index n_threads, Monitor& monitor) {
    std::vector<std::size_t> sizes;
    for (const auto& problem : problems) sizes.push_back(problem.samples.size());
    return run_all(sizes, bytes_of(machine.cache_mb), n_threads, monitor,
                   [&](std::size_t p, std::size_t cache_bytes, ThreadPool& pool) {
                       return solve_one(rows, kernel, problems[p], machine, cache_bytes, pool,
                                        monitor);
                   });
}

template <class Real>
std::vector<Solution> refine_all(const Rows<Real>& rows, const KernelSpec& kernel,
                                 std::span<const RefineTask> tasks, double cache_mb,
                                 Index n_threads, Monitor& monitor) {
    std::vector<std::size_t> sizes;
    for (const auto& task : tasks) sizes.push_back(task.problem.samples.size());
    return run_all(sizes, bytes_of(cache_mb), n_threads, monitor,
                   [&](std::size_t t, std::size_t cache_bytes, ThreadPool& pool) {
                       return refine(rows, kernel, tasks[t].problem, tasks[t].selected,
                                     tasks[t].settings, cache_bytes, pool, monitor);
                   });
}

template std::vector<Solution> solve_all(const Rows<float>&, const KernelSpec&,
                                         std::span<const Problem>, const OllawvMachine&, Index,
                                         Monitor&);
template std::vector<Solution> solve_all(const Rows<double>&, const KernelSpec&,
                                         std::span<const Problem>, const OllawvMachine&, Index,
                                         Monitor&);
template std::vector<Solution> refine_all(const Rows<float>&, const KernelSpec&,
                                          std::span<const RefineTask>, double, Index, Monitor&);
template std::vector<Solution> refine_all(const Rows<double>&, const KernelSpec&,
                                          std::span<const RefineTask>, double, Index, Monitor&);

}  // namespace svmosaic
