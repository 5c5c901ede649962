#include "solvers/nu_svm.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "expansion/decide.hpp"
#include "solvers/grouped_smo.hpp"

namespace svmosaic {

namespace {

// Samples whose mean stands for that of all when the start is chosen.
constexpr Index most_in_mean = 1000;
// A margin below this share of the largest gradient is rounding, and no scale for f.
constexpr double least_margin = 1e-12;

std::vector<Index> count_to(Index n) {
    std::vector<Index> numbers(n);
    std::iota(numbers.begin(), numbers.end(), Index{0});
    return numbers;
}

// Gives the samples in this order all that their bounds allow, until the sum is reached. `sign` is
// that of the variables.
void fill(std::span<const Index> order, double sign, double sum, DualGroup& group) {
    for (const Index i : order) {
        const double room = sign > 0.0 ? group.upper[i] : -group.lower[i];
        const double amount = std::min(room, sum);
        group.beta[i] = sign * amount;
        sum -= amount;
        if (sum <= 0.0) return;
    }
}

// sum_j coef_j k(x, x_j) for all samples, over those with a coefficient.
template <class Real>
std::vector<double> values_of(std::span<const double> coefficients, KernelColumns<Real>& columns,
                              SolveCounters& counters, Monitor& monitor) {
    const auto& computer = columns.computer();
    std::vector<Index> support;
    std::vector<double> coef;
    for (Index i = 0; i < ssize(coefficients); ++i) {
        if (coefficients[i] == 0.0) continue;
        support.push_back(computer.samples()[i]);
        coef.push_back(coefficients[i]);
    }
    if (support.empty()) return std::vector<double>(coefficients.size(), 0.0);
    counters.n_kernel_values += ssize(coefficients) * ssize(support);
    return expansion_values(computer.rows(), computer.samples(), computer.kernel(), support, coef,
                            columns.computer().pool(), monitor);
}

// How easy the samples look: y times the difference of the mean kernel values with both classes, or
// the mean itself where there is one class. Small values are hard.
template <class Real>
std::vector<double> ease_of(const Problem& problem, std::span<const double> sides,
                            KernelColumns<Real>& columns, SolveCounters& counters,
                            Monitor& monitor) {
    const Index n = ssize(problem.samples);
    const Index count = std::min(n, most_in_mean);
    std::vector<double> coef(n, 0.0);
    double positive = 0.0;
    double negative = 0.0;
    for (Index k = 0; k < count; ++k) {
        const Index i = k * n / count;
        coef[i] = sides[i] * problem.weights[i];
        (sides[i] > 0.0 ? positive : negative) += problem.weights[i];
    }
    for (Index i = 0; i < n; ++i) {
        if (coef[i] != 0.0) coef[i] /= sides[i] > 0.0 ? positive : negative;
    }
    auto ease = values_of<Real>(coef, columns, counters, monitor);
    for (Index i = 0; i < n; ++i) ease[i] *= sides[i];
    return ease;
}

// One group for each side, +1 and -1: the samples of that side.
template <class Real>
void start_from_hardest(const Problem& problem, std::span<const double> sides, double sum,
                        KernelColumns<Real>& columns, GroupedState& state, Monitor& monitor) {
    const Index n = ssize(problem.samples);
    const auto ease = ease_of(problem, sides, columns, state.counters, monitor);
    auto order = count_to(n);
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return ease[a] < ease[b]; });
    for (const double side : {1.0, -1.0}) {
        DualGroup group(n);
        double room = 0.0;
        for (Index i = 0; i < n; ++i) {
            if (sides[i] != side) continue;
            (side > 0.0 ? group.upper : group.lower)[i] = side * problem.weights[i];
            room += problem.weights[i];
        }
        if (room == 0.0) continue;
        fill(order, side, sum, group);
        state.groups.push_back(std::move(group));
    }
}

template <class Real>
void start_classification(const Problem& problem, double nu, KernelColumns<Real>& columns,
                          GroupedState& state, Monitor& monitor) {
    double positive = 0.0;
    double negative = 0.0;
    for (Index i = 0; i < state.size(); ++i) {
        (problem.targets[i] > 0.0 ? positive : negative) += problem.weights[i];
    }
    // The classes have equal sums, which the lighter one can bound.
    const double sum = std::min({0.5 * nu * (positive + negative), positive, negative});
    start_from_hardest(problem, problem.targets, sum, columns, state, monitor);
}

template <class Real>
void start_one_class(const Problem& problem, double nu, KernelColumns<Real>& columns,
                     GroupedState& state, Monitor& monitor) {
    const std::vector<double> sides(state.size(), 1.0);
    const double total = std::accumulate(problem.weights.begin(), problem.weights.end(), 0.0);
    start_from_hardest<Real>(problem, sides, nu * total, columns, state, monitor);
}

// Groups for a and -a*, which cancel at the start.
void start_regression(const Problem& problem, double nu, double C, GroupedState& state) {
    const Index n = state.size();
    const auto order = count_to(n);
    const double total = std::accumulate(problem.weights.begin(), problem.weights.end(), 0.0);
    for (const double side : {1.0, -1.0}) {
        DualGroup group(n);
        auto& bound = side > 0.0 ? group.upper : group.lower;
        for (Index i = 0; i < n; ++i) bound[i] = side * C * problem.weights[i];
        fill(order, side, 0.5 * C * nu * total, group);
        state.groups.push_back(std::move(group));
    }
    state.target.assign(problem.targets.begin(), problem.targets.end());
}

template <class Real>
GroupedState start_of(const Problem& problem, const NuSettings& settings,
                      KernelColumns<Real>& columns, Monitor& monitor) {
    GroupedState state;
    const Index n = ssize(problem.samples);
    state.target.assign(n, 0.0);
    switch (settings.task) {
        case NuTask::classification:
            start_classification(problem, settings.nu, columns, state, monitor);
            break;
        case NuTask::regression:
            start_regression(problem, settings.nu, settings.C, state);
            break;
        case NuTask::one_class:
            start_one_class(problem, settings.nu, columns, state, monitor);
            break;
    }
    std::vector<double> beta(n);
    for (Index i = 0; i < n; ++i) beta[i] = state.coefficient(i);
    state.gradient = values_of<Real>(beta, columns, state.counters, monitor);
    for (Index i = 0; i < n; ++i) state.gradient[i] -= state.target[i];
    return state;
}

// What the multipliers of the groups say: for a one-class SVM there is one.
double intercept_of(const GroupedState& state) {
    return -0.5 * (state.multiplier.front() + state.multiplier.back());
}

// What f is divided by: the margin of two classes, unless there is none.
double scale_of(const GroupedState& state, NuTask task) {
    if (task != NuTask::classification) return 1.0;
    const double margin = 0.5 * (state.multiplier.front() - state.multiplier.back());
    double largest = 0.0;
    for (const double gradient : state.gradient) largest = std::max(largest, std::abs(gradient));
    return margin > least_margin * largest ? margin : 1.0;
}

void report(const Problem& problem, const GroupedState& state, NuTask task, const Monitor& monitor,
            Solution& solution) {
    const double scale = scale_of(state, task);
    for (Index i = 0; i < state.size(); ++i) {
        const double coefficient = state.coefficient(i);
        if (coefficient == 0.0) continue;
        solution.support.push_back(problem.samples[i]);
        solution.coef.push_back(coefficient / scale);
    }
    solution.intercept = intercept_of(state) / scale;
    solution.status = state.status;
    solution.violation = state.violation;
    const double difference = 0.5 * (state.multiplier.front() - state.multiplier.back());
    if (task == NuTask::classification) solution.width = difference;
    if (task == NuTask::regression) solution.width = -difference;
    // A run that was stopped may have left gradients out of date, so it does not say.
    if (monitor.stopped()) return;
    solution.objective = dual_objective(state) / (scale * scale);
    // Below zero by rounding only.
    solution.dual_gap = std::max(0.0, dual_gap(state) / (scale * scale));
}

}  // namespace

template <class Real>
Solution solve_nu_svm(const Problem& problem, const NuSettings& settings,
                      KernelColumns<Real>& columns, Monitor& monitor) {
    Solution solution;
    GroupedState state = start_of(problem, settings, columns, monitor);
    solve_grouped_smo(columns, state, settings.smo, monitor);
    report(problem, state, settings.task, monitor, solution);
    solution.n_iter = state.counters.n_updates;
    solution.counters = state.counters;
    columns.add_to(solution.counters);
    return solution;
}

template Solution solve_nu_svm(const Problem&, const NuSettings&, KernelColumns<float>&, Monitor&);
template Solution solve_nu_svm(const Problem&, const NuSettings&, KernelColumns<double>&, Monitor&);

}  // namespace svmosaic
