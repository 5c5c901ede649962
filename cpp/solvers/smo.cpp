#include "solvers/smo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "core/aligned.hpp"
#include "expansion/decide.hpp"
#include "simd/loops.hpp"
#include "solvers/block_steps.hpp"
#include "solvers/dual_variables.hpp"
#include "solvers/free_step.hpp"

namespace svmosaic {

namespace {

// Below this size a pass costs less than the bookkeeping of shrinking.
constexpr Index least_to_shrink = 512;
// A coefficient is tiny below this share of the distance between its bounds.
constexpr double tiny_share = 1e-2;

template <class T>
void permute(std::vector<T>& values, const std::vector<Index>& order) {
    std::vector<T> moved;
    moved.reserve(order.size());
    for (const Index i : order) moved.push_back(values[i]);
    values = std::move(moved);
}

void permute(DualState& state, const std::vector<Index>& order) {
    permute(state.sample, order);
    permute(state.target, order);
    permute(state.lower, order);
    permute(state.upper, order);
    permute(state.beta, order);
    permute(state.gradient, order);
    if (!state.rank.empty()) permute(state.rank, order);
}

// The places of some variables in their list, those of like samples next to each other if anybody
// knows them.
std::vector<Index> order_of(const DualState& state, const std::vector<Index>& variables) {
    auto order = count_up(ssize(variables));
    if (state.rank.empty()) return order;
    std::sort(order.begin(), order.end(), [&](Index a, Index b) {
        return state.rank[variables[a]] < state.rank[variables[b]];
    });
    return order;
}

// The working copy of the variables in play: short after shrinking.
template <class Real>
class Workspace {
  public:
    Workspace(KernelColumns<Real>& columns, const DualState& state)
        : columns_(columns),
          rows_(columns.computer().samples().begin(), columns.computer().samples().end()),
          pairs_(&columns.computer().pool()),
          blocks_(columns) {
        take(state, count_up(state.size()));
    }
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;

    // Copies the variables numbered `active`, which are the samples of the columns now.
    void take(const DualState& state, std::vector<Index> active) {
        active_ = std::move(active);
        v_.epsilon = state.epsilon;
        v_.resize(active_.size(), columns_.padded_size());
        v_.diagonal = columns_.diagonal();
        for (Index k = 0; k < ssize(active_); ++k) {
            const Index i = active_[k];
            v_.beta[k] = state.beta[i];
            v_.lower[k] = state.lower[i];
            v_.upper[k] = state.upper[i];
            v_.gradient[k] = state.gradient[i];
            v_.mark(k);
        }
        pairs_.look(v_);
        blocks_.set_variables(order_of(state, active_), !state.rank.empty());
    }

    Index size() const { return ssize(active_); }
    double violation() const { return v_.violation(); }
    double middle() const {
        return middle_of(v_.extremes.lowest_up.value, v_.extremes.highest_low);
    }

    // One update of a pair. Returns false when no pair can move.
    bool step() {
        return static_cast<bool>(pairs_.step(v_, [&](Index k) { return column(k); }));
    }

    // Updates of pairs within blocks of variables that violate the conditions most, with one pass
    // over all variables in the end. Returns how many; zero when no pair can move.
    Index block_step(double tol, SolveCounters& counters, Monitor& monitor) {
        const Index updates = blocks_.step(v_, tol, counters, monitor);
        if (updates > 0) pairs_.look(v_);
        return updates;
    }
    bool prefers_blocks() const { return blocks_.gains(); }

    // Steps of all free variables together: pairs alone crawl where the kernel has few dimensions
    // and the bounds are wide. Returns how many updates of pairs are to come before the next ones.
    Index free_steps(Monitor& monitor) {
        const auto column = [&](Index k) { return columns_.column(k, monitor); };
        const Index pause = free_.take_to_bounds(v_, column);
        pairs_.look(v_);
        return pause;
    }

    // Tiny coefficients go to zero and what they had to a variable with room: many of them are only
    // the way the solver came, and the conditions can be met without.
    void drop_tiny() {
        std::vector<Index> tiny;
        Index partner = active_.size();
        double most_room = 0.0;
        for (Index k = 0; k < ssize(active_); ++k) {
            if (!v_.is_free(k)) continue;
            const double width = v_.upper[k] - v_.lower[k];
            if (std::abs(v_.beta[k]) <= tiny_share * width) {
                tiny.push_back(k);
                continue;
            }
            // Room to both sides, zero included: a step over it would change the slope.
            const double room = std::min(std::abs(v_.end_of(k, true) - v_.beta[k]),
                                         std::abs(v_.beta[k] - v_.end_of(k, false)));
            if (room > most_room) {
                most_room = room;
                partner = k;
            }
        }
        if (tiny.empty() || partner == ssize(active_)) return;
        double sum = 0.0;
        for (const Index k : tiny) {
            const double moved = v_.beta[k];
            if (std::abs(sum + moved) >= 0.5 * most_room) continue;
            sum += moved;
            v_.beta[k] = 0.0;
            v_.mark(k);
            simd::loops<Real>().add_scaled(columns_.column(k), -moved, v_.gradient.data(),
                                           columns_.padded_size());
        }
        v_.beta[partner] += sum;
        v_.mark(partner);
        simd::loops<Real>().add_scaled(columns_.column(partner), sum, v_.gradient.data(),
                                       columns_.padded_size());
        pairs_.look(v_);
    }

    // The others can make no pair that violates the conditions, as the extremes are now.
    std::vector<Index> worth_keeping() const {
        std::vector<Index> kept;
        for (Index k = 0; k < ssize(active_); ++k) {
            const bool may_grow = v_.gradient[k] + v_.up[k] <= v_.extremes.highest_low;
            const bool may_shrink = v_.gradient[k] + v_.low[k] >= v_.extremes.lowest_up.value;
            if (may_grow || may_shrink) kept.push_back(k);
        }
        return kept;
    }

    void shrink(const std::vector<Index>& kept, DualState& state) {
        save(state);
        std::vector<Index> active;
        active.reserve(kept.size());
        for (const Index k : kept) active.push_back(active_[k]);
        columns_.keep_only(kept);
        take(state, std::move(active));
    }

    // Brings all variables back, with gradients recomputed from the expansion. Those that were
    // active go first, so that cached columns are the beginnings of what they were.
    void restore_all(DualState& state, Monitor& monitor) {
        save(state);
        std::vector<bool> in_play(state.size(), false);
        for (const Index i : active_) in_play[i] = true;
        std::vector<Index> order = active_;
        for (Index i = 0; i < state.size(); ++i) {
            if (!in_play[i]) order.push_back(i);
        }
        permute(state, order);
        std::vector<Index> rows;
        for (const Index i : order) rows.push_back(rows_[i]);
        rows_ = std::move(rows);

        std::vector<Index> support;
        std::vector<double> coef;
        for (Index i = 0; i < state.size(); ++i) {
            if (state.beta[i] == 0.0) continue;
            support.push_back(rows_[i]);
            coef.push_back(state.beta[i]);
        }
        const auto stale = std::span<const Index>(rows_).subspan(active_.size());
        state.counters.n_kernel_values += ssize(stale) * ssize(support);
        const auto sums =
            expansion_values(columns_.computer().rows(), stale, columns_.computer().kernel(),
                             support, coef, columns_.computer().pool(), monitor);
        for (Index k = 0; k < ssize(sums); ++k) {
            const Index i = active_.size() + k;
            state.gradient[i] = sums[k] - state.target[i];
        }
        columns_.append(stale);
        take(state, count_up(state.size()));
    }

    void save(DualState& state) const {
        for (Index k = 0; k < ssize(active_); ++k) {
            const Index i = active_[k];
            state.beta[i] = v_.beta[k];
            state.gradient[i] = v_.gradient[k];
        }
    }

  private:
    // Column k. When it has to be computed, so are those that will probably be asked for next.
    const Real* column(Index k) {
        if (!columns_.holds(k) && columns_.gains_by_blocks()) {
            std::vector<Index> wanted;
            for (Index i = 0; i < v_.size; ++i) {
                if (i != k && !columns_.holds(i)) wanted.push_back(i);
            }
            wanted = most_urgent_.of(v_, wanted, columns_.computer().cheap_block() - 1);
            wanted.push_back(k);
            columns_.prefetch(wanted);
        }
        return columns_.column(k);
    }

    KernelColumns<Real>& columns_;
    std::vector<Index> rows_;    // rows of the table, in the order of the state
    std::vector<Index> active_;  // variables in play, numbered as in the state
    DualVariables v_;
    PairSteps<Real> pairs_;
    MostUrgent most_urgent_;
    BlockSteps<Real> blocks_;
    FreeStep<Real> free_;
};

}  // namespace

void DualState::add(Index number, double goal, Box bounds, double coefficient, double value) {
    sample.push_back(number);
    target.push_back(goal);
    lower.push_back(bounds.lower);
    upper.push_back(bounds.upper);
    beta.push_back(coefficient);
    gradient.push_back(value - goal);
}

void DualState::keep_only(const std::vector<Index>& kept) {
    permute(*this, kept);
}

double intercept_of(const DualState& state, double middle) {
    double sum = 0.0;
    Index n_free = 0;
    for (Index i = 0; i < ssize(state.beta); ++i) {
        const double beta = state.beta[i];
        if (beta != 0.0 && beta > state.lower[i] && beta < state.upper[i]) {
            sum += state.gradient[i] + std::copysign(state.epsilon, beta);
            ++n_free;
        }
    }
    return n_free > 0 ? -sum / static_cast<double>(n_free) : -middle;
}

double dual_objective(const DualState& state) {
    // beta' K beta = sum beta_i (gradient_i + t_i)
    double sum = 0.0;
    for (Index i = 0; i < ssize(state.beta); ++i) {
        sum += state.beta[i] * (state.target[i] - 0.5 * (state.gradient[i] + state.target[i]));
        sum -= state.epsilon * std::abs(state.beta[i]);
    }
    return sum;
}

template <class Real>
void solve_smo(KernelColumns<Real>& columns, DualState& state, const SmoOptions& settings,
               Monitor& monitor, bool drop_tiny) {
    const Index n = columns.size();
    const Index max_updates = update_limit(settings.max_iter, n);
    const Index shrink_every = std::max<Index>(1, std::min<Index>(n, 1000));
    Workspace<Real> work(columns, state);
    Index updates = 0;
    Index since_asked = 0;
    Index next_shrink = shrink_every;
    // Most problems end before: free steps are for those that crawl. They take as long as the pairs
    // between them.
    Index next_free_step = 2 * n;
    state.status = Status::converged;
    while (true) {
        if (work.violation() <= settings.tol) {
            if (work.size() == n) {
                if (!std::exchange(drop_tiny, false)) break;
                work.drop_tiny();
                continue;
            }
            work.restore_all(state, monitor);
            if (monitor.stopped()) {
                state.status = monitor.reason();
                break;
            }
            continue;
        }
        if (updates >= max_updates) {
            state.status = Status::max_iter;
            break;
        }
        const bool in_block = work.prefers_blocks();
        const Index done = in_block ? work.block_step(0.5 * settings.tol, state.counters, monitor)
                           : work.step() ? 1
                                         : 0;
        if (done == 0) {
            if (monitor.stopped()) state.status = monitor.reason();
            break;
        }
        updates += done;
        since_asked += done;
        // A column that has to be computed may take long.
        if (in_block || columns.has_computed() || since_asked >= 16) {
            if (monitor.should_stop(since_asked)) {
                state.status = monitor.reason();
                break;
            }
            since_asked = 0;
        }
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
    // A loop that stopped early may have left out variables whose gradient is out of date.
    if (work.size() < n && !monitor.stopped()) work.restore_all(state, monitor);
    state.violation = std::max(0.0, work.violation());
    state.counters.n_updates += updates;
    state.intercept = intercept_of(state, work.middle());
}

template void solve_smo(KernelColumns<float>&, DualState&, const SmoOptions&, Monitor&, bool);
template void solve_smo(KernelColumns<double>&, DualState&, const SmoOptions&, Monitor&, bool);

}  // namespace svmosaic
