#include "solvers/warm_start.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "expansion/decide.hpp"
#include "solvers/dual_report.hpp"

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
        const double balanced = state.beta[i] - rest;
        if (state.beta[i] == 0.0 || balanced < state.lower[i] || balanced > state.upper[i])
            continue;
        state.beta[i] = balanced;
        rest = 0.0;
    }
}

// The samples that SMO begins with: all of a small problem; else the support vectors of a
// warm start, or some hundred samples from everywhere (the rows are in canonical order).
std::vector<Index> first_samples(std::span<const double> start, const DualTask& task) {
    const Index n = task.problem.samples.size();
    std::vector<Index> samples;
    if (n < least_for_rounds || !task.smo.shrinking) {
        samples.resize(n);
        std::iota(samples.begin(), samples.end(), Index{0});
        return samples;
    }
    for (Index i = 0; i < ssize(start); ++i) {
        if (start[i] != 0.0) samples.push_back(i);
    }
    if (!samples.empty()) return samples;
    const Index enough = std::clamp(n / 100, least_start, most_start);
    for (Index k = 0; k < enough; ++k) samples.push_back(k * n / enough);
    return samples;
}

// Coefficients of the samples in play, and the gradients that go with them.
template <class Real>
void take_start(std::span<const double> given, const Rows<Real>& rows, const KernelSpec& kernel,
                const Problem& problem, ThreadPool& pool, Monitor& monitor, DualState& state) {
    std::vector<double> start;
    for (const auto i : state.sample) start.push_back(given[i]);
    make_feasible(start, state);
    const Support support = support_of(problem, state);
    state.counters.n_kernel_values += state.size() * ssize(support.rows);
    const auto values = expansion_values(rows, rows_of(problem, state.sample), kernel, support.rows,
                                         support.coef, pool, monitor);
    for (Index i = 0; i < state.size(); ++i) state.gradient[i] = values[i] - state.target[i];
}

}  // namespace

template <class Real>
Solution solve_from(std::span<const double> start, const Rows<Real>& rows, const KernelSpec& kernel,
                    const DualTask& task, Index cache_bytes, ThreadPool& pool, Monitor& monitor) {
    if (monitor.reason() == Status::interrupted) {
        // Nobody waits for the solution any more.
        Solution solution;
        solution.status = Status::interrupted;
        return solution;
    }
    DualState state = state_of(task, first_samples(start, task));
    double seconds = 0.0;
    if (!start.empty()) {
        const PhaseTimer timer(seconds);
        take_start(start, rows, kernel, task.problem, pool, monitor, state);
    }
    KernelColumns<Real> columns(rows, rows_of(task.problem, state.sample), kernel, cache_bytes,
                                pool, task.problem.samples.size());
    Solution solution = solve_in_rounds(columns, task, std::move(state), monitor);
    solution.seconds.start = seconds;
    return solution;
}

template Solution solve_from(std::span<const double>, const Rows<float>&, const KernelSpec&,
                             const DualTask&, Index, ThreadPool&, Monitor&);
template Solution solve_from(std::span<const double>, const Rows<double>&, const KernelSpec&,
                             const DualTask&, Index, ThreadPool&, Monitor&);

}  // namespace svmosaic
