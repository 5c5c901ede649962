#include "solvers/online_svm.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/aligned.hpp"

namespace svmosaic {

namespace {

// X_model and its coefficients; rows interleaved as the loops want them.
template <class Real>
class Kept {
  public:
    Kept(Index n_features, double gamma) : d_(n_features), gamma_(gamma) {}

    Index size() const { return rows_.size(); }
    const std::vector<Index>& rows() const { return rows_; }
    std::vector<double>& coef() { return coef_; }

    void add(Index row, std::span<const Real> x, double coef) {
        const Index lane = size() % lanes;
        if (lane == 0) {
            blocks_.resize(blocks_.size() + (lanes * d_), Real{0});
        }
        Real* block = blocks_.data() + size() / lanes * lanes * d_ + lane;
        for (Index f = 0; f < d_; ++f) block[f * lanes] = x[f];
        rows_.push_back(row);
        coef_.push_back(coef);
    }

    // Kernel values of x with the kept samples; `known` tells whether x is one of them.
    void values(std::span<const Real> x, AlignedVector<Real>& out, bool& known) const {
        const Index padded = simd::round_up(size(), lanes);
        out.resize(padded);
        const auto& loops = simd::loops<Real>();
        loops.squared_distances(blocks_.data(), padded / lanes, d_, x.data(), out.data());
        const auto end = out.begin() + size();
        known = std::find(out.begin(), end, Real{0}) != end;
        loops.scaled_exp(out.data(), padded, -gamma_);
    }

    double output(const AlignedVector<Real>& k) const {
        double sum = 0.0;
        for (Index j = 0; j < size(); ++j) sum += coef_[j] * static_cast<double>(k[j]);
        return sum;
    }

    void add_multiple(const AlignedVector<Real>& k, double factor) {
        for (Index j = 0; j < size(); ++j) coef_[j] += factor * static_cast<double>(k[j]);
    }

  private:
    static constexpr Index lanes = simd::lanes<Real>;

    Index d_;
    double gamma_;
    std::vector<Index> rows_;
    std::vector<double> coef_;
    AlignedVector<Real> blocks_;
};

// Which sample comes next, and how much it counts.
class Draws {
  public:
    Draws(const Problem& problem, const OnlineSvmSettings& settings) : settings_(settings) {
        if (settings.order == VisitOrder::given) {
            pass_ = std::make_unique<Visits>(problem, VisitOrder::given, 1, settings.seed);
            return;
        }
        double sum = 0.0;
        for (const double weight : problem.weights) sums_.push_back(sum += weight);
    }

    // False when all visits are done. `sampler` belongs to the step.
    bool next(Sampler& sampler, Visit& visit) {
        const double drawn = sampler.unit();
        if (pass_) return pass_->next(visit);
        if (done_++ >= settings_.max_iter) return false;
        const auto found = std::upper_bound(sums_.begin(), sums_.end() - 1, drawn * sums_.back());
        visit.sample = found - sums_.begin();
        visit.share = 1.0;
        return true;
    }

  private:
    const OnlineSvmSettings& settings_;
    std::unique_ptr<Visits> pass_;  // in the given order
    std::vector<double> sums_;
    Index done_ = 0;
};

template <class Real>
double squared_norm(const AlignedVector<Real>& k, Index n) {
    double sum = 0.0;
    for (Index j = 0; j < n; ++j) sum += static_cast<double>(k[j]) * static_cast<double>(k[j]);
    return sum;
}

template <class Real>
OnlineSvmSolution solve_one(const DenseRows<Real>& rows, const DenseRows<Real>& boundary,
                            double gamma, const OnlineSvmTask& given,
                            const OnlineSvmSettings& settings, Monitor& monitor) {
    const auto began = Monitor::Clock::now();
    const auto& problem = given.task.problem;
    Kept<Real> kept(rows.n_columns, gamma);
    for (Index j = 0; j < ssize(given.task.support); ++j) {
        kept.add(given.task.support[j], rows.row(given.task.support[j]), given.task.coef[j]);
    }
    auto& a = kept.coef();
    double t = given.task.t;
    Draws draws(problem, settings);
    AlignedVector<Real> k_x;
    AlignedVector<Real> k_z;
    // A tie of the mathematics is not decided by rounding.
    const double edge = 1.0 - tie_width(1.0);

    OnlineSvmSolution solution;
    bool stopped = false;
    bool known = false;
    Index z = -1;
    while (!stopped) {
        auto sampler = sampler_of_step(static_cast<std::uint64_t>(settings.seed),
                                       static_cast<std::uint64_t>(t));
        Visit visit;
        if (!draws.next(sampler, visit)) break;
        if (!given.boundary.empty()) {
            const auto drawn = sampler.below(ssize(given.boundary));
            z = given.boundary[drawn];
        }
        const Index i = visit.sample;
        const Index row = problem.samples[i];
        const double y = problem.targets[i];
        const double share = visit.share;
        t += share;
        if (kept.size() == 0) {
            kept.add(row, rows.row(row), y);
            ++solution.counters.n_updates;
        } else {
            kept.values(rows.row(row), k_x, known);
            if (y * kept.output(k_x) < edge) {
                double factor = 1.0 - share / t;
                if (z >= 0) {
                    bool unused = false;
                    kept.values(boundary.row(z), k_z, unused);
                    const double pull = squared_norm(k_z, kept.size());
                    if (settings.update == Shrinking::gradient) {
                        factor = 1.0;
                        // A longer step would turn the sign of the output at z.
                        const double part = pull > 0.0 ? std::min(share / t, 1.0 / pull) : 0.0;
                        kept.add_multiple(k_z, -part * kept.output(k_z));
                    } else {
                        factor = 1.0 - share * pull / t;
                        if (settings.update == Shrinking::clipped) {
                            factor = std::clamp(factor, 0.0, 1.0);
                        }
                    }
                }
                const double step = share * y / (settings.lam * t);
                for (Index j = 0; j < ssize(a); ++j) {
                    a[j] = factor * a[j] + step * static_cast<double>(k_x[j]);
                }
                if (!known) kept.add(row, rows.row(row), step);
                ++solution.counters.n_updates;
            } else {
                for (double& value : a) value *= 1.0 - share / t;
            }
        }
        ++solution.n_iter;
        stopped = monitor.should_stop();
    }
    if (z >= 0) {
        kept.values(boundary.row(z), k_z, known);
        solution.norm = std::abs(kept.output(k_z));
    }
    solution.support = kept.rows();
    solution.coef = solution.state = a;
    solution.t = t;
    close(monitor, stopped, began, solution);
    return solution;
}

}  // namespace

template <class Real>
std::vector<OnlineSvmSolution> solve_online_svm(const DenseRows<Real>& rows,
                                                const DenseRows<Real>& boundary, double gamma,
                                                std::span<const OnlineSvmTask> tasks,
                                                const OnlineSvmSettings& settings, Index n_threads,
                                                Monitor& monitor) {
    // A visit is too little work to share, so problems run side by side.
    const std::vector<Index> sizes(tasks.size(), 1);
    std::vector<OnlineSvmSolution> solutions(tasks.size());
    run_all(sizes, 0, n_threads, monitor, [&](Index p, Index, ThreadPool&) {
        solutions[p] = solve_one(rows, boundary, gamma, tasks[p], settings, monitor);
        return Solution{};
    });
    return solutions;
}

template std::vector<OnlineSvmSolution> solve_online_svm(const DenseRows<float>&,
                                                         const DenseRows<float>&, double,
                                                         std::span<const OnlineSvmTask>,
                                                         const OnlineSvmSettings&, Index, Monitor&);
template std::vector<OnlineSvmSolution> solve_online_svm(const DenseRows<double>&,
                                                         const DenseRows<double>&, double,
                                                         std::span<const OnlineSvmTask>,
                                                         const OnlineSvmSettings&, Index, Monitor&);

}  // namespace svmosaic
