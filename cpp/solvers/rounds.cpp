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
// have moved.
constexpr Index least_joiners = 256;
constexpr Index few = 50;
// Samples this far from moving are not active at first, and leave when they are at least one of
// this many active ones.
constexpr double idle_distance = 0.2;
constexpr Index idle_share = 4;

bool is_idle(const VariableState& variable, double middle, double distance) {
    return !variable.is_free() && variable.excess(middle) < -distance;
}

Standing standing_of(const DualState& state) {
    Standing standing;
    for (Index v = 0; v < state.size(); ++v) standing.add(state.variable(v));
    return standing;
}

// The samples that are not in play, and f(x) = sum_j k(x, x_j) beta_j for each of them.
//
// A value is brought up to date only where it may matter. When the normal vector of the hyperplane
// moves from w to w', f(x) changes by at most |w' - w| sqrt(k(x, x)) (Cauchy and Schwarz), and
// |w' - w|^2 = sum_i (beta'_i - beta_i) (f'(x_i) - f(x_i)) is known from the samples in play. A
// sample that no such change can turn into a violator keeps the value it had.
//
// Members have coefficients at a bound: they neither want to move nor do they hold the intercept.
template <class Real>
class Outside {
  public:
    Outside(const Rows<Real>& rows, const KernelSpec& kernel, const DualTask& task,
            std::span<const Index> in_play, const Start& start)
        : rows_(rows),
          kernel_(kernel),
          task_(task),
          is_bounded_(facts_of(kernel.kind).diagonal == 1.0 &&
                      facts_of(kernel.kind).is_positive_definite),
          beta_(start.beta),
          value_in_play_(start.value) {
        std::vector<bool> plays(beta_.size(), false);
        for (const auto i : in_play) plays[i] = true;
        // Samples without a coefficient have the value 0, which was right before the start.
        for (Index i = 0; i < ssize(plays); ++i) {
            if (!plays[i] && beta_[i] == 0.0) add(i, 0.0);
        }
        record_start(start);
        for (Index i = 0; i < ssize(plays); ++i) {
            if (!plays[i] && beta_[i] != 0.0) add(i, start.value[i]);
        }
    }

    Index size() const { return members_.size(); }
    Index sample(Index k) const { return members_[k].sample; }
    double value(Index k) const { return members_[k].value; }
    double beta(Index k) const { return beta_[members_[k].sample]; }
    VariableState variable(Index k) const {
        return variable_of(task_, sample(k), beta(k), value(k));
    }
    // Computed for updates so far.
    Index n_kernel_values() const { return n_kernel_values_; }

    // Brings the values up to date of those that matter: `may_matter(k, most)` says whether member
    // k does if its value is off by up to `most`. That is certain, or `likely`: then `most` is what
    // values that were brought up to date have shown, which is much less.
    template <class MayMatter>
    void update(const DualState& state, bool likely, ThreadPool& pool, Monitor& monitor,
                const MayMatter& may_matter) {
        record_move(state);
        // Members are taken by the move that they know last, because they lack the same change.
        std::vector<std::vector<Index>> stale(moves_.size());
        const bool has_seen = is_bounded_ && largest_share_ > 0.0;
        const double share = likely && has_seen ? std::min(1.0, caution * largest_share_) : 1.0;
        for (Index k = 0; k < size(); ++k) {
            const Index known = members_[k].move;
            if (known == ssize(moves_)) continue;
            const double most = share * most_change_since(known);
            if (may_matter(k, most)) stale[known].push_back(k);
        }
        std::vector<double> change(task_.problem.samples.size(), 0.0);
        for (Index known = ssize(moves_) - 1; known >= 0; --known) {
            for (Index c = 0; c < ssize(moves_[known].samples); ++c) {
                change[moves_[known].samples[c]] += moves_[known].change[c];
            }
            if (!stale[known].empty()) add_change(known, stale[known], change, pool, monitor);
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
    double most_change_since(Index move) const {
        return is_bounded_ ? moves_.back().travelled - travelled_at(move)
                           : std::numeric_limits<double>::infinity();
    }

    void record_start(const Start& start) {
        Move move;
        double square = 0.0;
        for (Index i = 0; i < ssize(start.beta); ++i) {
            if (start.beta[i] == 0.0) continue;
            move.samples.push_back(i);
            move.change.push_back(start.beta[i]);
            square += start.beta[i] * start.value[i];
        }
        move.travelled = slack * std::sqrt(std::max(0.0, square));
        if (!move.samples.empty()) moves_.push_back(std::move(move));
    }

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
        if (move.samples.empty()) return;
        move.travelled = travelled_at(ssize(moves_)) + slack * std::sqrt(std::max(0.0, square));
        moves_.push_back(std::move(move));
    }

    void add_change(Index known, std::span<const Index> numbers, std::span<const double> change,
                    ThreadPool& pool, Monitor& monitor) {
        std::vector<Index> changed;
        std::vector<double> coef;
        for (Index i = 0; i < ssize(change); ++i) {
            if (change[i] == 0.0) continue;
            changed.push_back(task_.problem.samples[i]);
            coef.push_back(change[i]);
        }
        std::vector<Index> rows;
        for (const Index k : numbers) rows.push_back(task_.problem.samples[members_[k].sample]);
        n_kernel_values_ += ssize(rows) * ssize(changed);
        const auto sums = expansion_values(rows_, rows, kernel_, changed, coef, pool, monitor);
        double largest = 0.0;
        for (Index c = 0; c < ssize(numbers); ++c) {
            members_[numbers[c]].value += sums[c];
            members_[numbers[c]].move = ssize(moves_);
            largest = std::max(largest, std::abs(sums[c]));
        }
        const double most = most_change_since(known);
        if (is_bounded_ && most > 0.0) {
            largest_share_ = std::max(largest_share_, largest / most);
        }
    }

    // Kernel values are rounded, so lengths are a little more than what they seem.
    static constexpr double slack = 1.001;
    // How much more than what was seen is likely.
    static constexpr double caution = 1.5;

    const Rows<Real>& rows_;
    const KernelSpec& kernel_;
    const DualTask& task_;
    bool is_bounded_;  // k(x, x) = 1, and the kernel has a space in which lengths mean something
    std::vector<Member> members_;
    std::vector<Move> moves_;
    // By sample of the problem: the coefficients after the last move, and f of those in play.
    std::vector<double> beta_, value_in_play_;
    Index n_kernel_values_ = 0;
    // Of the most that values could have changed, the largest share that one did change; 0 before
    // any was brought up to date.
    double largest_share_ = 0.0;
};

// Samples in play that are far from moving leave, if they are many.
template <class Real>
void send_out_idle(double middle, double distance, DualState& state, KernelColumns<Real>& columns,
                   Outside<Real>& outside) {
    std::vector<Index> kept;
    for (Index v = 0; v < state.size(); ++v) {
        if (!is_idle(state.variable(v), middle, distance)) kept.push_back(v);
    }
    if (idle_share * (state.size() - ssize(kept)) < state.size()) return;
    Index next = 0;
    for (Index v = 0; v < state.size(); ++v) {
        if (next < ssize(kept) && kept[next] == v) {
            ++next;
        } else {
            outside.add(state.sample[v], state.gradient[v] + state.target[v]);
        }
    }
    state.keep_only(kept);
    columns.keep_only(kept);
}

void add_sample(const DualTask& task, Index i, double beta, double value, DualState& state) {
    const VariableState variable = variable_of(task, i, beta, value);
    state.add(i, task.problem.targets[i], variable.box, beta, value);
    if (!task.rank.empty()) state.rank.push_back(task.rank[i]);
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

// Brings those outside up to date that may violate the conditions or have a loss and no
// coefficient. Without a free variable all of them have a say in the intercept.
template <class Real>
void update_outside(double tol, bool likely, const DualState& state, Outside<Real>& outside,
                    KernelColumns<Real>& columns, Monitor& monitor) {
    const Standing standing = standing_of(state);
    const double middle = standing.middle();
    outside.update(state, likely, columns.computer().pool(), monitor, [&](Index k, double most) {
        return standing.n_free == 0 || outside.variable(k).excess(middle) + most > -tol;
    });
}

// What the samples outside say of the solution in play.
struct Verdict {
    double middle = 0.0;  // of the interval in play
    double worst = 0.0;   // excess outside
    double violation = 0.0;
    Index n_support = 0;  // in play or not
    std::vector<Violator> violators;
};

// Also sets the intercept: without a free variable the samples outside have their say.
template <class Real>
Verdict judge(double tol, const Outside<Real>& outside, DualState& state) {
    Verdict verdict;
    Standing standing = standing_of(state);
    verdict.middle = standing.middle();
    for (const double beta : state.beta) verdict.n_support += beta != 0.0 ? 1 : 0;
    for (Index k = 0; k < outside.size(); ++k) {
        const VariableState variable = outside.variable(k);
        const double excess = variable.excess(verdict.middle);
        if (excess > 0.5 * tol) verdict.violators.push_back({k, excess});
        verdict.worst = std::max(verdict.worst, excess);
        verdict.n_support += variable.beta != 0.0 ? 1 : 0;
        standing.add(variable);
    }
    state.intercept = intercept_of(state, standing.middle());
    verdict.violation = std::max(0.0, standing.violation());
    return verdict;
}

// Brings the support vectors outside back into the state, where the report looks for them. Returns
// the loss of the others, bounds included; nan if the monitor says stop.
template <class Real>
double bring_in_support(const DualTask& task, Outside<Real>& outside, KernelColumns<Real>& columns,
                        DualState& state, Monitor& monitor) {
    if (!monitor.stopped()) {
        outside.update(state, false, columns.computer().pool(), monitor,
                       [&](Index k, double) { return outside.beta(k) != 0.0; });
    }
    double loss = monitor.stopped() ? std::numeric_limits<double>::quiet_NaN() : 0.0;
    for (Index k = 0; k < outside.size(); ++k) {
        if (outside.beta(k) != 0.0) {
            add_sample(task, outside.sample(k), outside.beta(k), outside.value(k), state);
            continue;
        }
        const Index i = outside.sample(k);
        const double decision = outside.value(k) + state.intercept;
        loss +=
            task.C * task.problem.weights[i] * loss_of(state, task.problem.targets[i], decision);
    }
    return loss;
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

VariableState variable_of(const DualTask& task, Index i, double beta, double value) {
    const double target = task.problem.targets[i];
    return {beta, box_of(task.loss, target, task.C * task.problem.weights[i]), value - target,
            task.loss == Loss::hinge ? 0.0 : task.epsilon};
}

DualState state_of(const DualTask& task, std::span<const Index> samples, const Start& start) {
    DualState state;
    state.loss = task.loss;
    state.epsilon = task.loss == Loss::hinge ? 0.0 : task.epsilon;
    for (const auto i : samples) add_sample(task, i, start.beta[i], start.value[i], state);
    return state;
}

std::vector<Index> near_margin(const DualTask& task, const Start& start) {
    const Index n = ssize(task.problem.samples);
    const auto variable = [&](Index i) {
        return variable_of(task, i, start.beta[i], start.value[i]);
    };
    std::vector<Index> samples;
    Standing standing;
    for (Index i = 0; i < n; ++i) {
        if (start.beta[i] != 0.0) samples.push_back(i);
    }
    for (const Index i : samples) standing.add(variable(i));
    const double middle = -standing.intercept();
    const double distance = idle_distance * half_range(task.problem.targets);
    std::erase_if(samples, [&](Index i) { return is_idle(variable(i), middle, distance); });
    return samples;
}

template <class Real>
Solution solve_in_rounds(KernelColumns<Real>& columns, const DualTask& task,
                         std::span<const Index> in_play, const Start& start, Monitor& monitor) {
    DualState state = state_of(task, in_play, start);
    Outside<Real> outside(columns.computer().rows(), columns.computer().kernel(), task, in_play,
                          start);
    const double scale = half_range(task.problem.targets);
    const double tol = task.smo.tol;
    SmoOptions smo = task.smo;
    if (outside.size() > 0) {
        smo.tol = std::max(tol, first_tol * scale);
        // The samples in play are few already, and what shrinking saves is lost when the next
        // round has to complete the columns again.
        smo.shrinking = false;
    }
    Solution solution;
    while (true) {
        if (task.smo.max_iter > 0) smo.max_iter = task.smo.max_iter - state.counters.n_updates;
        {
            const PhaseTimer timer(solution.seconds.solving);
            solve_smo(columns, state, smo, monitor, smo.tol <= tol);
        }
        solution.violation = state.violation;
        const PhaseTimer timer(solution.seconds.certificate);
        ++state.counters.n_rounds;
        // What is likely is enough to find violators. In the end it takes certainty.
        Verdict verdict;
        bool is_last = false;
        for (const bool likely : {true, false}) {
            if (!monitor.stopped()) update_outside(tol, likely, state, outside, columns, monitor);
            if (monitor.stopped()) break;
            verdict = judge(tol, outside, state);
            is_last = state.status != Status::converged || verdict.violation <= tol ||
                      (verdict.violators.empty() && smo.tol <= tol);
            if (!is_last) break;
        }
        if (monitor.stopped()) {
            state.status = monitor.reason();
            break;
        }
        solution.violation = verdict.violation;
        if (is_last) break;
        if (task.smo.max_iter > 0 && state.counters.n_updates >= task.smo.max_iter) {
            state.status = Status::max_iter;
            break;
        }
        const auto joiners =
            worst_of(verdict.violators, std::max(least_joiners, verdict.n_support));
        // When hardly any sample joins, this round is meant to be the last.
        const bool nearly_done = few * ssize(joiners) < verdict.n_support;
        smo.tol = nearly_done ? tol : std::max(tol, std::min(smo.tol, looseness * verdict.worst));
        std::vector<Index> joining;
        std::vector<double> beta;
        std::vector<double> value;
        for (const Index k : joiners) {
            joining.push_back(outside.sample(k));
            beta.push_back(outside.beta(k));
            value.push_back(outside.value(k));
        }
        outside.remove(joiners);
        send_out_idle(verdict.middle, idle_distance * scale, state, columns, outside);
        for (Index j = 0; j < ssize(joining); ++j) {
            add_sample(task, joining[j], beta[j], value[j], state);
        }
        columns.append(rows_of(task.problem, joining));
    }
    double loss_outside = 0.0;
    {
        const PhaseTimer timer(solution.seconds.certificate);
        loss_outside = bring_in_support(task, outside, columns, state, monitor);
    }
    columns.add_to(solution.counters);
    solution.counters.n_kernel_values += outside.n_kernel_values();
    report(task.problem, state, loss_outside, monitor, solution);
    return solution;
}

template Solution solve_in_rounds(KernelColumns<float>&, const DualTask&, std::span<const Index>,
                                  const Start&, Monitor&);
template Solution solve_in_rounds(KernelColumns<double>&, const DualTask&, std::span<const Index>,
                                  const Start&, Monitor&);

}  // namespace svmosaic
