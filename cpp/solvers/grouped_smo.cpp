#include "solvers/grouped_smo.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "expansion/decide.hpp"
#include "solvers/block_steps.hpp"
#include "solvers/dual_variables.hpp"
#include "solvers/free_step.hpp"

namespace svmosaic {

namespace {

// As in smo.cpp: below this size a pass costs less than the bookkeeping of shrinking.
constexpr Index least_to_shrink = 512;

// The working copy of the samples in play: short after shrinking.
template <class Real>
class GroupedWorkspace {
  public:
    GroupedWorkspace(KernelColumns<Real>& columns, const GroupedState& state)
        : columns_(columns),
          rows_(columns.computer().samples().begin(), columns.computer().samples().end()),
          v_(state.groups.size()),
          pairs_(&columns.computer().pool()) {
        std::vector<Index> everyone = count_up(state.size());
        take(state, std::move(everyone));
    }
    GroupedWorkspace(const GroupedWorkspace&) = delete;
    GroupedWorkspace& operator=(const GroupedWorkspace&) = delete;

    Index size() const { return ssize(active_); }
    double violation() const { return v_[worst()].violation(); }

    // One update of a pair. Returns false when no pair can move.
    bool step() {
        DualVariables& mover = v_[worst()];
        const auto made = pairs_.step(mover, [&](Index k) { return column(mover, k); });
        if (!made) return false;
        for (auto& v : v_) {
            if (&v != &mover) pairs_.follow(v, made);
        }
        return true;
    }

    // Steps of all free variables of one group together: see smo.cpp.
    Index free_steps(Monitor& monitor) {
        const auto column = [&](Index k) { return columns_.column(k, monitor); };
        DualVariables& mover = v_[worst()];
        const Index pause = free_.take_to_bounds(mover, column);
        for (auto& v : v_) {
            if (&v != &mover) v.gradient = mover.gradient;
            pairs_.look(v);
        }
        return pause;
    }

    // The others can make no pair that violates the conditions, as the extremes are now.
    std::vector<Index> worth_keeping() const {
        std::vector<Index> kept;
        for (Index k = 0; k < size(); ++k) {
            const bool may_move = std::any_of(v_.begin(), v_.end(), [k](const DualVariables& v) {
                return v.gradient[k] + v.up[k] <= v.extremes.highest_low ||
                       v.gradient[k] + v.low[k] >= v.extremes.lowest_up.value;
            });
            if (may_move) kept.push_back(k);
        }
        return kept;
    }

    void shrink(const std::vector<Index>& kept, GroupedState& state) {
        save(state);
        std::vector<Index> active;
        active.reserve(kept.size());
        for (const Index k : kept) active.push_back(active_[k]);
        columns_.keep_only(kept);
        take(state, std::move(active));
    }

    // Brings all samples back, with gradients recomputed from the expansion. Those that were active
    // go first, so that cached columns are the beginnings of what they were.
    void restore_all(GroupedState& state, Monitor& monitor) {
        save(state);
        std::vector<bool> in_play(state.size(), false);
        for (const Index i : active_) in_play[i] = true;
        std::vector<Index> order = active_;
        std::vector<Index> stale, support;
        std::vector<double> coef;
        for (Index i = 0; i < state.size(); ++i) {
            if (!in_play[i]) {
                order.push_back(i);
                stale.push_back(rows_[i]);
            }
            const double coefficient = state.coefficient(i);
            if (coefficient == 0.0) continue;
            support.push_back(rows_[i]);
            coef.push_back(coefficient);
        }
        state.counters.n_kernel_values += ssize(stale) * ssize(support);
        const auto sums =
            expansion_values(columns_.computer().rows(), stale, columns_.computer().kernel(),
                             support, coef, columns_.computer().pool(), monitor);
        for (Index k = 0; k < ssize(sums); ++k) {
            const Index i = order[active_.size() + k];
            state.gradient[i] = sums[k] - state.target[i];
        }
        columns_.append(stale);
        take(state, std::move(order));
    }

    void save(GroupedState& state) const {
        for (Index g = 0; g < ssize(v_); ++g) {
            for (Index k = 0; k < size(); ++k) state.groups[g].beta[active_[k]] = v_[g].beta[k];
        }
        for (Index k = 0; k < size(); ++k) state.gradient[active_[k]] = v_[0].gradient[k];
    }

  private:
    // Copies the samples numbered `active`, which are those of the columns now.
    void take(const GroupedState& state, std::vector<Index> active) {
        active_ = std::move(active);
        for (Index g = 0; g < ssize(v_); ++g) {
            DualVariables& v = v_[g];
            const DualGroup& group = state.groups[g];
            v.resize(size(), columns_.padded_size());
            v.diagonal = columns_.diagonal();
            for (Index k = 0; k < size(); ++k) {
                const Index i = active_[k];
                v.beta[k] = group.beta[i];
                v.lower[k] = group.lower[i];
                v.upper[k] = group.upper[i];
                v.gradient[k] = state.gradient[i];
                v.mark(k);
            }
            pairs_.look(v);
        }
    }

    // The group that is violated most; of equal ones the first.
    Index worst() const {
        const auto found = std::max_element(v_.begin(), v_.end(),
                                            [](const DualVariables& a, const DualVariables& b) {
                                                return a.violation() < b.violation();
                                            });
        return found - v_.begin();
    }

    // Column k. When it has to be computed, so are those that will probably be asked for next.
    const Real* column(const DualVariables& v, Index k) {
        if (!columns_.holds(k) && columns_.gains_by_blocks()) {
            std::vector<Index> wanted;
            for (Index i = 0; i < v.size; ++i) {
                if (i != k && !columns_.holds(i)) wanted.push_back(i);
            }
            wanted = most_urgent_.of(v, wanted, columns_.computer().cheap_block() - 1);
            wanted.push_back(k);
            columns_.prefetch(wanted);
        }
        return columns_.column(k);
    }

    KernelColumns<Real>& columns_;
    std::vector<Index> rows_;    // rows of the table, by sample
    std::vector<Index> active_;  // samples in play
    std::vector<DualVariables> v_;
    PairSteps<Real> pairs_;
    MostUrgent most_urgent_;
    FreeStep<Real> free_;
};

// Sets the multipliers and the violation.
void judge(GroupedState& state) {
    state.violation = 0.0;
    state.multiplier.clear();
    for (const auto& group : state.groups) {
        Standing standing;
        for (Index i = 0; i < group.size(); ++i) {
            standing.add({group.beta[i], {group.lower[i], group.upper[i]}, state.gradient[i], 0.0});
        }
        state.multiplier.push_back(-standing.intercept());
        state.violation = std::max(state.violation, standing.violation());
    }
}

}  // namespace

double dual_objective(const GroupedState& state) {
    // beta' K beta = sum beta_i (gradient_i + t_i)
    double sum = 0.0;
    for (Index i = 0; i < state.size(); ++i) {
        sum += 0.5 * state.coefficient(i) * (state.target[i] - state.gradient[i]);
    }
    return sum;
}

double dual_gap(const GroupedState& state) {
    double gap = 0.0;
    for (Index g = 0; g < ssize(state.groups); ++g) {
        const DualGroup& group = state.groups[g];
        for (Index i = 0; i < group.size(); ++i) {
            const double slope = state.gradient[i] - state.multiplier[g];
            gap += slope * (group.beta[i] - (slope > 0.0 ? group.lower[i] : group.upper[i]));
        }
    }
    return gap;
}

template <class Real>
void solve_grouped_smo(KernelColumns<Real>& columns, GroupedState& state,
                       const SmoOptions& settings, Monitor& monitor) {
    const Index n = state.size();
    const Index max_updates = update_limit(settings.max_iter, n);
    const Index shrink_every = std::max<Index>(1, std::min<Index>(n, 1000));
    GroupedWorkspace<Real> work(columns, state);
    Index updates = 0;
    Index since_asked = 0;
    Index next_shrink = shrink_every;
    Index next_free_step = 2 * n;
    state.status = Status::converged;
    while (true) {
        // Asked first: gradients that were left unfinished look as if all was well.
        const bool is_time = columns.has_computed() || since_asked >= 16;
        if (monitor.stopped() || (is_time && monitor.should_stop(since_asked))) {
            state.status = monitor.reason();
            break;
        }
        if (is_time) since_asked = 0;
        if (work.violation() <= settings.tol) {
            if (work.size() == n) break;
            work.restore_all(state, monitor);
            continue;
        }
        if (updates >= max_updates) {
            state.status = Status::max_iter;
            break;
        }
        if (!work.step()) break;
        ++updates;
        ++since_asked;
        if (updates >= next_free_step) {
            next_free_step = updates + std::max(n / 2, work.free_steps(monitor));
        }
        if (settings.shrinking && updates >= next_shrink && work.size() >= least_to_shrink) {
            const auto kept = work.worth_keeping();
            if (ssize(kept) * 4 < work.size() * 3) work.shrink(kept, state);
            next_shrink = updates + shrink_every;
        }
    }
    work.save(state);
    // A loop that stopped early may have left out samples whose gradient is out of date.
    if (work.size() < n && !monitor.stopped()) work.restore_all(state, monitor);
    state.counters.n_updates += updates;
    judge(state);
}

template void solve_grouped_smo(KernelColumns<float>&, GroupedState&, const SmoOptions&, Monitor&);
template void solve_grouped_smo(KernelColumns<double>&, GroupedState&, const SmoOptions&, Monitor&);

}  // namespace svmosaic
