#include "solvers/smo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "core/aligned.hpp"
#include "expansion/decide.hpp"
#include "simd/loops.hpp"
#include "solvers/newton_direction.hpp"

namespace svmosaic {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Curvature of a pair of (nearly) identical samples, or of a kernel that is not positive definite.
constexpr double least_curvature = 1e-12;
// Passes over fewer variables than this are not shared between threads.
constexpr Index range_size = 16'384;
// More free variables than this are left to the pairs: a joint step costs their cube.
constexpr std::size_t most_free = 400;
// Below this size a pass costs less than the bookkeeping of shrinking.
constexpr Index least_to_shrink = 512;

std::vector<Index> all_of(std::size_t n) {
    std::vector<Index> numbers(n);
    std::iota(numbers.begin(), numbers.end(), Index{0});
    return numbers;
}

template <class T>
void permute(std::vector<T>& values, const std::vector<Index>& order) {
    std::vector<T> moved;
    moved.reserve(order.size());
    for (const Index i : order) moved.push_back(values[static_cast<std::size_t>(i)]);
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

// The working copy of the variables in play: padded, aligned, and short after shrinking.
template <class Real>
class Workspace {
  public:
    Workspace(KernelColumns<Real>& columns, const DualState& state)
        : columns_(columns), rows_(columns.samples().begin(), columns.samples().end()) {
        take(state, all_of(state.size()));
    }
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;

    // Copies the variables numbered `active`, which are the samples of the columns now.
    void take(const DualState& state, std::vector<Index> active) {
        active_ = std::move(active);
        epsilon_ = state.epsilon;
        const auto padded = static_cast<std::size_t>(columns_.padded_size());
        beta_.assign(padded, 0.0);
        lower_.assign(padded, 0.0);
        upper_.assign(padded, 0.0);
        gradient_.assign(padded, 0.0);
        up_.assign(padded, infinity);
        low_.assign(padded, -infinity);
        for (std::size_t k = 0; k < active_.size(); ++k) {
            const auto i = static_cast<std::size_t>(active_[k]);
            beta_[k] = state.beta[i];
            lower_[k] = state.lower[i];
            upper_[k] = state.upper[i];
            gradient_[k] = state.gradient[i];
            mark(k);
        }
    }

    Index size() const { return static_cast<Index>(active_.size()); }
    double violation() const { return extremes_.highest_low - extremes_.lowest_up.value; }
    double middle() const { return middle_of(extremes_.lowest_up.value, extremes_.highest_low); }

    // Finds the most violating pair without a step.
    void look() { update_range(nullptr, nullptr, 0.0); }

    // One update of a pair. Returns false when no pair can move.
    bool step() {
        const Index i = extremes_.lowest_up.index;
        if (i < 0) return false;
        const Real* column_i = columns_.column(i);
        const Index j = second(i, column_i);
        if (j < 0) return false;
        const Real* column_j = columns_.column(j);
        const auto a = static_cast<std::size_t>(i);
        const auto b = static_cast<std::size_t>(j);
        const auto& diagonal = columns_.diagonal();
        const double curvature = std::max(
            diagonal[a] + diagonal[b] - 2.0 * static_cast<double>(column_i[j]), least_curvature);
        // beta_i grows and beta_j shrinks by the same amount, which keeps their sum. At zero the
        // slope of epsilon |beta| changes, so a step ends there.
        const double end_i = end_of(a, true);
        const double end_j = end_of(b, false);
        const double room_i = end_i - beta_[a];
        const double room_j = beta_[b] - end_j;
        const double slope = (gradient_[b] + low_[b]) - (gradient_[a] + up_[a]);
        const double delta = std::min({slope / curvature, room_i, room_j});
        // At an end the variable is set, not added to, so that it is exactly there.
        beta_[a] = delta == room_i ? end_i : beta_[a] + delta;
        beta_[b] = delta == room_j ? end_j : beta_[b] - delta;
        mark(a);
        mark(b);
        update_range(column_i, column_j, delta);
        return true;
    }

    // One step of all free variables together, to their joint minimum or to the first bound on the
    // way. Pairs alone crawl where the kernel has few dimensions and the bounds are wide. Returns
    // true when a variable reached a bound, so that another such step is worth while.
    bool free_step() {
        std::vector<std::size_t> free;
        for (std::size_t k = 0; k < active_.size(); ++k) {
            const bool inside = beta_[k] > lower_[k] && beta_[k] < upper_[k];
            if (inside && beta_[k] != 0.0) free.push_back(k);
        }
        const std::size_t m = free.size();
        if (m < 2 || m > most_free) return false;
        std::vector<double> K(m * m);
        std::vector<double> slope(m);
        for (std::size_t a = 0; a < m; ++a) {
            const Real* column = columns_.column(static_cast<Index>(free[a]));
            for (std::size_t b = 0; b < m; ++b) K[a * m + b] = static_cast<double>(column[free[b]]);
            slope[a] = gradient_[free[a]] + std::copysign(epsilon_, beta_[free[a]]);
        }
        auto step = newton_direction(K, slope);
        if (step.empty()) return false;
        // Rounding must not move the sum of the coefficients.
        step.back() -= std::accumulate(step.begin(), step.end(), 0.0);
        double length = 1.0;
        std::size_t first = m;
        for (std::size_t a = 0; a < m; ++a) {
            const double end = end_of(free[a], step[a] > 0.0);
            const double room = std::abs(end - beta_[free[a]]);
            if (std::abs(step[a]) * length > room) {
                length = room / std::abs(step[a]);
                first = a;
            }
        }
        if (!std::isfinite(length) || !(length > 0.0)) return false;
        for (std::size_t a = 0; a < m; ++a) {
            const std::size_t k = free[a];
            const double delta = length * step[a];
            beta_[k] = a == first ? end_of(k, step[a] > 0.0)
                                  : std::clamp(beta_[k] + delta, lower_[k], upper_[k]);
            mark(k);
            simd::loops<Real>().add_scaled(columns_.column(static_cast<Index>(k)), delta,
                                           gradient_.data(), columns_.padded_size());
        }
        look();
        return first < m;
    }

    // The others can make no pair that violates the conditions, as the extremes are now.
    std::vector<Index> worth_keeping() const {
        std::vector<Index> kept;
        for (std::size_t k = 0; k < active_.size(); ++k) {
            const bool may_grow = gradient_[k] + up_[k] <= extremes_.highest_low;
            const bool may_shrink = gradient_[k] + low_[k] >= extremes_.lowest_up.value;
            if (may_grow || may_shrink) kept.push_back(static_cast<Index>(k));
        }
        return kept;
    }

    void shrink(const std::vector<Index>& kept, DualState& state) {
        save(state);
        std::vector<Index> active;
        active.reserve(kept.size());
        for (const Index k : kept) active.push_back(active_[static_cast<std::size_t>(k)]);
        columns_.keep_only(kept);
        take(state, std::move(active));
        look();
    }

    // Brings all variables back, with gradients made anew from the expansion. Those that were in
    // play go first, so that cached columns are the beginnings of what they were.
    void restore_all(DualState& state, Monitor& monitor) {
        save(state);
        std::vector<bool> in_play(state.size(), false);
        for (const Index i : active_) in_play[static_cast<std::size_t>(i)] = true;
        std::vector<Index> order = active_;
        for (std::size_t i = 0; i < state.size(); ++i) {
            if (!in_play[i]) order.push_back(static_cast<Index>(i));
        }
        permute(state, order);
        std::vector<Index> rows;
        for (const Index i : order) rows.push_back(rows_[static_cast<std::size_t>(i)]);
        rows_ = std::move(rows);

        std::vector<Index> support;
        std::vector<double> coef;
        for (std::size_t i = 0; i < state.size(); ++i) {
            if (state.beta[i] == 0.0) continue;
            support.push_back(rows_[i]);
            coef.push_back(state.beta[i]);
        }
        const auto stale = std::span<const Index>(rows_).subspan(active_.size());
        const auto sums = expansion_values(columns_.rows(), stale, columns_.kernel(), support, coef,
                                           columns_.pool(), monitor);
        for (std::size_t k = 0; k < sums.size(); ++k) {
            const std::size_t i = active_.size() + k;
            state.gradient[i] = sums[k] - state.target[i];
        }
        columns_.append(stale);
        take(state, all_of(state.size()));
        look();
    }

    void save(DualState& state) const {
        for (std::size_t k = 0; k < active_.size(); ++k) {
            const auto i = static_cast<std::size_t>(active_[k]);
            state.beta[i] = beta_[k];
            state.gradient[i] = gradient_[k];
        }
    }

  private:
    void mark(std::size_t k) {
        up_[k] = beta_[k] >= upper_[k] ? infinity : beta_[k] >= 0.0 ? epsilon_ : -epsilon_;
        low_[k] = beta_[k] <= lower_[k] ? -infinity : beta_[k] > 0.0 ? epsilon_ : -epsilon_;
    }

    // How far a variable may go in one step: to its bound, or to zero before it.
    double end_of(std::size_t k, bool growing) const {
        if (growing) return beta_[k] < 0.0 ? 0.0 : upper_[k];
        return beta_[k] > 0.0 ? 0.0 : lower_[k];
    }

    Index n_ranges() const { return (columns_.padded_size() + range_size - 1) / range_size; }
    Index range_length(Index range) const {
        return std::min(range_size, columns_.padded_size() - range * range_size);
    }

    Index second(Index i, const Real* column_i) {
        const auto a = static_cast<std::size_t>(i);
        const auto& loops = simd::loops<Real>();
        const auto& diagonal = columns_.diagonal();
        std::vector<simd::Extreme>& found = second_of_range_;
        found.resize(static_cast<std::size_t>(n_ranges()));
        columns_.pool().run(n_ranges(), [&](Index range) {
            const Index begin = range * range_size;
            auto best = loops.select_second(
                column_i + begin, diagonal.data() + begin, gradient_.data() + begin,
                low_.data() + begin, gradient_[a] + up_[a], diagonal[a], range_length(range));
            if (best.index >= 0) best.index += begin;
            found[static_cast<std::size_t>(range)] = best;
        });
        simd::Extreme winner{0.0, -1};
        for (const auto& best : found) {
            if (best.index >= 0 && (winner.index < 0 || best.value > winner.value)) winner = best;
        }
        return winner.index;
    }

    // The gradient after a step of `delta` and the extremes over all variables.
    void update_range(const Real* column_i, const Real* column_j, double delta) {
        const auto& loops = simd::loops<Real>();
        if (column_i == nullptr) {
            // No step: any readable column will do, it is multiplied by zero.
            zeros_.assign(static_cast<std::size_t>(columns_.padded_size()), Real{0});
            column_i = column_j = zeros_.data();
        }
        auto& found = extremes_of_range_;
        found.resize(static_cast<std::size_t>(n_ranges()));
        columns_.pool().run(n_ranges(), [&](Index range) {
            const Index begin = range * range_size;
            auto extremes = loops.update_gradient(column_i + begin, column_j + begin, delta,
                                                  up_.data() + begin, low_.data() + begin,
                                                  gradient_.data() + begin, range_length(range));
            if (extremes.lowest_up.index >= 0) extremes.lowest_up.index += begin;
            found[static_cast<std::size_t>(range)] = extremes;
        });
        extremes_ = {{infinity, -1}, -infinity};
        for (const auto& part : found) {
            if (part.lowest_up.index >= 0 && part.lowest_up.value < extremes_.lowest_up.value) {
                extremes_.lowest_up = part.lowest_up;
            }
            extremes_.highest_low = std::max(extremes_.highest_low, part.highest_low);
        }
    }

    KernelColumns<Real>& columns_;
    std::vector<Index> rows_;    // rows of the table, in the order of the state
    std::vector<Index> active_;  // variables in play, numbered as in the state
    AlignedVector<double> beta_, lower_, upper_, gradient_;
    // What is added to the gradient for growing and for shrinking: the slope of epsilon |beta| in
    // that direction, or an infinity where the variable is at its bound.
    AlignedVector<double> up_, low_;
    double epsilon_ = 0.0;
    simd::PairExtremes extremes_{{infinity, -1}, -infinity};
    AlignedVector<Real> zeros_;
    std::vector<simd::Extreme> second_of_range_;
    std::vector<simd::PairExtremes> extremes_of_range_;
};

// The intercept is the mean gradient of the free variables, with its sign changed; without a
// free variable, the middle of the interval that the optimality conditions leave.
double intercept_of(const DualState& state, double middle) {
    double sum = 0.0;
    Index n_free = 0;
    for (std::size_t i = 0; i < state.beta.size(); ++i) {
        const double beta = state.beta[i];
        if (beta != 0.0 && beta > state.lower[i] && beta < state.upper[i]) {
            sum += state.gradient[i] + std::copysign(state.epsilon, beta);
            ++n_free;
        }
    }
    return n_free > 0 ? -sum / static_cast<double>(n_free) : -middle;
}

}  // namespace

void DualState::add(std::size_t number, double goal, double bound, double value) {
    const bool two_sided = loss == Loss::epsilon_insensitive;
    sample.push_back(number);
    target.push_back(goal);
    lower.push_back(two_sided || goal < 0 ? -bound : 0.0);
    upper.push_back(two_sided || goal > 0 ? bound : 0.0);
    beta.push_back(0.0);
    gradient.push_back(value - goal);
}

void DualState::resize(std::size_t n) {
    sample.resize(n);
    target.resize(n);
    lower.resize(n);
    upper.resize(n);
    beta.resize(n);
    gradient.resize(n);
}

double middle_of(double lowest_up, double highest_low) {
    if (!std::isfinite(highest_low)) return std::isfinite(lowest_up) ? lowest_up : 0.0;
    return std::isfinite(lowest_up) ? 0.5 * (lowest_up + highest_low) : highest_low;
}

double dual_objective(const DualState& state) {
    // beta' K beta = sum beta_i (gradient_i + t_i)
    double sum = 0.0;
    for (std::size_t i = 0; i < state.beta.size(); ++i) {
        sum += state.beta[i] * (state.target[i] - 0.5 * (state.gradient[i] + state.target[i]));
        sum -= state.epsilon * std::abs(state.beta[i]);
    }
    return sum;
}

template <class Real>
void solve_smo(KernelColumns<Real>& columns, DualState& state, const SmoSettings& settings,
               Monitor& monitor) {
    const Index n = columns.size();
    const Index max_updates =
        settings.max_iter > 0 ? settings.max_iter : std::max<Index>(10'000'000, 100 * n);
    const Index shrink_every = std::max<Index>(1, std::min<Index>(n, 1000));
    Workspace<Real> work(columns, state);
    work.look();
    Index updates = 0;
    // Most problems end long before: a free step is for those that crawl.
    const Index free_step_every = 1000 + n;
    Index next_free_step = 2 * free_step_every;
    state.status = Status::converged;
    while (true) {
        if (work.violation() <= settings.tol) {
            if (work.size() == n) break;
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
        if (!work.step()) break;
        ++updates;
        if (updates % 16 == 0 && monitor.should_stop(16)) {
            state.status = monitor.reason();
            break;
        }
        if (updates >= next_free_step) {
            for (int round = 0; round < 16 && work.free_step(); ++round) {
            }
            next_free_step = updates + free_step_every;
        }
        if (settings.shrinking && updates % shrink_every == 0 && work.size() >= least_to_shrink) {
            const auto kept = work.worth_keeping();
            if (static_cast<Index>(kept.size()) * 4 < work.size() * 3) work.shrink(kept, state);
        }
    }
    work.save(state);
    // A loop that stopped early may have left out variables whose gradient is out of date.
    if (work.size() < n && !monitor.stopped()) work.restore_all(state, monitor);
    state.violation = std::max(0.0, work.violation());
    state.n_updates += updates;
    state.intercept = intercept_of(state, work.middle());
}

template void solve_smo(KernelColumns<float>&, DualState&, const SmoSettings&, Monitor&);
template void solve_smo(KernelColumns<double>&, DualState&, const SmoSettings&, Monitor&);

}  // namespace svmosaic
