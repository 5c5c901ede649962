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

// Samples whose mean replaces that of all when the start is chosen: one of eight, within limits.
// With more of them the start hardly improves, and they cost more than the updates they save.
constexpr Index least_in_mean = 32;
constexpr Index most_in_mean = 128;
constexpr Index share_in_mean = 8;
// A share of a sum that only rounding leaves.
constexpr double share_of_sum = 1e-12;

// Gives the samples in this order all that their bounds allow, until the sum is reached. `sign` is
// that of the variables.
void fill(std::span<const Index> order, double sign, double sum, DualGroup& group) {
    const double nothing = share_of_sum * sum;
    for (const Index i : order) {
        const double room = sign > 0.0 ? group.upper[i] : -group.lower[i];
        // Short of its bound by rounding, a variable would pass for free.
        const double amount = room - sum <= nothing ? room : sum;
        group.beta[i] = sign * amount;
        sum -= amount;
        if (sum <= nothing) return;
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
    const Index count = std::min(n, std::clamp(n / share_in_mean, least_in_mean, most_in_mean));
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

// One group for each side, +1 and -1: the samples of that side, with bounds `unit` times their
// weights.
template <class Real>
void start_from_hardest(const Problem& problem, std::span<const double> sides, double sum,
                        double unit, KernelColumns<Real>& columns, GroupedState& state,
                        Monitor& monitor) {
    const Index n = ssize(problem.samples);
    const auto ease = ease_of(problem, sides, columns, state.counters, monitor);
    auto order = count_up(n);
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return ease[a] < ease[b]; });
    for (const double side : {1.0, -1.0}) {
        DualGroup group(n);
        double room = 0.0;
        for (Index i = 0; i < n; ++i) {
            if (sides[i] != side) continue;
            (side > 0.0 ? group.upper : group.lower)[i] = side * unit * problem.weights[i];
            room += problem.weights[i];
        }
        if (room == 0.0) continue;
        fill(order, side, sum, group);
        state.groups.push_back(std::move(group));
    }
}

// Returns the unit of the bounds. The classes have equal sums, which the lighter one can bound; f
// is scaled in the end, so that the sums may be what they are for weights of 1. Then the tolerance
// means the same for light samples as for heavy ones.
template <class Real>
double start_classification(const Problem& problem, double nu, KernelColumns<Real>& columns,
                            GroupedState& state, Monitor& monitor) {
    double positive = 0.0;
    double negative = 0.0;
    for (Index i = 0; i < state.size(); ++i) {
        (problem.targets[i] > 0.0 ? positive : negative) += problem.weights[i];
    }
    const double wanted = std::min({0.5 * nu * (positive + negative), positive, negative});
    const double sum = 0.5 * nu * static_cast<double>(state.size());
    const double unit = sum / wanted;
    start_from_hardest(problem, problem.targets, sum, unit, columns, state, monitor);
    return unit;
}

// Returns the unit of the bounds; likewise.
template <class Real>
double start_one_class(const Problem& problem, double nu, KernelColumns<Real>& columns,
                       GroupedState& state, Monitor& monitor) {
    const std::vector<double> sides(state.size(), 1.0);
    const double total = std::accumulate(problem.weights.begin(), problem.weights.end(), 0.0);
    const double n = static_cast<double>(state.size());
    start_from_hardest<Real>(problem, sides, nu * n, n / total, columns, state, monitor);
    return n / total;
}

// Groups for a and -a*, which cancel at the start.
void start_regression(const Problem& problem, double nu, double C, GroupedState& state) {
    const Index n = state.size();
    const auto order = count_up(n);
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

// A feasible state with its gradient. `unit` becomes that of the bounds.
template <class Real>
GroupedState start_of(const Problem& problem, const NuSettings& settings,
                      KernelColumns<Real>& columns, double& unit, Monitor& monitor) {
    GroupedState state;
    const Index n = ssize(problem.samples);
    state.target.assign(n, 0.0);
    switch (settings.task) {
        case NuTask::classification:
            unit = start_classification(problem, settings.nu, columns, state, monitor);
            break;
        case NuTask::regression:
            start_regression(problem, settings.nu, settings.C, state);
            break;
        case NuTask::one_class:
            unit = start_one_class(problem, settings.nu, columns, state, monitor);
            break;
    }
    std::vector<double> beta(n);
    for (Index i = 0; i < n; ++i) beta[i] = state.coefficient(i);
    state.gradient = values_of<Real>(beta, columns, state.counters, monitor);
    for (Index i = 0; i < n; ++i) state.gradient[i] -= state.target[i];
    return state;
}

// What the multipliers of the groups say of f; for a one-class SVM there is one.
struct Found {
    double middle;
    double width;  // half of what is between them: the margin, or that of the tube with its sign

    Found(double first, double last) : middle(0.5 * (first + last)), width(0.5 * (first - last)) {}
};

// Where all samples of the lighter class have all that they may, nu is the largest possible and
// every margin from the one found on belongs to the same w. That of the L1-SVM with C = 1 is taken,
// unless it is smaller: then f is the same as there.
Found found_in(const GroupedState& state, const NuSettings& settings, double unit) {
    const double first = state.multiplier.front();
    const double last = state.multiplier.back();
    if (settings.task != NuTask::classification || 0.5 * (first - last) >= unit) {
        return {first, last};
    }
    const auto has_all = [](const DualGroup& group) {
        return group.beta == group.upper || group.beta == group.lower;
    };
    const bool first_has = has_all(state.groups.front());
    const bool last_has = has_all(state.groups.back());
    if (first_has && !last_has) return {last + 2.0 * unit, last};
    if (last_has && !first_has) return {first, first - 2.0 * unit};
    return {first, last};
}

void report(const Problem& problem, const GroupedState& state, const NuSettings& settings,
            double unit, const Monitor& monitor, Solution& solution) {
    const Found found = found_in(state, settings, unit);
    double scale = 1.0;
    if (settings.task == NuTask::classification) {
        const bool has_margin = found.width > settings.smo.tol;
        if (has_margin) scale = found.width;
        solution.width = has_margin ? found.width / unit : 0.0;
    } else if (settings.task == NuTask::regression) {
        solution.width = -found.width;
    } else {
        scale = unit;
    }
    for (Index i = 0; i < state.size(); ++i) {
        const double coefficient = state.coefficient(i);
        if (coefficient == 0.0) continue;
        solution.support.push_back(problem.samples[i]);
        solution.coef.push_back(coefficient / scale);
    }
    solution.intercept = -found.middle / scale;
    solution.status = state.status;
    solution.violation = state.violation;
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
    double unit = 1.0;
    GroupedState state = start_of(problem, settings, columns, unit, monitor);
    solve_grouped_smo(columns, state, settings.smo, monitor);
    report(problem, state, settings, unit, monitor, solution);
    solution.n_iter = state.counters.n_updates;
    solution.counters = state.counters;
    columns.add_to(solution.counters);
    return solution;
}

template Solution solve_nu_svm(const Problem&, const NuSettings&, KernelColumns<float>&, Monitor&);
template Solution solve_nu_svm(const Problem&, const NuSettings&, KernelColumns<double>&, Monitor&);

}  // namespace svmosaic
