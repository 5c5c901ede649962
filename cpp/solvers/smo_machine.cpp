#include "solvers/smo_machine.hpp"

#include <algorithm>
#include <cmath>

#include "core/kernel_columns.hpp"
#include "expansion/decide.hpp"
#include "solvers/dual_report.hpp"
#include "solvers/run_all.hpp"

namespace svmosaic {

namespace {

// Cuts the start to the bounds, then scales down the side that outweighs the other, so that the
// coefficients sum to zero.
void make_feasible(std::span<const double> start, DualState& state) {
    double positive = 0.0;
    double negative = 0.0;
    for (std::size_t i = 0; i < state.size(); ++i) {
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
    for (std::size_t i = 0; i < state.size() && rest != 0.0; ++i) {
        const double mended = state.beta[i] - rest;
        if (state.beta[i] == 0.0 || mended < state.lower[i] || mended > state.upper[i]) continue;
        state.beta[i] = mended;
        rest = 0.0;
    }
}

template <class Real>
void warm_start(const Rows<Real>& rows, const KernelSpec& kernel, const SmoTask& task,
                ThreadPool& pool, Monitor& monitor, DualState& state) {
    make_feasible(task.start, state);
    const Support support = support_of(task.problem, state);
    const auto values = expansion_values(rows, task.problem.samples, kernel, support.rows,
                                         support.coef, pool, monitor);
    for (std::size_t i = 0; i < state.size(); ++i) {
        state.gradient[i] = values[i] - state.target[i];
    }
}

template <class Real>
Solution solve_one(const Rows<Real>& rows, const KernelSpec& kernel, const SmoTask& task,
                   const SmoMachine& machine, std::size_t cache_bytes, ThreadPool& pool,
                   Monitor& monitor) {
    const auto began = Monitor::Clock::now();
    const Problem& problem = task.problem;
    DualState state;
    state.loss = machine.loss;
    state.epsilon = machine.loss == Loss::hinge ? 0.0 : machine.epsilon;
    for (std::size_t i = 0; i < problem.samples.size(); ++i) {
        state.add(i, problem.targets[i], machine.C * problem.weights[i], 0.0);
    }
    if (!task.start.empty()) warm_start(rows, kernel, task, pool, monitor, state);
    KernelColumns<Real> columns(rows, problem.samples, kernel, cache_bytes, pool);
    solve_smo(columns, state, machine.smo, monitor);

    Solution solution;
    solution.violation = state.violation;
    solution.n_columns = columns.n_computed();
    report(problem, state, 0.0, monitor, solution);
    solution.n_iter = state.n_updates;
    solution.seconds = std::chrono::duration<double>(Monitor::Clock::now() - began).count();
    return solution;
}

}  // namespace

template <class Real>
std::vector<Solution> solve_smo_machines(const Rows<Real>& rows, const KernelSpec& kernel,
                                         std::span<const SmoTask> tasks, const SmoMachine& machine,
                                         Index n_threads, Monitor& monitor) {
    std::vector<std::size_t> sizes;
    for (const auto& task : tasks) sizes.push_back(task.problem.samples.size());
    return run_all(sizes, bytes_of(machine.cache_mb), n_threads, monitor,
                   [&](std::size_t t, std::size_t cache_bytes, ThreadPool& pool) {
                       return solve_one(rows, kernel, tasks[t], machine, cache_bytes, pool,
                                        monitor);
                   });
}

template std::vector<Solution> solve_smo_machines(const Rows<float>&, const KernelSpec&,
                                                  std::span<const SmoTask>, const SmoMachine&,
                                                  Index, Monitor&);
template std::vector<Solution> solve_smo_machines(const Rows<double>&, const KernelSpec&,
                                                  std::span<const SmoTask>, const SmoMachine&,
                                                  Index, Monitor&);

}  // namespace svmosaic
