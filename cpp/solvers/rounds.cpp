#include "solvers/rounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/kernel_columns.hpp"
#include "expansion/decide.hpp"
#include "solvers/dual_report.hpp"

namespace svmosaic {

namespace {

// Early rounds only have to find the violators; the last one meets the tolerance. Distances are
// relative to half the range of the targets, which is 1 for classes.
constexpr double first_tol = 0.1;
// A round's tolerance, relative to the worst violation outside.
constexpr double looseness = 0.1;
// Violators that may join in one round: many of them are no longer violators when the worst ones
// have had their say.
constexpr Index least_joiners = 256;
constexpr Index few = 50;
// With more in play than this many for each support vector, the idle ones leave: those that are
// this far from being needed.
constexpr Index idle_share = 2;
constexpr double idle_distance = 0.1;

double half_range(std::span<const double> targets) {
    const auto [least, most] = std::minmax_element(targets.begin(), targets.end());
    return least == targets.end() ? 0.0 : 0.5 * (*most - *least);
}

// The extremes of what the optimality conditions compare (see DualState::violation).
struct Interval {
    double lowest_up = std::numeric_limits<double>::infinity();
    double highest_low = -std::numeric_limits<double>::infinity();

    void may_grow(double slope) { lowest_up = std::min(lowest_up, slope); }
    void may_shrink(double slope) { highest_low = std::max(highest_low, slope); }
    double middle() const { return middle_of(lowest_up, highest_low); }
};

Interval interval_of(const DualState& state) {
    Interval interval;
    for (Index i = 0; i < state.size(); ++i) {
        const double beta = state.beta[i];
        const double slope = state.gradient[i];
        const double cost = state.epsilon;
        if (beta < state.upper[i]) interval.may_grow(slope + (beta < 0 ? -cost : cost));
        if (beta > state.lower[i]) interval.may_shrink(slope + (beta > 0 ? cost : -cost));
    }
    return interval;
}

// What a coefficient of 0 may become.
struct Sides {
    bool grow;
    bool shrink;
};

Sides sides_of(const DualState& state, double target) {
    const bool both = state.loss == Loss::epsilon_insensitive;
    return {both || target > 0, both || target < 0};
}

// By how much a sample whose coefficient is 0 wants to leave it; negative if it does not. It is
// measured against the middle, not against the far end of the interval: two samples that are both
// outside can violate the conditions together.
double excess_of(const DualState& state, double target, double gradient, double middle) {
    const Sides sides = sides_of(state, target);
    double excess = -std::numeric_limits<double>::infinity();
    if (sides.grow) excess = middle - (gradient + state.epsilon);
    if (sides.shrink) excess = std::max(excess, (gradient - state.epsilon) - middle);
    return excess;
}

// The samples that are not in play, and sum_j k(x, x_j) beta_j for each of them.
template <class Real>
class Outside {
  public:
    Outside(const Rows<Real>& rows, const KernelSpec& kernel, const Problem& problem,
            const DualState& state)
        : rows_(rows), kernel_(kernel), problem_(problem), beta_(problem.samples.size(), 0.0) {
        std::vector<bool> in_play(problem.samples.size(), false);
        for (const auto i : state.sample) in_play[i] = true;
        for (Index i = 0; i < ssize(in_play); ++i) {
            if (!in_play[i]) members_.push_back(i);
        }
        values_.assign(members_.size(), 0.0);
    }

    Index size() const { return members_.size(); }
    Index sample(Index k) const { return members_[k]; }
    double value(Index k) const { return values_[k]; }
    double target(Index k) const { return problem_.targets[members_[k]]; }

    // Brings the values up to date: only coefficients that changed cost anything.
    void update(const DualState& state, ThreadPool& pool, Monitor& monitor) {
        std::vector<Index> changed;
        std::vector<double> change;
        for (Index v = 0; v < state.size(); ++v) {
            const Index i = state.sample[v];
            if (state.beta[v] == beta_[i]) continue;
            changed.push_back(i);
            change.push_back(state.beta[v] - beta_[i]);
            beta_[i] = state.beta[v];
        }
        const auto sums = expansion_values(rows_, rows_of(problem_, members_), kernel_,
                                           rows_of(problem_, changed), change, pool, monitor);
        for (Index k = 0; k < ssize(values_); ++k) values_[k] += sums[k];
    }

    void add(Index sample, double value) {
        members_.push_back(sample);
        values_.push_back(value);
    }

    // Forgets the members numbered here, ascending.
    void remove(std::span<const Index> leaving) {
        Index kept = 0;
        Index next = 0;
        for (Index k = 0; k < ssize(members_); ++k) {
            if (next < ssize(leaving) && leaving[next] == k) {
                ++next;
                continue;
            }
            members_[kept] = members_[k];
            values_[kept++] = values_[k];
        }
        members_.resize(kept);
        values_.resize(kept);
    }

  private:
    const Rows<Real>& rows_;
    const KernelSpec& kernel_;
    const Problem& problem_;
    std::vector<Index> members_;
    std::vector<double> values_;
    std::vector<double> beta_;  // that the values are made from, by sample of the problem
};

// Samples in play that joined in vain, and are far from being needed, leave again.
template <class Real>
void send_out_idle(double middle, double distance, DualState& state, KernelColumns<Real>& columns,
                   Outside<Real>& outside) {
    std::vector<Index> kept;
    for (Index v = 0; v < state.size(); ++v) {
        const double excess = excess_of(state, state.target[v], state.gradient[v], middle);
        if (state.beta[v] != 0.0 || excess > -distance) {
            kept.push_back(v);
        } else {
            outside.add(state.sample[v], state.gradient[v] + state.target[v]);
        }
    }
    state.keep_only(kept);
    columns.keep_only(kept);
}

Index n_support_of(const DualState& state) {
    return std::count_if(state.beta.begin(), state.beta.end(),
                         [](double beta) { return beta != 0.0; });
}

// A sample outside that violates the conditions: its number there, and by how much.
struct Violator {
    Index number;
    double violation;
};

// The worst `n` of them, ascending by number.
std::vector<Index> worst_of(std::vector<Violator>& violators, Index n) {
    if (ssize(violators) > n) {
        std::nth_element(violators.begin(), violators.begin() + n, violators.end(),
                         [](const Violator& a, const Violator& b) {
                             return a.violation != b.violation ? a.violation > b.violation
                                                               : a.number < b.number;
                         });
        violators.resize(n);
    }
    std::vector<Index> numbers;
    for (const auto& violator : violators) numbers.push_back(violator.number);
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

// What the samples outside say of the solution in play.
struct Verdict {
    double middle = 0.0;  // of the interval in play
    double worst = 0.0;   // excess outside
    double violation = 0.0;
    double loss = 0.0;  // of the samples outside, bounds included
    std::vector<Violator> violators;
};

// Also sets the intercept: without a free variable the samples outside have their say.
template <class Real>
Verdict judge(const DualTask& task, const Outside<Real>& outside, DualState& state) {
    Verdict verdict;
    Interval interval = interval_of(state);
    verdict.middle = interval.middle();
    for (Index k = 0; k < ssize(outside); ++k) {
        const double target = outside.target(k);
        const double gradient = outside.value(k) - target;
        const double excess = excess_of(state, target, gradient, verdict.middle);
        if (excess > 0.5 * task.smo.tol) verdict.violators.push_back({k, excess});
        verdict.worst = std::max(verdict.worst, excess);
        const Sides sides = sides_of(state, target);
        if (sides.grow) interval.may_grow(gradient + state.epsilon);
        if (sides.shrink) interval.may_shrink(gradient - state.epsilon);
    }
    state.intercept = intercept_of(state, interval.middle());
    for (Index k = 0; k < ssize(outside); ++k) {
        const double bound = task.C * task.problem.weights[outside.sample(k)];
        const double decision = outside.value(k) + state.intercept;
        verdict.loss += bound * loss_of(state, outside.target(k), decision);
    }
    verdict.violation = std::max(0.0, interval.highest_low - interval.lowest_up);
    return verdict;
}

}  // namespace

std::vector<Index> rows_of(const Problem& problem, std::span<const Index> samples) {
    std::vector<Index> rows;
    rows.reserve(samples.size());
    for (const auto i : samples) rows.push_back(problem.samples[i]);
    return rows;
}

DualState state_of(const DualTask& task, std::span<const Index> samples) {
    DualState state;
    state.loss = task.loss;
    state.epsilon = task.loss == Loss::hinge ? 0.0 : task.epsilon;
    for (const auto i : samples) {
        state.add(i, task.problem.targets[i], task.C * task.problem.weights[i], 0.0);
    }
    return state;
}

template <class Real>
Solution solve_in_rounds(KernelColumns<Real>& columns, const DualTask& task, DualState state,
                         Monitor& monitor) {
    const Problem& problem = task.problem;
    Outside<Real> outside(columns.computer().rows(), columns.computer().kernel(), problem, state);
    const double scale = half_range(problem.targets);
    const double tol = task.smo.tol;
    SmoOptions smo = task.smo;
    if (outside.size() > 0) {
        smo.tol = std::max(tol, first_tol * scale);
        // The samples in play are few already, and what shrinking saves is lost when the next
        // round has to complete the columns again.
        smo.shrinking = false;
    }
    Solution solution;
    double loss_outside = std::numeric_limits<double>::quiet_NaN();
    while (true) {
        if (task.smo.max_iter > 0) smo.max_iter = task.smo.max_iter - state.n_updates;
        solve_smo(columns, state, smo, monitor, smo.tol <= tol);
        solution.violation = state.violation;
        if (!monitor.stopped()) outside.update(state, columns.computer().pool(), monitor);
        if (monitor.stopped()) {
            state.status = monitor.reason();
            break;
        }
        Verdict verdict = judge(task, outside, state);
        solution.violation = verdict.violation;
        loss_outside = verdict.loss;
        if (state.status != Status::converged || verdict.violation <= tol ||
            (verdict.violators.empty() && smo.tol <= tol)) {
            break;
        }
        if (task.smo.max_iter > 0 && state.n_updates >= task.smo.max_iter) {
            state.status = Status::max_iter;
            break;
        }
        const Index n_support = n_support_of(state);
        const auto joiners = worst_of(verdict.violators, std::max(least_joiners, n_support));
        // When hardly any sample joins, this round is meant to be the last.
        const bool nearly_done = few * ssize(joiners) < n_support;
        smo.tol = nearly_done ? tol : std::max(tol, std::min(smo.tol, looseness * verdict.worst));
        std::vector<Index> joining;
        std::vector<double> values;
        for (const Index k : joiners) {
            joining.push_back(outside.sample(k));
            values.push_back(outside.value(k));
        }
        outside.remove(joiners);
        if (state.size() > idle_share * n_support + least_joiners) {
            send_out_idle(verdict.middle, idle_distance * scale, state, columns, outside);
        }
        for (Index j = 0; j < ssize(joining); ++j) {
            const Index i = joining[j];
            state.add(i, problem.targets[i], task.C * problem.weights[i], values[j]);
        }
        columns.append(rows_of(problem, joining));
    }
    solution.n_columns = columns.computer().n_computed();
    report(problem, state, loss_outside, monitor, solution);
    return solution;
}

template Solution solve_in_rounds(KernelColumns<float>&, const DualTask&, DualState, Monitor&);
template Solution solve_in_rounds(KernelColumns<double>&, const DualTask&, DualState, Monitor&);

}  // namespace svmosaic
