#include "solvers/smo_problem.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "expansion/decide.hpp"
#include "solvers/dual_report.hpp"
#include "solvers/rounds.hpp"
#include "solvers/run_all.hpp"

namespace svmosaic {

namespace {

constexpr Index least_start = 200;
constexpr Index most_start = 1000;

// Cuts the start to the bounds, then scales down the side that outweighs the other, so that the
// coefficients sum to zero.
void make_feasible(std::span<const double> start, DualState& state) {
    double positive = 0.0;
    double negative = 0.0;
    for (Index i = 0; i < state.size(); ++i) {
        state.beta[i] = std::clamp(start[i], state.lower[i], state.upper[i]);
        (state.beta[i] > 0 ? positive : negative) += std::abs(state.beta[i]);
    }
    const double common = std::min(positive, negative);
    double rest = 0.0;
    for (auto& beta : state.beta) {
        const double side = beta > 0 ? positive : negative;
        beta = side > 0.0 ? beta * (common / side) : 0.0;
        rest += beta;
    }
    // What rounding left goes to the first variable with room for it.
    for (Index i = 0; i < state.size() && rest != 0.0; ++i) {
        const double mended = state.beta[i] - rest;
        if (state.beta[i] == 0.0 || mended < state.lower[i] || mended > state.upper[i]) continue;
        state.beta[i] = mended;
        rest = 0.0;
    }
}

// The samples that SMO begins with: all of a small problem; else the support vectors of a
// warm start, or some hundred samples from everywhere (the rows are in canonical order).
std::vector<Index> first_samples(const SmoTask& task, const SmoSettings& settings) {
    const Index n = task.problem.samples.size();
    std::vector<Index> samples;
    if (n < least_for_rounds || !settings.smo.shrinking) {
        samples.resize(n);
        std::iota(samples.begin(), samples.end(), Index{0});
        return samples;
    }
    for (Index i = 0; i < ssize(task.start); ++i) {
        if (task.start[i] != 0.0) samples.push_back(i);
    }
    if (!samples.empty()) return samples;
    const Index enough = std::clamp(n / 100, least_start, most_start);
    for (Index k = 0; k < enough; ++k) samples.push_back(k * n / enough);
    return samples;
}

template <class Real>
void warm_start(const Rows<Real>& rows, const KernelSpec& kernel, const SmoTask& task,
                ThreadPool& pool, Monitor& monitor, DualState& state) {
    std::vector<double> start;
    std::vector<Index> in_play;
    for (const auto i : state.sample) {
        start.push_back(task.start[i]);
        in_play.push_back(task.problem.samples[i]);
    }
    make_feasible(start, state);
    const Support support = support_of(task.problem, state);
    const auto values =
        expansion_values(rows, in_play, kernel, support.rows, support.coef, pool, monitor);
    for (Index i = 0; i < state.size(); ++i) {
        state.gradient[i] = values[i] - state.target[i];
    }
}

}  // namespace

template <class Real>
Solution solve_smo_problem(const Rows<Real>& rows, const KernelSpec& kernel, const SmoTask& task,
                           const SmoSettings& settings, Index cache_bytes, ThreadPool& pool,
                           Monitor& monitor) {
    const auto began = Monitor::Clock::now();
    const DualTask dual{task.problem, settings.C, settings.loss, settings.epsilon, settings.smo};
    DualState state = state_of(dual, first_samples(task, settings));
    if (!task.start.empty()) warm_start(rows, kernel, task, pool, monitor, state);
    KernelColumns<Real> columns(rows, rows_of(task.problem, state.sample), kernel, cache_bytes,
                                pool, task.problem.samples.size());
    Solution solution = solve_in_rounds(columns, dual, std::move(state), monitor);
    solution.n_iter = solution.n_updates;
    solution.seconds = std::chrono::duration<double>(Monitor::Clock::now() - began).count();
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
