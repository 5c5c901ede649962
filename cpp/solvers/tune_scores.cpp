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
    for (std::size_t m = 0; m < decisions.size(); ++m) {
        const auto i = static_cast<std::size_t>(fold.machines[m].positive);
        const auto j = static_cast<std::size_t>(fold.machines[m].negative);
        sums[i] += decisions[m];
        sums[j] -= decisions[m];
        votes[decisions[m] > 0.0 ? i : j] += 1.0;
    }
    for (std::size_t c = 0; c < votes.size(); ++c) {
        votes[c] += sums[c] / (3.0 * (std::abs(sums[c]) + 1.0));
    }
}

std::size_t first_largest(std::span<const double> values) {
    return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) -
                                    values.begin());
}

}  // namespace

void count_predictions(const TunePlan& plan, const TuneFold& fold,
                       std::span<const MachineOutcome> outcomes, std::size_t s, bool one_vs_rest,
                       std::span<double> confusion) {
    const std::size_t n_test = fold.test.size();
    const std::size_t n_classes = fold.classes.size();
    std::vector<double> decisions(outcomes.size());
    std::vector<double> votes(n_classes);
    std::vector<double> sums(n_classes);
    for (std::size_t v = 0; v < n_test; ++v) {
        for (std::size_t m = 0; m < outcomes.size(); ++m) {
            decisions[m] = outcomes[m].decisions[s * n_test + v];
        }
        std::size_t predicted = 0;
        if (n_classes == 2) {
            predicted = decisions[0] > 0.0 ? 1 : 0;
        } else if (one_vs_rest) {
            predicted = first_largest(decisions);
        } else {
            vote(fold, decisions, votes, sums);
            predicted = first_largest(votes);
        }
        const auto sample = static_cast<std::size_t>(fold.test[v]);
        const Index cell = plan.labels[sample] * plan.n_classes + fold.classes[predicted];
        confusion[static_cast<std::size_t>(cell)] += plan.weights[sample];
    }
}

Index count_support(std::span<const MachineOutcome> outcomes, std::size_t s,
                    std::size_t n_samples) {
    const std::size_t words = MachineOutcome::words_of(n_samples);
    Index count = 0;
    for (std::size_t w = 0; w < words; ++w) {
        std::uint64_t bits = 0;
        for (const auto& outcome : outcomes) bits |= outcome.support[s * words + w];
        count += std::popcount(bits);
    }
    return count;
}

}  // namespace svmosaic
