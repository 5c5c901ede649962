#include "solvers/refine.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "core/kernel_columns.hpp"
#include "solvers/dual_report.hpp"
#include "solvers/rounds.hpp"

namespace svmosaic {

namespace {

// Exact coefficients for the samples in the state; the others do not count.
template <class Real>
Solution solve_selected(const Rows<Real>& rows, const KernelSpec& kernel, const DualTask& task,
                        DualState state, std::size_t cache_bytes, ThreadPool& pool,
                        Monitor& monitor) {
    std::vector<Index> numbers;
    for (const auto i : state.sample) numbers.push_back(task.problem.samples[i]);
    KernelColumns<Real> columns(rows, numbers, kernel, cache_bytes, pool);
    solve_smo(columns, state, task.smo, monitor);
    Solution solution;
    solution.violation = state.violation;
    solution.n_columns = columns.n_computed();
    report(task.problem, state, std::numeric_limits<double>::quiet_NaN(), monitor, solution);
    return solution;
}

}  // namespace

template <class Real>
Solution refine(const Rows<Real>& rows, const KernelSpec& kernel, const Problem& problem,
                std::span<const Index> selected, const RefineSettings& settings,
                std::size_t cache_bytes, ThreadPool& pool, Monitor& monitor) {
    const DualTask task{problem, settings.C, Loss::hinge, 0.0, settings.smo};
    const bool full = settings.refinement == Refinement::full;
    std::vector<std::size_t> samples(selected.begin(), selected.end());
    if (full && problem.samples.size() < least_for_rounds) {
        samples.resize(problem.samples.size());
        std::iota(samples.begin(), samples.end(), std::size_t{0});
    }
    std::sort(samples.begin(), samples.end());
    const auto solve = full ? solve_in_rounds<Real> : solve_selected<Real>;
    return solve(rows, kernel, task, state_of(task, samples), cache_bytes, pool, monitor);
}

template Solution refine(const Rows<float>&, const KernelSpec&, const Problem&,
                         std::span<const Index>, const RefineSettings&, std::size_t, ThreadPool&,
                         Monitor&);
template Solution refine(const Rows<double>&, const KernelSpec&, const Problem&,
                         std::span<const Index>, const RefineSettings&, std::size_t, ThreadPool&,
                         Monitor&);

}  // namespace svmosaic
