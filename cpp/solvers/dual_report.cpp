#include "solvers/dual_report.hpp"

#include <algorithm>

namespace svmosaic {

namespace {

// Half the squared norm of the weight vector.
double regulariser(const DualState& state) {
    double sum = 0.0;
    for (Index i = 0; i < state.size(); ++i) {
        sum += 0.5 * state.beta[i] * (state.gradient[i] + state.target[i]);
    }
    return sum;
}

double loss_in_play(const DualState& state) {
    double loss = 0.0;
    for (Index i = 0; i < state.size(); ++i) {
        const double bound = std::max(-state.lower[i], state.upper[i]);
        const double decision = state.gradient[i] + state.target[i] + state.intercept;
        loss += bound * loss_of(state, state.target[i], decision);
    }
    return loss;
}

}  // namespace

double loss_of(const DualState& state, double target, double decision) {
    if (state.loss == Loss::hinge) return std::max(0.0, 1.0 - target * decision);
    return std::max(0.0, std::abs(decision - target) - state.epsilon);
}

Support support_of(const Problem& problem, const DualState& state) {
    std::vector<double> beta(problem.samples.size(), 0.0);
    for (Index k = 0; k < state.size(); ++k) beta[state.sample[k]] = state.beta[k];
    Support support;
    for (Index i = 0; i < ssize(beta); ++i) {
        if (beta[i] == 0.0) continue;
        support.rows.push_back(problem.samples[i]);
        support.coef.push_back(beta[i]);
    }
    return support;
}

void report(const Problem& problem, const DualState& state, double loss_outside,
            const Monitor& monitor, Solution& solution) {
    Support support = support_of(problem, state);
    solution.support = std::move(support.rows);
    solution.coef = std::move(support.coef);
    solution.intercept = state.intercept;
    solution.status = state.status;
    solution.counters += state.counters;
    // A run that was stopped may have left gradients out of date, so it does not say.
    if (monitor.stopped()) return;
    solution.objective = dual_objective(state);
    const double primal = regulariser(state) + loss_in_play(state) + loss_outside;
    // Below zero by rounding only.
    solution.dual_gap = std::max(0.0, primal - solution.objective);
}

}  // namespace svmosaic
