#include "solvers/primal_newton.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "core/aligned.hpp"
#include "simd/loops.hpp"
#include "solvers/newton_system.hpp"
#include "solvers/square_sums.hpp"

namespace svmosaic {

namespace {

constexpr double intercept_penalty = 1e-6;
// A whole step has to gain this share of what it promises; else its best length is looked for.
constexpr double least_kept = 0.2;
constexpr int most_lengths = 50;
// Without a start, a share of the samples is learned from first: far from the end, the others would
// only say the same.
constexpr Index share = 4;

// The numbers below n that are chosen. Without branches: nobody could predict them.
template <class Choice>
void choose(Index n, const Choice& is_chosen, std::vector<Index>& chosen) {
    chosen.resize(n);
    Index count = 0;
    for (Index m = 0; m < n; ++m) {
        chosen[count] = m;
        count += is_chosen(m);
    }
    chosen.resize(count);
}

// The samples that take part. Those of few features are copied side by side: a block of `lanes`
// samples, feature by feature, as the loops of kernels have them.
template <class Real>
class PrimalSamples {
  public:
    // One of `step` of them.
    PrimalSamples(const PrimalProblem<Real>& problem, Index step) : rows_(problem.rows) {
        choose(ssize(problem.targets), [&](Index i) { return problem.targets[i] != 0.0; }, places_);
        if (step > 1) {
            const Index n = (n_samples() + step - 1) / step;
            for (Index m = 0; m < n; ++m) places_[m] = places_[m * step];
            places_.resize(n);
        }
        const Index n = n_samples();
        targets_.resize(n);
        for (Index m = 0; m < n; ++m) targets_[m] = problem.targets[places_[m]];
        if (n_columns() > most_copied) return;
        copies_.resize(simd::round_up(n, lanes) * n_columns());
        for (Index first = 0; first < n; first += lanes) {
            double* block = copies_.data() + first * n_columns();
            if (first + lanes > n) std::fill_n(block, lanes * n_columns(), 0.0);
            for (Index m = first; m < std::min(first + lanes, n); ++m) {
                const Real* row = rows_.row(places_[m]).data();
                for (Index j = 0; j < n_columns(); ++j) {
                    block[j * lanes + m - first] = static_cast<double>(row[j]);
                }
            }
        }
    }

    Index n_samples() const { return ssize(places_); }
    Index n_columns() const { return rows_.n_columns; }
    Index place(Index m) const { return places_[m]; }
    double target(Index m) const { return targets_[m]; }

    // For the sums, a sample is z = (x, 1, y).
    Index size() const { return n_columns() + 2; }
    Index stride() const { return simd::round_up(size(), lanes); }
    void write(Index m, double* z) const {
        const Index d = n_columns();
        if (copies_.empty()) {
            const Real* row = rows_.row(places_[m]).data();
            for (Index j = 0; j < d; ++j) z[j] = static_cast<double>(row[j]);
        } else {
            const double* x = copies_.data() + m / lanes * lanes * d + m % lanes;
            for (Index j = 0; j < d; ++j) z[j] = x[j * lanes];
        }
        z[d] = 1.0;
        z[d + 1] = targets_[m];
    }

    // The products of weights with the samples begin .. end, at most `samples_of_task` from a
    // multiple of it on.
    void multiply(Index begin, Index end, const double* weights, double* products) const {
        if (!copies_.empty()) {
            const Index n_blocks = (end - begin + lanes - 1) / lanes;
            simd::loops<double>().dot_products(copies_.data() + begin * n_columns(), n_blocks,
                                               n_columns(), weights, products);
            return;
        }
        const auto dot = simd::loops<Real>().dot;
        for (Index m = begin; m < end; ++m) {
            products[m - begin] = dot(rows_.row(places_[m]).data(), weights, n_columns());
        }
    }

  private:
    static constexpr Index lanes = simd::lanes<double>;
    static constexpr Index most_copied = 64;

    DenseRows<Real> rows_;
    std::vector<Index> places_;
    UnsetVector<double> targets_;
    UnsetVector<double> copies_;
};

template <class Real>
class PrimalNewton {
  public:
    // Learns from one of `step` samples.
    PrimalNewton(const PrimalProblem<Real>& problem, Index step, ThreadPool& pool, Monitor& monitor)
        : norm_(problem.norm),
          C_(problem.C * static_cast<double>(step)),
          pool_(pool),
          monitor_(monitor),
          samples_(problem, step),
          sums_(samples_, pool, monitor),
          inside_(samples_.n_samples(), 1),
          summed_(samples_.n_samples(), 0),
          losses_((samples_.n_samples() + samples_of_task - 1) / samples_of_task) {}

    // The samples inside the margin of a model, with which the first step begins.
    void begin_inside(const PrimalStart& start) {
        if (!start.weights.empty()) find_inside(start.weights, inside_);
        if (start.decisions.empty()) return;
        for (Index m = 0; m < samples_.n_samples(); ++m) {
            inside_[m] = samples_.target(m) * start.decisions[samples_.place(m)] < 1.0;
        }
    }

    std::vector<double> run(const PrimalStopping& stopping) {
        std::vector<double> weights(samples_.n_columns() + 1, 0.0);
        minimum(inside_, weights);
        double objective = evaluate(weights, inside_);
        std::vector<double> aim = weights;
        std::vector<double> tried = weights;
        std::vector<std::uint8_t> tried_inside(inside_.size());
        for (Index step = 0; step < stopping.max_steps && !monitor_.stopped(); ++step) {
            const double promised = objective - minimum(inside_, aim);
            tried = aim;
            double found = evaluate(tried, tried_inside);
            const bool is_whole = objective - found >= least_kept * promised;
            if (!is_whole) {
                const double length = best_length(weights, aim);
                for (Index j = 0; j < ssize(weights); ++j) {
                    tried[j] = weights[j] + length * (aim[j] - weights[j]);
                }
                found = evaluate(tried, tried_inside);
            }
            const double gain = objective - found;
            if (!(gain >= 0.0)) break;
            weights.swap(tried);
            inside_.swap(tried_inside);
            objective = found;
            // A short step gains little wherever it begins.
            if (gain <= (is_whole ? stopping.gain : 0.0) * objective) break;
        }
        return weights;
    }

  private:
    using Flags = std::vector<std::uint8_t>;

    // Finds the minimum while these samples, and no others, are inside the margin, and returns the
    // objective there. `weights` stay as they are where the equations have no solution.
    double minimum(const Flags& inside, std::vector<double>& weights) {
        sum_inside(inside);
        const Index n = ssize(weights);
        const auto write = [&](Index a) { write_equation(a, n); };
        if (system_.factorise(n, write, monitor_)) {
            system_.solve_factored();
            std::ranges::copy(system_.solution(), weights.begin());
        }
        auto value = static_cast<double>(std::reduce(inside.begin(), inside.end(), Index{0}));
        for (Index a = 0; a < n; ++a) value -= sums_.row(a)[n] * weights[a];
        return 0.5 * C_ * value;
    }

    // (C sum of x x' + P) w = C sum of y x, with x that end with a one.
    void write_equation(Index a, Index n) {
        const double* sums = sums_.row(a);
        double* row = system_.row(a);
        for (Index c = NewtonSystem::first_column(a); c < n; ++c) row[c] = C_ * sums[c];
        if (a == n - 1) {
            row[a] += intercept_penalty;
        } else if (norm_.empty()) {
            row[a] += 1.0;
        } else {
            const double* P = norm_.data() + a * (n - 1);
            for (Index c = NewtonSystem::first_column(a); c < n - 1; ++c) row[c] += P[c];
        }
        system_.b(a) = C_ * sums[n];
    }

    // Few samples enter or leave with a step, so that the sums change by little.
    void sum_inside(const Flags& inside) {
        const Index n = samples_.n_samples();
        choose(n, [&](Index m) { return inside[m] > summed_[m]; }, entered_);
        choose(n, [&](Index m) { return inside[m] < summed_[m]; }, left_);
        const auto n_inside = std::reduce(inside.begin(), inside.end(), Index{0});
        if (ssize(entered_) + ssize(left_) >= n_inside) {
            sums_.clear();
            choose(n, [&](Index m) { return inside[m] != 0; }, entered_);
            left_.clear();
        }
        sums_.add(entered_);
        sums_.subtract(left_);
        summed_ = inside;
    }

    double evaluate(std::span<const double> weights, Flags& inside) {
        return 0.5 * penalty(weights, weights) + 0.5 * C_ * find_inside(weights, inside);
    }

    // v'Pw, with the intercepts.
    double penalty(std::span<const double> v, std::span<const double> w) const {
        const Index n_columns = samples_.n_columns();
        double sum = intercept_penalty * v[n_columns] * w[n_columns];
        for (Index a = 0; a < n_columns; ++a) {
            const double* P = norm_.empty() ? nullptr : norm_.data() + a * n_columns;
            sum += v[a] * (P ? simd::loops<double>().dot(P, w.data(), n_columns) : w[a]);
        }
        return sum;
    }

    // Where the objective is least on the line from weights (0) through an aim (1). It is convex
    // there and made of parabolas, so that Newton's method finds its one as soon as it is near.
    double best_length(std::span<const double> weights, std::span<const double> aim) const {
        std::vector<double> direction(aim.begin(), aim.end());
        for (Index j = 0; j < ssize(weights); ++j) direction[j] -= weights[j];
        const double slope_of_norm = penalty(weights, direction);
        const double curvature_of_norm = penalty(direction, direction);
        // A slack is s - t r at length t.
        const auto s = slacks(weights, 1.0);
        const auto r = slacks(direction, 0.0);
        double low = 0.0;
        double high = std::numeric_limits<double>::infinity();
        double t = 1.0;
        for (int k = 0; k < most_lengths; ++k) {
            double slope = 0.0;
            double curvature = 0.0;
            for (Index m = 0; m < ssize(s); ++m) {
                const double slack = s[m] - t * r[m];
                const double active = slack > 0.0 ? r[m] : 0.0;
                slope -= active * slack;
                curvature += active * r[m];
            }
            slope = slope_of_norm + t * curvature_of_norm + C_ * slope;
            curvature = curvature_of_norm + C_ * curvature;
            (slope < 0.0 ? low : high) = t;
            const double next = t - slope / curvature;
            if (!std::isfinite(next) || std::abs(next - t) <= 1e-12 * t) break;
            t = low < next && next < high ? next
                : std::isfinite(high)     ? 0.5 * (low + high)
                                          : 2.0 * t;
        }
        return t;
    }

    // One, or another number, minus what weights say of each sample, signed as its target.
    UnsetVector<double> slacks(std::span<const double> weights, double number) const {
        const Index n = samples_.n_samples();
        UnsetVector<double> found(simd::round_up(n, simd::lanes<double>));
        for (Index begin = 0; begin < n; begin += samples_of_task) {
            const Index end = std::min(begin + samples_of_task, n);
            samples_.multiply(begin, end, weights.data(), found.data() + begin);
        }
        found.resize(n);
        for (Index m = 0; m < n; ++m) {
            found[m] = number - samples_.target(m) * (found[m] + weights.back());
        }
        return found;
    }

    // Finds the samples inside the margin and returns the sum of their squared slacks.
    double find_inside(std::span<const double> weights, Flags& inside) {
        const Index n = samples_.n_samples();
        const double intercept = weights.back();
        // Samples that do not fit into the cache are read for few multiplications.
        run_over_samples(pool_, ssize(losses_), n, 10 * samples_.n_columns(), [&](Index part) {
            const Index begin = part * samples_of_task;
            const Index end = std::min(begin + samples_of_task, n);
            alignas(cache_line) std::array<double, samples_of_task> products;
            samples_.multiply(begin, end, weights.data(), products.data());
            double loss = 0.0;
            for (Index m = begin; m < end; ++m) {
                const double slack = 1.0 - samples_.target(m) * (products[m - begin] + intercept);
                // The larger one of it and 0, without a branch.
                const double violation = 0.5 * (slack + std::abs(slack));
                inside[m] = slack > 0.0;
                loss += violation * violation;
            }
            losses_[part] = loss;
        });
        double total = 0.0;
        for (const double loss : losses_) total += loss;
        return total;
    }

    std::span<const double> norm_;
    double C_;
    ThreadPool& pool_;
    Monitor& monitor_;
    PrimalSamples<Real> samples_;
    SquareSums<PrimalSamples<Real>> sums_;
    NewtonSystem system_;
    Flags inside_, summed_;
    std::vector<double> losses_;
    std::vector<Index> entered_, left_;
};

}  // namespace

template <class Real>
std::vector<double> solve_primal(const PrimalProblem<Real>& problem, const PrimalStart& start,
                                 const PrimalStopping& stopping, ThreadPool& pool,
                                 Monitor& monitor) {
    PrimalNewton<Real> solver(problem, 1, pool, monitor);
    if (!start.weights.empty() || !start.decisions.empty()) {
        solver.begin_inside(start);
    } else if (std::ranges::count_if(problem.targets, [](double y) { return y != 0.0; }) >=
               share * (problem.rows.n_columns + 1)) {
        PrimalNewton<Real> of_a_share(problem, share, pool, monitor);
        solver.begin_inside({of_a_share.run(stopping), {}});
    }
    return solver.run(stopping);
}

template std::vector<double> solve_primal(const PrimalProblem<float>&, const PrimalStart&,
                                          const PrimalStopping&, ThreadPool&, Monitor&);
template std::vector<double> solve_primal(const PrimalProblem<double>&, const PrimalStart&,
                                          const PrimalStopping&, ThreadPool&, Monitor&);

}  // namespace svmosaic
