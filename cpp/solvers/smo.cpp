#include "solvers/smo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "core/aligned.hpp"
#include "expansion/decide.hpp"
#include "simd/loops.hpp"
#include "solvers/box_dual.hpp"
#include "solvers/dual_variables.hpp"
#include "solvers/free_step.hpp"

namespace svmosaic {

namespace {

// More free variables than this are left to the pairs: a joint step costs their cube.
constexpr Index most_free = 400;
constexpr int most_to_bound = 16;
// Below this size a pass costs less than the bookkeeping of shrinking.
constexpr Index least_to_shrink = 512;
// A coefficient is tiny below this share of the distance between its bounds.
constexpr double tiny_share = 1e-2;
constexpr Index least_in_block = 256;
// A block need not be solved much better than the rest is.
constexpr double block_looseness = 0.1;
constexpr Index updates_per_variable = 20;
// Columns that are added to the gradient together.
constexpr Index most_in_spread = 256;
constexpr Index least_in_spread = 16;
// Kernel values that are computed between two questions to the monitor.
constexpr Index most_values = Index{1} << 24;
// Gradients that stay in the first-level cache while a block's columns pass by.
constexpr Index spread_size = 2048;

std::vector<Index> all_of(Index n) {
    std::vector<Index> numbers(n);
    std::iota(numbers.begin(), numbers.end(), Index{0});
    return numbers;
}

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
}

// The working copy of the variables in play: short after shrinking.
template <class Real>
class Workspace {
  public:
    Workspace(KernelColumns<Real>& columns, const DualState& state)
        : columns_(columns),
          rows_(columns.computer().samples().begin(), columns.computer().samples().end()),
          pairs_(&columns.computer().pool()) {
        take(state, all_of(state.size()));
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
    }

    Index size() const { return ssize(active_); }
    double violation() const { return v_.violation(); }
    double middle() const {
        return middle_of(v_.extremes.lowest_up.value, v_.extremes.highest_low);
    }

    // One update of a pair. Returns false when no pair can move.
    bool step() {
        return pairs_.step(v_, [&](Index i) { return column(i, v_, [](Index k) { return k; }); });
    }

    // Updates of pairs within a block of variables that violate the conditions most, with one pass
    // over all variables in the end. Returns how many; zero when no pair can move.
    Index block_step(double tol, Monitor& monitor) {
        block_numbers_ = choose_block();
        const Index updates = solve_block(tol);
        if (updates > 0) spread_block(monitor);
        return updates;
    }
    bool prefers_blocks() const { return size() >= least_for_blocks; }

    // Steps of all free variables together: pairs alone crawl where the kernel has few dimensions
    // and the bounds are wide.
    void free_steps() {
        const auto column = [&](Index k) { return columns_.column(k); };
        if (v_.n_free > most_free) return;
        for (int round = 0; round < most_to_bound && free_.take_to_bound(v_, column); ++round) {
        }
        pairs_.look(v_);
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

    // Brings all variables back, with gradients made anew from the expansion. Those that were in
    // play go first, so that cached columns are the beginnings of what they were.
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
        take(state, all_of(state.size()));
    }

    void save(DualState& state) const {
        for (Index k = 0; k < ssize(active_); ++k) {
            const Index i = active_[k];
            state.beta[i] = v_.beta[k];
            state.gradient[i] = v_.gradient[k];
        }
    }

  private:
    // Column i for a step on `v`, whose variable k is sample number(k) of the columns. When it has
    // to be computed, so are those that will probably be asked for next.
    template <class Number>
    const Real* column(Index i, const DualVariables& v, const Number& number) {
        if (!columns_.holds(i) && columns_.gains_by_blocks()) {
            std::vector<Index> wanted{i};
            for (const Index k :
                 most_urgent(v, columns_.computer().cheap_block() - 1, [&](Index k) {
                     const Index sample = number(k);
                     return sample != i && !columns_.holds(sample);
                 })) {
                wanted.push_back(number(k));
            }
            columns_.prefetch(wanted);
        }
        return columns_.column(i);
    }

    // SMO on the block alone. Its part of the kernel matrix is read from the columns row by row,
    // when a variable first moves.
    Index solve_block(double tol) {
        const Index m = block_numbers_.size();
        std::vector<bool> has_row(m, false);
        block_.resize(m);
        for (Index a = 0; a < m; ++a) {
            const Index k = block_numbers_[a];
            block_.set(a, v_.diagonal[k], 0.0, v_.lower[k], v_.upper[k], v_.beta[k],
                       v_.gradient[k]);
        }
        block_.set_epsilon(v_.epsilon);
        const auto row_of = [&](Index a) {
            Real* row = block_.matrix_row(a);
            if (!has_row[a]) {
                const auto number = [&](Index k) { return block_numbers_[k]; };
                const Real* whole = column(block_numbers_[a], block_.variables(), number);
                for (Index b = 0; b < m; ++b) row[b] = whole[block_numbers_[b]];
                has_row[a] = true;
            }
            return row;
        };
        block_.look();
        const double goal = std::max(tol, block_looseness * block_.violation());
        return block_.solve_pairs(goal, updates_per_variable * m, row_of);
    }

    // What the block's new coefficients mean for all gradients.
    void spread_block(Monitor& monitor) {
        std::vector<Index> moved;
        std::vector<double> change;
        for (Index a = 0; a < ssize(block_numbers_); ++a) {
            const Index k = block_numbers_[a];
            const double beta = block_.beta(a);
            if (beta == v_.beta[k]) continue;
            moved.push_back(block_numbers_[a]);
            change.push_back(beta - v_.beta[k]);
            v_.beta[k] = beta;
            v_.mark(k);
        }
        // A long way over many samples: Ctrl-C does not wait for its end. What it leaves out of
        // date is thrown away, while a run that has come to its time limit still needs the
        // gradients.
        const Index often =
            std::clamp(most_values / std::max<Index>(size(), 1), least_in_spread, most_in_spread);
        const Index step = std::min(columns_.capacity(), often);
        for (Index first = 0; first < ssize(moved); first += step) {
            if (monitor.should_stop(0) && monitor.reason() == Status::interrupted) return;
            const auto some = std::span(moved).subspan(first, std::min(step, ssize(moved) - first));
            columns_.prefetch(some);
            std::vector<const Real*> column;
            for (const Index k : some) column.push_back(columns_.column(k));
            add_columns(column, std::span(change).subspan(first, some.size()));
        }
        pairs_.look(v_);
    }

    // gradient += the columns, each times its change.
    void add_columns(const std::vector<const Real*>& column, std::span<const double> change) {
        const auto& loops = simd::loops<Real>();
        const Index n = columns_.padded_size();
        columns_.computer().pool().run((n + spread_size - 1) / spread_size, [&](Index range) {
            const Index begin = range * spread_size;
            const Index length = std::min(spread_size, n - begin);
            for (Index a = 0; a < ssize(column); ++a) {
                loops.add_scaled(column[a] + begin, change[a], v_.gradient.data() + begin, length);
            }
        });
    }

    std::vector<Index> choose_block() {
        const Index n = std::clamp(size() / 8, least_in_block, most_in_block);
        auto block = most_urgent(v_, n, [](Index) { return true; });
        std::sort(block.begin(), block.end());
        return block;
    }

    // The variables that want to grow most and those that want to shrink most, half and half.
    template <class Eligible>
    std::vector<Index> most_urgent(const DualVariables& v, Index n, const Eligible& eligible) {
        std::vector<Index> chosen;
        taken_.assign(v.size, false);
        const auto take_best = [&](Index count, const auto& urgency) {
            candidates_.clear();
            if (count == 0) return;
            double least = 0.0;
            for (Index k = 0; k < v.size; ++k) {
                const double value = urgency(k);
                if (!(value > least) || taken_[k] || !eligible(k)) continue;
                candidates_.emplace_back(-value, k);
                // Now and then the list is cut back to the best, which most of the others are not.
                if (ssize(candidates_) < 4 * count + 64) continue;
                std::nth_element(candidates_.begin(), candidates_.begin() + count - 1,
                                 candidates_.end());
                candidates_.resize(count);
                least = -candidates_.back().first;
            }
            const auto best = std::min(count, ssize(candidates_));
            if (best > 0 && best < ssize(candidates_)) {
                std::nth_element(candidates_.begin(), candidates_.begin() + best - 1,
                                 candidates_.end());
            }
            for (Index c = 0; c < best; ++c) {
                taken_[candidates_[c].second] = true;
                chosen.push_back(candidates_[c].second);
            }
        };
        const double lowest = v.extremes.lowest_up.value;
        const double highest = v.extremes.highest_low;
        take_best(n / 2, [&](Index k) { return highest - (v.gradient[k] + v.up[k]); });
        take_best(n - ssize(chosen), [&](Index k) { return (v.gradient[k] + v.low[k]) - lowest; });
        return chosen;
    }

    KernelColumns<Real>& columns_;
    std::vector<Index> rows_;    // rows of the table, in the order of the state
    std::vector<Index> active_;  // variables in play, numbered as in the state
    DualVariables v_;
    PairSteps<Real> pairs_;
    std::vector<Index> block_numbers_;
    BoxDual<Real> block_;
    FreeStep<Real> free_;
    std::vector<bool> taken_;
    std::vector<std::pair<double, Index>> candidates_;
};

}  // namespace

void DualState::add(Index number, double goal, double bound, double value) {
    const bool two_sided = loss == Loss::epsilon_insensitive;
    sample.push_back(number);
    target.push_back(goal);
    lower.push_back(two_sided || goal < 0 ? -bound : 0.0);
    upper.push_back(two_sided || goal > 0 ? bound : 0.0);
    beta.push_back(0.0);
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

double middle_of(double lowest_up, double highest_low) {
    if (!std::isfinite(highest_low)) return std::isfinite(lowest_up) ? lowest_up : 0.0;
    return std::isfinite(lowest_up) ? 0.5 * (lowest_up + highest_low) : highest_low;
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
    // Most problems end long before: a free step is for those that crawl.
    const Index free_step_every = 1000 + n;
    Index next_free_step = 2 * free_step_every;
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
        const Index done = in_block      ? work.block_step(0.5 * settings.tol, monitor)
                           : work.step() ? 1
                                         : 0;
        if (in_block) ++state.counters.n_blocks;
        if (done == 0) break;
        updates += done;
        since_asked += done;
        if (in_block || since_asked >= 16) {
            if (monitor.should_stop(since_asked)) {
                state.status = monitor.reason();
                break;
            }
            since_asked = 0;
        }
        if (updates >= next_free_step) {
            work.free_steps();
            next_free_step = updates + free_step_every;
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
