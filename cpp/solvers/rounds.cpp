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

// The samples that are not in play, and f(x) = sum_j k(x, x_j) beta_j for each of them.
//
// A value is brought up to date only where it may matter. When the normal vector of the hyperplane
// moves from w to w', f(x) changes by at most |w' - w| sqrt(k(x, x)) (Cauchy and Schwarz), and
// |w' - w|^2 = sum_i (beta'_i - beta_i) (f'(x_i) - f(x_i)) is known from the samples in play. A
// sample that no such change can turn into a violator keeps the value it had.
template <class Real>
class Outside {
  public:
    Outside(const Rows<Real>& rows, const KernelSpec& kernel, const Problem& problem,
            const DualState& state)
        : rows_(rows),
          kernel_(kernel),
          problem_(problem),
          is_bounded_(facts_of(kernel.kind).diagonal == 1.0 &&
                      facts_of(kernel.kind).is_positive_definite),
          beta_(problem.samples.size(), 0.0),
          value_in_play_(problem.samples.size(), 0.0) {
        std::vector<bool> in_play(problem.samples.size(), false);
        for (const auto i : state.sample) in_play[i] = true;
        for (Index i = 0; i < ssize(in_play); ++i) {
            if (!in_play[i]) add(i, 0.0);
        }
    }

    Index size() const { return members_.size(); }
    Index sample(Index k) const { return members_[k].sample; }
    double value(Index k) const { return members_[k].value; }
    bool is_up_to_date(Index k) const { return members_[k].move == ssize(moves_); }
    double target(Index k) const { return problem_.targets[members_[k].sample]; }
    // Computed for updates so far.
    Index n_kernel_values() const { return n_kernel_values_; }

    // Brings the values up to date of those that may have a positive excess, or of all.
    // `may_matter(k, most)` says whether member k does if its value is off by up to `most`.
    template <class MayMatter>
    void update(const DualState& state, ThreadPool& pool, Monitor& monitor,
                const MayMatter& may_matter) {
        record_move(state);
        // Members are taken by the move that they know last, because they lack the same change.
        std::vector<std::vector<Index>> stale(moves_.size());
        for (Index k = 0; k < size(); ++k) {
            const Index known = members_[k].move;
            if (known == ssize(moves_)) continue;
            const double most = is_bounded_ ? moves_.back().travelled - travelled_at(known)
                                            : std::numeric_limits<double>::infinity();
            if (may_matter(k, most)) stale[known].push_back(k);
        }
        std::vector<double> change(problem_.samples.size(), 0.0);
        for (Index known = ssize(moves_) - 1; known >= 0; --known) {
            for (Index c = 0; c < ssize(moves_[known].samples); ++c) {
                change[moves_[known].samples[c]] += moves_[known].change[c];
            }
            if (!stale[known].empty()) add_change(stale[known], change, pool, monitor);
        }
    }

    void add(Index sample, double value) { members_.push_back({sample, ssize(moves_), value}); }

    // Forgets the members numbered here, ascending, whose values are up to date: they join.
    void remove(std::span<const Index> leaving) {
        Index kept = 0;
        Index next = 0;
        for (Index k = 0; k < size(); ++k) {
            if (next < ssize(leaving) && leaving[next] == k) {
                ++next;
                value_in_play_[members_[k].sample] = members_[k].value;
            } else {
                members_[kept++] = members_[k];
            }
        }
        members_.resize(kept);
    }

  private:
    struct Member {
        Index sample;
        Index move;  // how many moves its value knows of
        double value;
    };
    // What one round did to the coefficients.
    struct Move {
        std::vector<Index> samples;
        std::vector<double> change;
        double travelled;  // the length of all moves so far
    };

    double travelled_at(Index move) const { return move > 0 ? moves_[move - 1].travelled : 0.0; }

    void record_move(const DualState& state) {
        Move move;
        double square = 0.0;
        for (Index v = 0; v < state.size(); ++v) {
            const Index i = state.sample[v];
            const double value = state.gradient[v] + state.target[v];
            if (state.beta[v] != beta_[i]) {
                const double change = state.beta[v] - beta_[i];
                move.samples.push_back(i);
                move.change.push_back(change);
                square += change * (value - value_in_play_[i]);
                beta_[i] = state.beta[v];
            }
            value_in_play_[i] = value;
        }
        move.travelled = travelled_at(ssize(moves_)) + slack * std::sqrt(std::max(0.0, square));
        moves_.push_back(std::move(move));
    }

    void add_change(std::span<const Index> numbers, std::span<const double> change,
                    ThreadPool& pool, Monitor& monitor) {
        std::vector<Index> changed;
        std::vector<double> coef;
        for (Index i = 0; i < ssize(change); ++i) {
            if (change[i] == 0.0) continue;
            changed.push_back(problem_.samples[i]);
            coef.push_back(change[i]);
        }
        std::vector<Index> rows;
        for (const Index k : numbers) rows.push_back(problem_.samples[members_[k].sample]);
        n_kernel_values_ += ssize(rows) * ssize(changed);
        const auto sums = expansion_values(rows_, rows, kernel_, changed, coef, pool, monitor);
        for (Index c = 0; c < ssize(numbers); ++c) {
            members_[numbers[c]].value += sums[c];
            members_[numbers[c]].move = ssize(moves_);
        }
    }

    // Kernel values are rounded, so lengths are a little more than what they seem.
    static constexpr double slack = 1.001;

    const Rows<Real>& rows_;
    const KernelSpec& kernel_;
    const Problem& problem_;
    bool is_bounded_;  // k(x, x) = 1, and the kernel has a space in which lengths mean something
    std::vector<Member> members_;
    std::vector<Move> moves_;
    // By sample of the problem: the coefficients after the last move, and f of those in play.
    std::vector<double> beta_, value_in_play_;
    Index n_kernel_values_ = 0;
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

bool has_free_variable(const DualState& state) {
    for (Index i = 0; i < state.size(); ++i) {
        const double beta = state.beta[i];
        if (beta != 0.0 && beta > state.lower[i] && beta < state.upper[i]) return true;
    }
    return false;
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

// Brings those outside up to date that may violate the conditions or have a loss. Without a free
// variable all of them have a say in the intercept.
template <class Real>
void update_outside(double tol, const DualState& state, Outside<Real>& outside,
                    KernelColumns<Real>& columns, Monitor& monitor) {
    const double middle = interval_of(state).middle();
    const bool all = !has_free_variable(state);
    outside.update(state, columns.computer().pool(), monitor, [&](Index k, double most) {
        const double target = outside.target(k);
        return all || excess_of(state, target, outside.value(k) - target, middle) + most > -tol;
    });
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

double half_range(std::span<const double> targets) {
    const auto [least, most] = std::minmax_element(targets.begin(), targets.end());
    return least == targets.end() ? 0.0 : 0.5 * (*most - *least);
}

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
        if (task.smo.max_iter > 0) smo.max_iter = task.smo.max_iter - state.counters.n_updates;
        {
            const PhaseTimer timer(solution.seconds.solving);
            solve_smo(columns, state, smo, monitor, smo.tol <= tol);
        }
        solution.violation = state.violation;
        const PhaseTimer timer(solution.seconds.certificate);
        ++state.counters.n_rounds;
        if (!monitor.stopped()) update_outside(tol, state, outside, columns, monitor);
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
        if (task.smo.max_iter > 0 && state.counters.n_updates >= task.smo.max_iter) {
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
    columns.add_to(solution.counters);
    solution.counters.n_kernel_values += outside.n_kernel_values();
    report(problem, state, loss_outside, monitor, solution);
    return solution;
}

template Solution solve_in_rounds(KernelColumns<float>&, const DualTask&, DualState, Monitor&);
template Solution solve_in_rounds(KernelColumns<double>&, const DualTask&, DualState, Monitor&);

}  // namespace svmosaic
