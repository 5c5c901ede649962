// The loop of OLLAWV, whoever keeps the scores.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "solvers/ollawv.hpp"

namespace svmosaic {

// Scores closer than this, relative to the largest k(x, x), differ by rounding only.
inline constexpr double score_rounding = 1e-12;

// One step: the sample taken, what it added to its coefficient and to the intercept, and the worst
// y f(x) of the pool afterwards, infinite when the pool is empty.
struct OllawvStep {
    Index sample;
    double lambda;
    double bias;
    double worst;
};

inline double learning_rate(LearningRate rate, Index t) {
    const auto step = static_cast<double>(t);
    switch (rate) {
        case LearningRate::two_over_sqrt:
            return 2.0 / std::sqrt(step);
        case LearningRate::one_over_sqrt:
            return 1.0 / std::sqrt(step);
        case LearningRate::one_over:
            break;
    }
    return 1.0 / step;
}

inline Index step_limit(const OllawvOptions& settings, double total_weight) {
    if (settings.max_iter > 0) return settings.max_iter;
    // Kept below what an Index holds.
    const double steps = std::min(settings.max_iter_share * total_weight, 1e15);
    return std::max<Index>(1, static_cast<Index>(steps));
}

// Algorithm 5.1 as ollawv.hpp describes it. The scores y f(x) of the pool, the samples that may
// still be taken, are kept by `scores`:
//   remove(i)                 takes sample i out of the pool
//   update(i, lambda, bias)   lines 10 and 15: f += lambda k(x_i, .) + bias; returns the lowest
//                             score of the pool, infinite when it is empty
//   find_worst()              the first sample with that score, up to rounding
// `ends(step)` is called after every step and may give the reason to stop there, a std::optional
// Status. The monitor is asked every `ask_every` steps. `settings.margin` is not used here.
template <class Scores, class Ends>
Status run_ollawv(std::span<const double> targets, std::span<const double> weights, Index start,
                  const OllawvOptions& settings, Index ask_every, Monitor& monitor, Scores& scores,
                  const Ends& ends) {
    // A remaining weight below this is a rounding error, not a fraction of a sample.
    constexpr double least_weight = 1e-12;
    const double n = std::accumulate(weights.begin(), weights.end(), 0.0);
    const Index max_iter = step_limit(settings, n);
    std::vector<double> remaining(weights.begin(), weights.end());
    Index n_support = 0;
    Index sample = start;
    for (Index t = 1;; ++t) {
        const bool is_new = remaining[sample] == weights[sample];
        if (is_new && settings.max_support > 0 && n_support == settings.max_support) {
            return Status::max_support;
        }
        n_support += is_new ? 1 : 0;
        const double share = std::min(1.0, remaining[sample]);
        const double lambda = learning_rate(settings.learning_rate, t) * targets[sample] * share;
        const double bias = settings.fit_intercept ? lambda / n : 0.0;

        remaining[sample] -= share;
        if (remaining[sample] < least_weight) scores.remove(sample);
        const double worst = scores.update(sample, lambda, bias);

        if (const std::optional<Status> status = ends(OllawvStep{sample, lambda, bias, worst})) {
            return *status;
        }
        if (worst == std::numeric_limits<double>::infinity()) return Status::exhausted;
        if (t >= max_iter) return Status::max_iter;
        if (t % ask_every == 0 && monitor.should_stop(ask_every)) return monitor.reason();
        sample = scores.find_worst();
    }
}

}  // namespace svmosaic
