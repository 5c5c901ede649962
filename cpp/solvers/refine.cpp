#include "solvers/refine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/kernel_columns.hpp"
#include "expansion/decide.hpp"
#include "solvers/dual_report.hpp"

namespace svmosaic {

namespace {

// Early rounds only have to find the violators; the last one meets the tolerance.
constexpr double early_looseness = 10.0;

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
            loss_outside += bound(i) * loss_of(state, target, values[k] + state.intercept);
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
    solution.violation = violation;
    solution.n_columns = columns.n_computed();
    const bool proven = full && state.status == Status::converged;
    report(problem, state, proven ? loss_outside : std::numeric_limits<double>::quiet_NaN(),
           monitor, solution);
    return solution;
}

template Solution refine(const Rows<float>&, const KernelSpec&, const Problem&,
                         std::span<const Index>, const RefineSettings&, std::size_t, ThreadPool&,
                         Monitor&);
template Solution refine(const Rows<double>&, const KernelSpec&, const Problem&,
                         std::span<const Index>, const RefineSettings&, std::size_t, ThreadPool&,
                         Monitor&);

}  // namespace svmosaic
