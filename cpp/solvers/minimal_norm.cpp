#include "solvers/minimal_norm.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/sampling.hpp"
#include "expansion/decide.hpp"
#include "solvers/dual_point.hpp"
#include "solvers/joint_step.hpp"
#include "solvers/l2_report.hpp"
#include "solvers/stopping.hpp"

namespace svmosaic {

namespace {

// Below this many draws' worth of samples, all of them are in play from the start.
constexpr Index draws_of_large = 8;
// Early rounds only have to find the violators: their tolerance begins here and falls by this
// factor whenever the samples outside meet it.
constexpr double first_tol = 0.5;
constexpr double tightening = 8.0;
// A draw with fewer violators than one in this many says that the search is nearly over.
constexpr Index few = 20;

// The samples of the problem, by position: those in play and the others.
struct Parts {
    std::vector<Index> in_play;
    std::vector<Index> outside;
};

// Brings `n` random entries to the front.
void shuffle_front(std::vector<Index>& entries, Index n, Sampler& random) {
    const Index size = ssize(entries);
    for (Index k = 0; k < std::min(n, size); ++k) {
        std::swap(entries[k], entries[k + random.below(size - k)]);
    }
}

Parts first_parts(const Problem& problem, Index draw, Sampler& random) {
    Parts parts;
    parts.in_play.resize(problem.samples.size());
    std::iota(parts.in_play.begin(), parts.in_play.end(), Index{0});
    if (draw == 0 || ssize(parts.in_play) <= draws_of_large * draw) {
        return parts;
    }
    shuffle_front(parts.in_play, draw, random);
    parts.outside.assign(parts.in_play.begin() + draw, parts.in_play.end());
    parts.in_play.resize(draw);
    return parts;
}

std::vector<Index> rows_of(const Problem& problem, std::span<const Index> positions) {
    std::vector<Index> rows;
    rows.reserve(positions.size());
    for (const Index i : positions) rows.push_back(problem.samples[i]);
    return rows;
}

// The point in the hull of the samples in play, and its squared norm v' Q v.
template <class Real>
class Walk {
  public:
    Walk(const Problem& problem, const MinimalNormSettings& settings, KernelColumns<Real>& columns,
         Monitor& monitor)
        : problem_(problem),
          settings_(settings),
          columns_(columns),
          monitor_(monitor),
          point_(columns, 1.0) {
        least_norm_ = 0.5 / highest_objective(problem, settings.C);
    }

    void enter(std::span<const Index> positions, std::span<const double> gradients) {
        std::vector<double> targets;
        std::vector<double> softness;
        for (const Index i : positions) {
            targets.push_back(problem_.targets[i]);
            softness.push_back(1.0 / (settings_.C * problem_.weights[i]));
        }
        point_.enter(targets, softness, gradients);
    }

    // At the first sample. False if that has no length, which is no kernel's doing.
    bool begin() {
        if (!(point_.diagonal(0) >= least_norm_)) return false;
        point_.move(0, 1.0);
        norm_ = norm_squared();
        return true;
    }

    // MDM steps until the samples in play meet the tolerance or a limit is met.
    void run(double tol, Index max_iter, Solution& solution) {
        while (true) {
            if (settings_.joint_steps && joint_step_.due(point_))
                solution.n_iter += joint_step(tol);
            const auto nearest = point_.lowest();
            const auto farthest = point_.highest_held();
            gap_ = farthest.value - nearest.value;
            highest_ = farthest.value;
            if (gap_ <= tol * norm_) {
                // The norm is kept up to date by sums; rounding must not end the walk early.
                norm_ = norm_squared();
                if (gap_ <= tol * norm_) return;
            }
            if (must_stop(max_iter, monitor_, solution)) return;
            if (!step(nearest.index, farthest.index)) {
                solution.status = Status::indefinite;
                return;
            }
            joint_step_.count(2);
            ++solution.n_iter;
        }
    }

    // Where a sample outside has to lie to be no violator.
    double threshold(double tol) const { return highest_ - tol * norm_; }
    double norm() const { return norm_; }
    double gap() const { return gap_; }
    const DualPoint<Real>& point() const { return point_; }
    // Computed for `values_at` so far.
    Index n_kernel_values() const { return n_kernel_values_; }

    // sum_j v_j y_j (k(x, x_j) + 1) for some positions outside.
    std::vector<double> values_at(std::span<const Index> positions) {
        std::vector<Index> support;
        std::vector<double> coef;
        for (const Index i : point_.held()) {
            support.push_back(columns_.computer().samples()[i]);
            coef.push_back(point_.target(i) * point_.alpha(i));
        }
        n_kernel_values_ += ssize(positions) * ssize(support);
        auto values = expansion_values(columns_.computer().rows(), rows_of(problem_, positions),
                                       columns_.computer().kernel(), support, coef,
                                       columns_.computer().pool(), monitor_);
        const double intercept = std::accumulate(coef.begin(), coef.end(), 0.0);
        for (double& value : values) value += intercept;
        return values;
    }

  private:
    // To the joint minimum of all with v > 0 and some more, found for a = v / (v' Q v), whose
    // objective is 1 / (2 v' Q v). Returns how many have moved.
    Index joint_step(double tol) {
        norm_ = norm_squared();
        if (!joint_step_.find(point_, (1.0 - tol) * norm_, 0.5 / norm_, monitor_)) return 0;
        const double sum = joint_step_.sum();
        for (const auto& [i, value] : joint_step_.values()) point_.move(i, value / sum);
        norm_ = norm_squared();
        return ssize(joint_step_.values());
    }

    // Moves weight from j to i: the exact minimum along e_i - e_j, at most all that j has. False,
    // and nothing moved, where no positive semidefinite kernel would lead.
    bool step(Index i, Index j) {
        const double curvature = point_.curvature(i, j);
        if (curvature <= 0.0) return false;
        const double amount = std::min(gap_ / curvature, point_.alpha(j));
        const double norm = norm_ + amount * (amount * curvature - 2.0 * gap_);
        if (!(norm >= least_norm_)) return false;
        const bool all = amount == point_.alpha(j);
        point_.move(j, all ? 0.0 : point_.alpha(j) - amount);
        point_.move(i, point_.alpha(i) + amount);
        norm_ = norm;
        return true;
    }

    double norm_squared() const {
        double sum = 0.0;
        for (const Index i : point_.held()) sum += point_.alpha(i) * point_.gradient(i);
        return sum;
    }

    const Problem& problem_;
    const MinimalNormSettings& settings_;
    KernelColumns<Real>& columns_;
    Monitor& monitor_;
    DualPoint<Real> point_;
    JointStep<Real> joint_step_;
    double least_norm_;
    double norm_ = 0.0;
    double gap_ = 0.0;
    double highest_ = 0.0;
    Index n_kernel_values_ = 0;
};

struct Search {
    Index n_joined = 0;
    double loss = 0.0;  // of those looked at that stay outside
};

// Looks at the first `n` samples outside; the violators among them come into play.
template <class Real>
Search admit_violators(const Problem& problem, const MinimalNormSettings& settings, double tol,
                       Index n, Parts& parts, KernelColumns<Real>& columns, Walk<Real>& walk) {
    const auto looked_at =
        std::span<const Index>(parts.outside).first(std::min(n, ssize(parts.outside)));
    const auto values = walk.values_at(looked_at);
    std::vector<Index> joiners;
    std::vector<double> gradients;
    std::vector<Index> rest;
    Search search;
    for (Index k = 0; k < ssize(looked_at); ++k) {
        const Index i = looked_at[k];
        const double gradient = problem.targets[i] * values[k];
        if (gradient < walk.threshold(tol)) {
            joiners.push_back(i);
            gradients.push_back(gradient);
        } else {
            rest.push_back(i);
            search.loss += squared_hinge(settings.C * problem.weights[i], gradient / walk.norm());
        }
    }
    rest.insert(rest.end(), parts.outside.begin() + looked_at.size(), parts.outside.end());
    parts.outside = std::move(rest);
    search.n_joined = ssize(joiners);
    if (joiners.empty()) return search;
    parts.in_play.insert(parts.in_play.end(), joiners.begin(), joiners.end());
    columns.append(rows_of(problem, joiners));
    walk.enter(joiners, gradients);
    return search;
}

}  // namespace

template <class Real>
Solution solve_minimal_norm(const Rows<Real>& rows, const KernelSpec& kernel,
                            const Problem& problem, const MinimalNormSettings& settings,
                            Index cache_bytes, ThreadPool& pool, Monitor& monitor) {
    const Index n = ssize(problem.samples);
    const Index max_iter = update_limit(settings.max_iter, n);
    Sampler random(static_cast<std::uint64_t>(settings.seed));
    Parts parts = first_parts(problem, settings.draw, random);
    KernelColumns<Real> columns(rows, rows_of(problem, parts.in_play), kernel, cache_bytes, pool,
                                problem.samples.size());
    Walk<Real> walk(problem, settings, columns, monitor);
    walk.enter(parts.in_play, std::vector<double>(parts.in_play.size(), 0.0));

    Solution solution;
    if (!walk.begin()) {
        solution.status = Status::indefinite;
        return solution;
    }
    Search last;
    double tol = parts.outside.empty() ? settings.tol : std::max(settings.tol, first_tol);
    while (true) {
        walk.run(tol, max_iter, solution);
        if (solution.status != Status::converged) break;
        const auto admit = [&](Index count) {
            return admit_violators(problem, settings, tol, count, parts, columns, walk);
        };
        shuffle_front(parts.outside, settings.draw, random);
        const Index joined = admit(settings.draw).n_joined;
        if (joined > settings.draw / few) continue;
        // The draw has hardly any: look at all.
        last = admit(n);
        if (monitor.stopped()) {
            solution.status = monitor.reason();
            break;
        }
        if (tol == settings.tol && joined + last.n_joined == 0) break;
        tol = std::max(settings.tol, tol / tightening);
    }
    report_l2(problem, parts.in_play, walk.point(), 1.0 / walk.norm(), 0.0, last.loss, solution);
    // A run cut short has not looked at every sample outside, so it does not say.
    if (solution.status != Status::converged && !parts.outside.empty()) {
        solution.dual_gap = std::numeric_limits<double>::quiet_NaN();
    }
    solution.violation = std::max(0.0, walk.gap() / walk.norm());
    solution.counters.n_updates = solution.n_iter;
    columns.add_to(solution.counters);
    solution.counters.n_kernel_values += walk.n_kernel_values();
    return solution;
}

template Solution solve_minimal_norm(const Rows<float>&, const KernelSpec&, const Problem&,
                                     const MinimalNormSettings&, Index, ThreadPool&, Monitor&);
template Solution solve_minimal_norm(const Rows<double>&, const KernelSpec&, const Problem&,
                                     const MinimalNormSettings&, Index, ThreadPool&, Monitor&);

}  // namespace svmosaic
