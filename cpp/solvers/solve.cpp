#include "solvers/solve.hpp"

#include <algorithm>
#include <optional>

#include "core/canonical.hpp"
#include "core/kernel_columns.hpp"
#include "core/thread_pool.hpp"
#include "solvers/cluster_start.hpp"
#include "solvers/rounds.hpp"
#include "solvers/run_all.hpp"

namespace svmosaic {

namespace {

// The expansion without refinement, from its path: coefficients summed per row, in the order of the
// samples.
void read_expansion(const Problem& problem, std::span<const double> steps_of_sample, double C,
                    Solution& solution) {
    for (Index i = 0; i < ssize(problem.samples); ++i) {
        if (steps_of_sample[i] == 0.0) continue;
        solution.support.push_back(problem.samples[i]);
        solution.coef.push_back(C * steps_of_sample[i]);
    }
    solution.intercept *= C;
}

// A selection that full refinement follows is only its start: a few hundred samples will do. The
// solution does not depend on it.
constexpr Index least_start = 200;
constexpr Index most_start = 1000;

template <class Real>
Solution select(const Problem& problem, Index start, const OllawvSettings& settings,
                bool keep_columns, KernelColumns<Real>& columns, Monitor& monitor) {
    SelectionUse use;
    use.keep_columns = keep_columns;
    OllawvOptions options = settings.ollawv;
    if (settings.refine.refinement == Refinement::full) {
        options.margin = 0.0;
        use.enough = std::clamp(columns.size() / 100, least_start, most_start);
    }
    return solve_ollawv(problem, start, options, columns, monitor, use);
}

// Refinement on the columns that the selection has computed, as far as it begins with them.
template <class Real>
Solution refine_further(const Problem& problem, std::span<const Index> selected,
                        const RefineSettings& settings, KernelColumns<Real>& columns,
                        Monitor& monitor) {
    const auto in_play = first_in_play(problem, selected);
    if (in_play.size() < problem.samples.size()) {
        columns.keep_only(std::vector<Index>(in_play.begin(), in_play.end()));
    }
    return refine(columns, problem, in_play, settings, monitor);
}

template <class Real>
Solution solve_one(const Rows<Real>& rows, const KernelSpec& kernel, const Problem& problem,
                   const OllawvSettings& settings, Index cache_bytes, ThreadPool& pool,
                   Monitor& monitor) {
    const auto began = Monitor::Clock::now();
    const auto seconds_so_far = [&] {
        return std::chrono::duration<double>(Monitor::Clock::now() - began).count();
    };
    if (settings.refine.refinement == Refinement::full &&
        helps_to_cluster(kernel, problem, settings.refine.smo)) {
        // It starts from clusters and has no use for a selection.
        Solution solution =
            refine(rows, kernel, problem, {}, settings.refine, cache_bytes, pool, monitor);
        solution.n_iter = 0;
        solution.seconds.total = seconds_so_far();
        return solution;
    }
    const Index start = problem.start >= 0 ? problem.start : central_sample(rows, problem);
    // A column of a large problem has few of the values that refinement asks for, and keeping it
    // takes longer than computing those again.
    const bool share_columns =
        settings.refine.refinement != Refinement::none && problem.samples.size() < least_for_rounds;
    std::optional<KernelColumns<Real>> columns;
    columns.emplace(rows, problem.samples, kernel, cache_bytes, pool);
    double selecting = 0.0;
    Solution solution = [&] {
        const PhaseTimer timer(selecting);
        return select(problem, start, settings, share_columns, *columns, monitor);
    }();
    if (!share_columns) columns.reset();
    // What the path added up to, per sample.
    std::vector<double> steps(problem.samples.size(), 0.0);
    for (Index t = 0; t < ssize(solution.path_rows); ++t) {
        const Index taken = solution.path_rows[t];
        steps[taken] += solution.path_steps[t];
        solution.path_rows[t] = problem.samples[taken];
    }
    const bool stopped = solution.status == Status::interrupted;
    if (settings.refine.refinement == Refinement::none || stopped) {
        read_expansion(problem, steps, settings.C, solution);
    } else {
        std::vector<Index> selected;
        for (Index i = 0; i < ssize(steps); ++i) {
            if (steps[i] != 0.0) selected.push_back(i);
        }
        Solution refined =
            share_columns ? refine_further(problem, selected, settings.refine, *columns, monitor)
                          : refine(rows, kernel, problem, selected, settings.refine, cache_bytes,
                                   pool, monitor);
        refined.n_iter = solution.n_iter;
        // Columns that are shared have been counted.
        if (!share_columns) refined.counters += solution.counters;
        refined.path_rows = std::move(solution.path_rows);
        refined.path_steps = std::move(solution.path_steps);
        refined.path_violations = std::move(solution.path_violations);
        // How the selection ended tells more than that the exact solver converged.
        if (refined.status == Status::converged) refined.status = solution.status;
        solution = std::move(refined);
    }
    solution.counters.n_selections = solution.n_iter;
    solution.seconds.selection = selecting;
    solution.seconds.total = seconds_so_far();
    return solution;
}

}  // namespace

template <class Real>
std::vector<Solution> solve_all(const Rows<Real>& rows, const KernelSpec& kernel,
                                std::span<const Problem> problems, const OllawvSettings& settings,
                                Index n_threads, Monitor& monitor) {
    std::vector<Index> sizes;
    for (const auto& problem : problems) sizes.push_back(problem.samples.size());
    return run_all(sizes, bytes_of(settings.cache_mb), n_threads, monitor,
                   [&](Index p, Index cache_bytes, ThreadPool& pool) {
                       return solve_one(rows, kernel, problems[p], settings, cache_bytes, pool,
                                        monitor);
                   });
}

template std::vector<Solution> solve_all(const Rows<float>&, const KernelSpec&,
                                         std::span<const Problem>, const OllawvSettings&, Index,
                                         Monitor&);
template std::vector<Solution> solve_all(const Rows<double>&, const KernelSpec&,
                                         std::span<const Problem>, const OllawvSettings&, Index,
                                         Monitor&);

}  // namespace svmosaic
