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

// The samples in play, ascending, with their dual variables.
struct Play {
    std::vector<std::size_t> samples;  // positions in the problem
    DualState state;
};

std::vector<Index> rows_of(const Problem& problem, const std::vector<std::size_t>& samples) {
    std::vector<Index> rows;
    rows.reserve(samples.size());
    for (const auto i : samples) rows.push_back(problem.samples[i]);
    return rows;
}

Play bring_into_play(const Problem& problem, std::vector<std::size_t> samples, double C) {
    std::vector<double> targets;
    std::vector<double> upper;
    for (const auto i : samples) {
        targets.push_back(problem.targets[i]);
        upper.push_back(C * problem.weights[i]);
    }
    return {std::move(samples), start_at_zero(targets, upper)};
}

// A sample that joins: its position and its value of sum_j beta_j k(x, x_j).
struct Joiner {
    std::size_t sample;
    double value;
};

// Joins the violators to the samples in play; the old ones keep their variables.
Play widen(const Problem& problem, const Play& old, const std::vector<Joiner>& joiners, double C) {
    std::vector<std::size_t> samples = old.samples;
    for (const auto& joiner : joiners) samples.push_back(joiner.sample);
    std::sort(samples.begin(), samples.end());
    Play play = bring_into_play(problem, std::move(samples), C);
    std::size_t o = 0;
    std::size_t j = 0;
    for (std::size_t k = 0; k < play.samples.size(); ++k) {
        if (o < old.samples.size() && old.samples[o] == play.samples[k]) {
            play.state.beta[k] = old.state.beta[o];
            play.state.gradient[k] = old.state.gradient[o];
            ++o;
        } else {
            play.state.gradient[k] = joiners[j].value - play.state.target[k];
            ++j;
        }
    }
    play.state.n_updates = old.state.n_updates;
    return play;
}

struct Support {
    std::vector<Index> rows;
    std::vector<double> coef;
};

Support support_of(const Problem& problem, const Play& play) {
    Support support;
    for (std::size_t k = 0; k < play.samples.size(); ++k) {
        if (play.state.beta[k] == 0.0) continue;
        support.rows.push_back(problem.samples[play.samples[k]]);
        support.coef.push_back(play.state.beta[k]);
    }
    return support;
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

double hinge(double target, double decision) { return std::max(0.0, 1.0 - target * decision); }

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
    Play play = bring_into_play(problem, std::move(samples), settings.C);
    const bool full = settings.refinement == Refinement::full;

    Solution solution;
    SmoSettings smo = settings.smo;
    if (full) smo.tol *= early_looseness;
    double loss_outside = 0.0;
    double violation = 0.0;
    while (true) {
        KernelColumns<Real> columns(rows, rows_of(problem, play.samples), kernel, cache_bytes, pool);
        solve_smo(columns, play.state, smo, monitor);
        solution.n_columns += columns.n_computed();
        violation = play.state.violation;
        if (!full || play.state.status != Status::converged) break;

        // Every sample outside has beta = 0: one side of its interval is its bound.
        std::vector<std::size_t> outside;
        for (std::size_t i = 0, k = 0; i < problem.samples.size(); ++i) {
            if (k < play.samples.size() && play.samples[k] == i) {
                ++k;
            } else {
                outside.push_back(i);
            }
        }
        const Support support = support_of(problem, play);
        const auto values = expansion_values(rows, rows_of(problem, outside), kernel, support.rows,
                                             support.coef, pool, monitor);
        if (monitor.stopped()) {
            play.state.status = monitor.reason();
            break;
        }
        // Measured against the middle, not against the far end of the interval: two samples that
        // are both outside can violate the conditions together.
        Interval interval = interval_of(play.state);
        const double middle = middle_of(interval.lowest_up, interval.highest_low);
        const double slack = 0.5 * settings.smo.tol;
        std::vector<Joiner> joiners;
        loss_outside = 0.0;
        for (std::size_t k = 0; k < outside.size(); ++k) {
            const std::size_t i = outside[k];
            const double target = problem.targets[i];
            const double gradient = values[k] - target;
            if (target * (gradient - middle) < -slack) joiners.push_back({i, values[k]});
            if (target > 0) {
                interval.lowest_up = std::min(interval.lowest_up, gradient);
            } else {
                interval.highest_low = std::max(interval.highest_low, gradient);
            }
            loss_outside += settings.C * problem.weights[i] *
                            hinge(target, values[k] + play.state.intercept);
        }
        violation = std::max(0.0, interval.highest_low - interval.lowest_up);
        if (violation <= settings.smo.tol) break;
        if (joiners.empty()) {
            if (smo.tol <= settings.smo.tol) break;
            smo.tol = settings.smo.tol;
            continue;
        }
        if (joiners.size() * 20 < play.samples.size()) smo.tol = settings.smo.tol;
        play = widen(problem, play, joiners, settings.C);
    }

    Support support = support_of(problem, play);
    solution.support = std::move(support.rows);
    solution.coef = std::move(support.coef);
    solution.intercept = play.state.intercept;
    solution.status = play.state.status;
    solution.n_updates = play.state.n_updates;
    solution.violation = violation;
    solution.objective = dual_objective(play.state);
    if (full && solution.status == Status::converged) {
        solution.dual_gap = regulariser(play.state) + loss_in_play(play.state) + loss_outside -
                            solution.objective;
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
