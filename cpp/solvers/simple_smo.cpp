#include "solvers/simple_smo.hpp"

#include <algorithm>
#include <cmath>

#include "core/aligned.hpp"
#include "core/sampling.hpp"
#include "simd/loops.hpp"

namespace svmosaic {

namespace {

struct Pair {
    double a_i, a_j;
    double upper_i, upper_j;
    bool same_class;
};

struct Interval {
    double low, high;  // of a_j
};

// Where a_j may go when a_i follows. `sum` is that of all multipliers.
Interval interval_of(const Pair& pair, Bounds bounds, double C, double sum) {
    const auto [a_i, a_j, upper_i, upper_j, same_class] = pair;
    if (bounds == Bounds::per_sample) {
        if (same_class) return {std::max(0.0, a_i + a_j - upper_i), std::min(upper_j, a_i + a_j)};
        return {std::max(0.0, a_j - a_i), std::min(upper_j, upper_i + a_j - a_i)};
    }
    if (bounds == Bounds::uniform_feasible) {
        const double rest = C - (sum - a_i - a_j);
        if (same_class) return {0.0, a_i + a_j};
        return {std::max(0.0, a_j - a_i), 0.5 * (rest - (a_i - a_j))};
    }
    const double rest = C - (a_i + a_j);
    if (same_class) return {std::max(0.0, a_i + a_j - rest), std::min(rest, a_i + a_j)};
    return {std::max(0.0, a_j - a_i), std::min(rest, 0.5 * (rest - a_j + a_i))};
}

// A multiplier below this share of C is a rounding error.
constexpr double share_of_C = 1e-12;

}  // namespace

template <class Real>
Solution solve_simple_smo(const Problem& problem, const SimpleSmoSettings& settings,
                          KernelColumns<Real>& columns, Monitor& monitor) {
    const Index n = columns.size();
    const auto& loops = simd::loops<Real>();
    const auto& y = problem.targets;
    Sampler random(static_cast<std::uint64_t>(settings.seed));
    std::vector<double> alpha(n, 0.0);
    AlignedVector<double> sums(columns.padded_size(), 0.0);  // f - b
    double total = 0.0;
    const auto tidy = [&](double a) { return a < share_of_C * settings.C ? 0.0 : a; };

    Solution solution;
    bool going_on = true;
    while (going_on) {
        const std::vector<double> before = alpha;
        ++solution.n_iter;
        for (Index j = 0; j < n; ++j) {
            if (monitor.should_stop()) {
                solution.status = monitor.reason();
                going_on = false;
                break;
            }
            // A number from the n - 1 others.
            Index i = random.below(n - 1);
            if (i >= j) ++i;
            const double k_ij = static_cast<double>(columns.column(i)[j]);
            const double curvature = columns.diagonal()[i] + columns.diagonal()[j] - 2.0 * k_ij;
            if (curvature <= 0.0) continue;
            // E_i - E_j: the intercept cancels.
            const double error = (sums[i] - y[i]) - (sums[j] - y[j]);
            const Pair pair{alpha[i], alpha[j], settings.C * problem.weights[i],
                            settings.C * problem.weights[j], y[i] == y[j]};
            const auto interval = interval_of(pair, settings.bounds, settings.C, total);
            // The printed bounds can cross; taken all the same, they drive the sum to infinity.
            if (interval.low > interval.high) continue;
            const double best = alpha[j] + y[j] * error / curvature;
            const double a_j = tidy(std::clamp(best, interval.low, interval.high));
            const double a_i = tidy(alpha[i] + y[i] * y[j] * (alpha[j] - a_j));
            if (a_j == alpha[j]) continue;

            const auto padded = columns.padded_size();
            loops.add_scaled(columns.column(i), y[i] * (a_i - alpha[i]), sums.data(), padded);
            loops.add_scaled(columns.column(j), y[j] * (a_j - alpha[j]), sums.data(), padded);
            total += (a_i - alpha[i]) + (a_j - alpha[j]);
            alpha[i] = a_i;
            alpha[j] = a_j;
            ++solution.counters.n_updates;
        }
        double change = 0.0;
        for (Index k = 0; k < n; ++k) change += std::pow(alpha[k] - before[k], 2.0);
        solution.violation = std::sqrt(change);
        if (!going_on || solution.violation < settings.tol) break;
        if (solution.n_iter >= settings.max_iter) {
            solution.status = Status::max_iter;
            break;
        }
    }
    double weight = 0.0;
    double errors = 0.0;
    double objective = 0.0;
    for (Index k = 0; k < n; ++k) {
        weight += problem.weights[k];
        errors += problem.weights[k] * (y[k] - sums[k]);
        objective += alpha[k] * (1.0 - 0.5 * y[k] * sums[k]);
        if (alpha[k] == 0.0) continue;
        solution.support.push_back(problem.samples[k]);
        solution.coef.push_back(y[k] * alpha[k]);
    }
    solution.intercept = errors / weight;
    solution.objective = objective;
    columns.add_to(solution.counters);
    return solution;
}

template Solution solve_simple_smo(const Problem&, const SimpleSmoSettings&, KernelColumns<float>&,
                                   Monitor&);
template Solution solve_simple_smo(const Problem&, const SimpleSmoSettings&, KernelColumns<double>&,
                                   Monitor&);

}  // namespace svmosaic
