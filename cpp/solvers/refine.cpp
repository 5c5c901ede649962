#include "solvers/refine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/kernel_columns.hpp"
#include "expansion/decide.hpp"
#include "solvers/dual_report.hpp"

namespace svmosaic {

namespace {

// Early rounds only have to find the violators; the last one meets the tolerance.
constexpr double first_tol = 0.1;
// A round's tolerance, relative to the worst violation outside.
constexpr double looseness = 0.1;
// Violators that may join in one round: many of them are no longer violators when the worst ones
// have had their say.
constexpr std::size_t least_joiners = 256;
constexpr std::size_t few = 50;
// With more in play than this many for each support vector, the idle ones leave: those whose
// y f(x) is above 1 by this much.
constexpr std::size_t idle_share = 2;
constexpr double idle_distance = 0.1;
// Smaller problems are solved at once.
constexpr std::size_t least_for_rounds = 2000;

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

// The samples that are not in play, and sum_j k(x, x_j) beta_j for each of them.
template <class Real>
class Outside {
  public:
    Outside(const Rows<Real>& rows, const KernelSpec& kernel, const Problem& problem,
            const DualState& state)
        : rows_(rows), kernel_(kernel), problem_(problem), beta_(problem.samples.size(), 0.0) {
        std::vector<bool> in_play(problem.samples.size(), false);
        for (const auto i : state.sample) in_play[i] = true;
        for (std::size_t i = 0; i < in_play.size(); ++i) {
            if (!in_play[i]) members_.push_back(i);
        }
        values_.assign(members_.size(), 0.0);
    }

    std::size_t size() const { return members_.size(); }
    std::size_t sample(std::size_t k) const { return members_[k]; }
    double value(std::size_t k) const { return values_[k]; }

    // Brings the values up to date: only coefficients that changed cost anything.
    void update(const DualState& state, ThreadPool& pool, Monitor& monitor) {
        std::vector<std::size_t> changed;
        std::vector<double> change;
        for (std::size_t v = 0; v < state.size(); ++v) {
            const std::size_t i = state.sample[v];
            if (state.beta[v] == beta_[i]) continue;
            changed.push_back(i);
            change.push_back(state.beta[v] - beta_[i]);
            beta_[i] = state.beta[v];
        }
        const auto sums = expansion_values(rows_, rows_of(problem_, members_), kernel_,
                                           rows_of(problem_, changed), change, pool, monitor);
        for (std::size_t k = 0; k < values_.size(); ++k) values_[k] += sums[k];
    }

    void add(std::size_t sample, double value) {
        members_.push_back(sample);
        values_.push_back(value);
    }

    // Forgets the members numbered here, ascending.
    void remove(std::span<const std::size_t> leaving) {
        std::size_t kept = 0;
        std::size_t next = 0;
        for (std::size_t k = 0; k < members_.size(); ++k) {
            if (next < leaving.size() && leaving[next] == k) {
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
    std::vector<std::size_t> members_;
    std::vector<double> values_;
    std::vector<double> beta_;  // that the values are made from, by sample of the problem
};

// Samples in play that joined in vain, and are far from the margin, leave it again.
template <class Real>
void send_out_idle(double middle, DualState& state, KernelColumns<Real>& columns,
                   Outside<Real>& outside) {
    std::vector<Index> kept;
    for (std::size_t v = 0; v < state.size(); ++v) {
        const double excess = -state.target[v] * (state.gradient[v] - middle);
        if (state.beta[v] != 0.0 || excess > -idle_distance) {
            kept.push_back(static_cast<Index>(v));
        } else {
            outside.add(state.sample[v], state.gradient[v] + state.target[v]);
        }
    }
    state.keep_only(kept);
    columns.keep_only(kept);
}

std::size_t n_support_of(const DualState& state) {
    return static_cast<std::size_t>(std::count_if(state.beta.begin(), state.beta.end(),
                                                  [](double beta) { return beta != 0.0; }));
}

// A sample outside that violates the conditions: its number there, and by how much.
struct Violator {
    std::size_t number;
    double violation;
};

// The worst `n` of them, ascending by number.
std::vector<std::size_t> worst_of(std::vector<Violator>& violators, std::size_t n) {
    if (violators.size() > n) {
        std::nth_element(violators.begin(), violators.begin() + static_cast<std::ptrdiff_t>(n),
                         violators.end(), [](const Violator& a, const Violator& b) {
                             return a.violation != b.violation ? a.violation > b.violation
                                                               : a.number < b.number;
                         });
        violators.resize(n);
    }
    std::vector<std::size_t> numbers;
    for (const auto& violator : violators) numbers.push_back(violator.number);
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

}  // namespace

template <class Real>
Solution refine(const Rows<Real>& rows, const KernelSpec& kernel, const Problem& problem,
                std::span<const Index> selected, const RefineSettings& settings,
                std::size_t cache_bytes, ThreadPool& pool, Monitor& monitor) {
    const bool full = settings.refinement == Refinement::full;
    const bool at_once = full && problem.samples.size() < least_for_rounds;
    std::vector<std::size_t> samples(selected.begin(), selected.end());
    if (at_once) {
        samples.resize(problem.samples.size());
        std::iota(samples.begin(), samples.end(), std::size_t{0});
    }
    std::sort(samples.begin(), samples.end());
    const auto bound = [&](std::size_t i) { return settings.C * problem.weights[i]; };
    DualState state;
    for (const auto i : samples) state.add(i, problem.targets[i], bound(i), 0.0);
    KernelColumns<Real> columns(rows, rows_of(problem, samples), kernel, cache_bytes, pool);

    const double tol = settings.smo.tol;
    SmoSettings smo = settings.smo;
    if (full && !at_once) {
        smo.tol = std::max(tol, first_tol);
        // The samples in play are few already, and what shrinking saves is lost when the next
        // round has to complete the columns again.
        smo.shrinking = false;
    }
    double loss_outside = 0.0;
    double violation = 0.0;
    Outside<Real> outside(rows, kernel, problem, state);
    while (true) {
        solve_smo(columns, state, smo, monitor, smo.tol <= tol);
        violation = state.violation;
        if (!full || state.status != Status::converged) break;
        outside.update(state, pool, monitor);
        if (monitor.stopped()) {
            state.status = monitor.reason();
            break;
        }
        // Every sample outside has beta = 0: one side of its interval is its bound. It is measured
        // against the middle, not against the far end of the interval: two samples that are both
        // outside can violate the conditions together.
        Interval interval = interval_of(state);
        const double middle = middle_of(interval.lowest_up, interval.highest_low);
        std::vector<Violator> violators;
        double worst = 0.0;
        for (std::size_t k = 0; k < outside.size(); ++k) {
            const std::size_t i = outside.sample(k);
            const double target = problem.targets[i];
            const double gradient = outside.value(k) - target;
            const double excess = -target * (gradient - middle);
            if (excess > 0.5 * tol) violators.push_back({k, excess});
            worst = std::max(worst, excess);
            if (target > 0) {
                interval.lowest_up = std::min(interval.lowest_up, gradient);
            } else {
                interval.highest_low = std::max(interval.highest_low, gradient);
            }
        }
        // Without a free variable the samples outside have their say.
        state.intercept = intercept_of(state, middle_of(interval.lowest_up, interval.highest_low));
        loss_outside = 0.0;
        for (std::size_t k = 0; k < outside.size(); ++k) {
            const std::size_t i = outside.sample(k);
            const double decision = outside.value(k) + state.intercept;
            loss_outside += bound(i) * loss_of(state, problem.targets[i], decision);
        }
        violation = std::max(0.0, interval.highest_low - interval.lowest_up);
        if (violation <= tol || (violators.empty() && smo.tol <= tol)) break;
        const std::size_t n_support = n_support_of(state);
        const auto joiners = worst_of(violators, std::max(least_joiners, n_support));
        // When hardly any sample joins, this round is meant to be the last.
        const bool nearly_done = few * joiners.size() < n_support;
        smo.tol = nearly_done ? tol : std::max(tol, std::min(smo.tol, looseness * worst));
        std::vector<std::size_t> joining;
        std::vector<double> values;
        for (const std::size_t k : joiners) {
            joining.push_back(outside.sample(k));
            values.push_back(outside.value(k));
        }
        outside.remove(joiners);
        if (state.size() > idle_share * n_support + least_joiners) {
            send_out_idle(middle, state, columns, outside);
        }
        for (std::size_t j = 0; j < joining.size(); ++j) {
            const std::size_t i = joining[j];
            state.add(i, problem.targets[i], bound(i), values[j]);
        }
        columns.append(rows_of(problem, joining));
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
