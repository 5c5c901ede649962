#include "solvers/refine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/kernel_columns.hpp"
#include "expansion/decide.hpp"

namespace svmosaic {

namespace {

// Early rounds only have to find the violators; the last one meets the tolerance.
constexpr double early_looseness = 10.0;

struct Support {
    std::vector<Index> rows;
    std::vector<double> coef;
};

// Support vectors in the order of the problem's samples.
Support support_of(const Problem& problem, const DualState& state) {
    std::vector<double> beta(problem.samples.size(), 0.0);
    for (std::size_t k = 0; k < state.size(); ++k) beta[state.sample[k]] = state.beta[k];
    Support support;
    for (std::size_t i = 0; i < beta.size(); ++i) {
        if (beta[i] == 0.0) continue;
        support.rows.push_back(problem.samples[i]);
        support.coef.push_back(beta[i]);
    }
    return support;
}

// The samples that are not in play, ascending.
std::vector<std::size_t> outside_of(const Problem& problem, const DualState& state) {
    std::vector<bool> in_play(problem.samples.size(), false);
    for (const auto i : state.sample) in_play[i] = true;
    std::vector<std::size_t> outside;
    for (std::size_t i = 0; i < in_play.size(); ++i) {
        if (!in_play[i]) outside.push_back(i);
    }
    return outside;
}

std::vector<Index> rows_of(const Problem& problem, std::span<const std::size_t> samples) {
    std::vector<Index> rows;
    rows.reserve(samples.size());
    for (const auto i : samples) rows.push_back(problem.samples[i]);
    return rows;
}

// The extremes of the gradient over the samples in play (see DualState::violation).
struct Interval {
    double lowest_up = std::numeric_limits<double>::infinity();
    double highest_low = -std::numeric_limits<double>::infinity();
};

Interval interval_of(const DualState& state) {
    Interval interval;
    for (std::size_t i = 0; i < state.beta.size(); ++i) {
        if (state.beta[i] < state.upper[i]) {
            interval.lowest_up = std::min(interval.lowest_up, state.gradient[i]);
        }
        if (state.beta[i] > state.lower[i]) {
            interval.highest_low = std::max(interval.highest_low, state.gradient[i]);
        }
    }
    return interval;
}

double hinge(double target, double decision) {
    return std::max(0.0, 1.0 - target * decision);
}

// Half the squared norm of the weight vector.
double regulariser(const DualState& state) {
    double sum = 0.0;
    for (std::size_t i = 0; i < state.beta.size(); ++i) {
        sum += 0.5 * state.beta[i] * (state.gradient[i] + state.target[i]);
    }
    return sum;
}

double loss_in_play(const DualState& state) {
    double loss = 0.0;
    for (std::size_t i = 0; i < state.beta.size(); ++i) {
        const double bound = std::max(-state.lower[i], state.upper[i]);
        const double decision = state.gradient[i] + state.target[i] + state.intercept;
        loss += bound * hinge(state.target[i], decision);
    }
    return loss;
}

}  // namespace

template <class Real>
Solution refine(const Rows<Real>& rows, const KernelSpec& kernel, const Problem& problem,
                std::span<const Index> selected, const RefineSettings& settings,
                std::size_t cache_bytes, ThreadPool& pool, Monitor& monitor) {
    std::vector<std::size_t> samples(selected.begin(), selected.end());
    std::sort(samples.begin(), samples.end());
    const auto bound = [&](std::size_t i) { return settings.C * problem.weights[i]; };
    DualState state;
    for (const auto i : samples) state.add(i, problem.targets[i], bound(i), 0.0);
    KernelColumns<Real> columns(rows, rows_of(problem, samples), kernel, cache_bytes, pool);

    const bool full = settings.refinement == Refinement::full;
    SmoSettings smo = settings.smo;
    if (full) smo.tol *= early_looseness;
    double loss_outside = 0.0;
    double violation = 0.0;
    while (true) {
        solve_smo(columns, state, smo, monitor);
        violation = state.violation;
        if (!full || state.status != Status::converged) break;

        // Every sample outside has beta = 0: one side of its interval is its bound.
        const auto outside = outside_of(problem, state);
        const Support support = support_of(problem, state);
        const auto values = expansion_values(rows, rows_of(problem, outside), kernel, support.rows,
                                             support.coef, pool, monitor);
        if (monitor.stopped()) {
            state.status = monitor.reason();
            break;
        }
        // Measured against the middle, not against the far end of the interval: two samples that
        // are both outside can violate the conditions together.
        Interval interval = interval_of(state);
        const double middle = middle_of(interval.lowest_up, interval.highest_low);
        const double slack = 0.5 * settings.smo.tol;
        std::vector<std::size_t> joiners;
        const std::size_t in_play = state.size();
        loss_outside = 0.0;
        for (std::size_t k = 0; k < outside.size(); ++k) {
            const std::size_t i = outside[k];
            const double target = problem.targets[i];
            const double gradient = values[k] - target;
            if (target * (gradient - middle) < -slack) {
                joiners.push_back(i);
                state.add(i, target, bound(i), values[k]);
            }
            if (target > 0) {
                interval.lowest_up = std::min(interval.lowest_up, gradient);
            } else {
                interval.highest_low = std::max(interval.highest_low, gradient);
            }
            loss_outside += bound(i) * hinge(target, values[k] + state.intercept);
        }
        violation = std::max(0.0, interval.highest_low - interval.lowest_up);
        if (violation <= settings.smo.tol) {
            // Joiners that changed nothing are counted with the samples outside.
            state.resize(in_play);
            break;
        }
        if (joiners.empty() && smo.tol <= settings.smo.tol) break;
        if (joiners.size() * 20 < in_play) smo.tol = settings.smo.tol;
        columns.append(rows_of(problem, joiners));
    }

    Solution solution;
    Support support = support_of(problem, state);
    solution.support = std::move(support.rows);
    solution.coef = std::move(support.coef);
    solution.intercept = state.intercept;
    solution.status = state.status;
    solution.n_columns = columns.n_computed();
    solution.n_updates = state.n_updates;
    solution.violation = violation;
    // A run that was stopped may have left gradients out of date, so it does not say.
    if (!monitor.stopped()) solution.objective = dual_objective(state);
    if (full && solution.status == Status::converged) {
        const double primal = regulariser(state) + loss_in_play(state) + loss_outside;
        // Below zero by rounding only.
        solution.dual_gap = std::max(0.0, primal - solution.objective);
    }
    return solution;
}

template Solution refine(const Rows<float>&, const KernelSpec&, const Problem&,
                         std::span<const Index>, const RefineSettings&, std::size_t, ThreadPool&,
                         Monitor&);
template Solution refine(const Rows<double>&, const KernelSpec&, const Problem&,
                         std::span<const Index>, const RefineSettings&, std::size_t, ThreadPool&,
                         Monitor&);

}  // namespace svmosaic
