#include "solvers/smo_problem.hpp"

#include "solvers/cluster_start.hpp"
#include "solvers/run_all.hpp"

namespace svmosaic {

template <class Real>
Solution solve_smo_problem(const Rows<Real>& rows, const KernelSpec& kernel, const SmoTask& task,
                           const SmoSettings& settings, Index cache_bytes, ThreadPool& pool,
                           Monitor& monitor) {
    const auto began = Monitor::Clock::now();
    const DualTask dual{task.problem, settings.C, settings.loss, settings.epsilon, settings.smo};
    Solution solution =
        task.start.empty() ? solve_by_clusters(rows, kernel, dual, cache_bytes, pool, monitor)
                           : solve_from(task.start, rows, kernel, dual, cache_bytes, pool, monitor);
    solution.n_iter = solution.counters.n_updates;
    solution.seconds.total = std::chrono::duration<double>(Monitor::Clock::now() - began).count();
    return solution;
}

template <class Real>
std::vector<Solution> solve_smo_problems(const Rows<Real>& rows, const KernelSpec& kernel,
                                         std::span<const SmoTask> tasks,
                                         const SmoSettings& settings, Index n_threads,
                                         Monitor& monitor) {
    std::vector<Index> sizes;
    for (const auto& task : tasks) sizes.push_back(task.problem.samples.size());
    return run_all(sizes, bytes_of(settings.cache_mb), n_threads, monitor,
                   [&](Index t, Index cache_bytes, ThreadPool& pool) {
                       return solve_smo_problem(rows, kernel, tasks[t], settings, cache_bytes, pool,
                                                monitor);
                   });
}

template Solution solve_smo_problem(const Rows<float>&, const KernelSpec&, const SmoTask&,
                                    const SmoSettings&, Index, ThreadPool&, Monitor&);
template Solution solve_smo_problem(const Rows<double>&, const KernelSpec&, const SmoTask&,
                                    const SmoSettings&, Index, ThreadPool&, Monitor&);
template std::vector<Solution> solve_smo_problems(const Rows<float>&, const KernelSpec&,
                                                  std::span<const SmoTask>, const SmoSettings&,
                                                  Index, Monitor&);
template std::vector<Solution> solve_smo_problems(const Rows<double>&, const KernelSpec&,
                                                  std::span<const SmoTask>, const SmoSettings&,
                                                  Index, Monitor&);

}  // namespace svmosaic
