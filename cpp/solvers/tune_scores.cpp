#include "solvers/tune_scores.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace svmosaic {

namespace {

// One-vs-one: votes, ties by signed sums of decisions. The sum is squeezed into (-1/3, 1/3), so it
// orders equal votes and never outweighs one.
void vote(const TuneFold& fold, std::span<const double> decisions, std::span<double> votes,
          std::span<double> sums) {
    std::fill(votes.begin(), votes.end(), 0.0);
    std::fill(sums.begin(), sums.end(), 0.0);
    for (Index m = 0; m < ssize(decisions); ++m) {
        const Index i = fold.problems[m].positive;
        const Index j = fold.problems[m].negative;
        sums[i] += decisions[m];
        sums[j] -= decisions[m];
        votes[decisions[m] > 0.0 ? i : j] += 1.0;
    }
    for (Index c = 0; c < ssize(votes); ++c) {
        votes[c] += sums[c] / (3.0 * (std::abs(sums[c]) + 1.0));
    }
}

Index first_largest(std::span<const double> values) {
    return std::max_element(values.begin(), values.end()) - values.begin();
}

}  // namespace

void count_predictions(const TunePlan& plan, const TuneFold& fold,
                       std::span<const ProblemOutcome> outcomes, Index s, bool one_vs_rest,
                       std::span<double> confusion) {
    const Index n_test = fold.test.size();
    const Index n_classes = fold.classes.size();
    std::vector<double> decisions(outcomes.size());
    std::vector<double> votes(n_classes);
    std::vector<double> sums(n_classes);
    for (Index v = 0; v < n_test; ++v) {
        for (Index m = 0; m < ssize(outcomes); ++m) {
            decisions[m] = outcomes[m].decisions[s * n_test + v];
        }
        Index predicted = 0;
        if (n_classes == 2) {
            predicted = decisions[0] > 0.0 ? 1 : 0;
        } else if (one_vs_rest) {
            predicted = first_largest(decisions);
        } else {
            vote(fold, decisions, votes, sums);
            predicted = first_largest(votes);
        }
        const Index sample = fold.test[v];
        const Index cell = plan.labels[sample] * plan.n_classes + fold.classes[predicted];
        confusion[cell] += plan.weights[sample];
    }
}

Index count_support(std::span<const ProblemOutcome> outcomes, Index s, Index n_samples) {
    const Index words = ProblemOutcome::words_of(n_samples);
    Index count = 0;
    for (Index w = 0; w < words; ++w) {
        std::uint64_t bits = 0;
        for (const auto& outcome : outcomes) bits |= outcome.support[s * words + w];
        count += std::popcount(bits);
    }
    return count;
}

}  // namespace svmosaic
