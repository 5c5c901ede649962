#include "solvers/tune_scores.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace svmosaic {

namespace {

// A value for each class, or binary classifier, and test sample.
struct TestValues {
    std::vector<double> values;
    Index n_test;

    TestValues(Index n_rows, Index n) : values(n_rows * n, 0.0), n_test(n) {}
    double* of(Index c) { return values.data() + c * n_test; }
};

// One-vs-one: votes, ties by signed sums of decisions. The sum is squeezed into (-1/3, 1/3), so it
// orders equal votes and never outweighs one.
TestValues votes_of(const TuneFold& fold, std::span<const ProblemOutcome> outcomes, Index s) {
    const Index n = fold.test.size();
    const Index n_classes = fold.classes.size();
    TestValues votes(n_classes, n);
    TestValues sums(n_classes, n);
    for (Index m = 0; m < ssize(outcomes); ++m) {
        const Index i = fold.problems[m].positive;
        const Index j = fold.problems[m].negative;
        const double* decisions = outcomes[m].decisions.data() + s * n;
        for (Index v = 0; v < n; ++v) {
            const double vote = decisions[v] > 0.0 ? 1.0 : 0.0;
            sums.of(i)[v] += decisions[v];
            sums.of(j)[v] -= decisions[v];
            votes.of(i)[v] += vote;
            votes.of(j)[v] += 1.0 - vote;
        }
    }
    for (Index k = 0; k < ssize(votes.values); ++k) {
        votes.values[k] += sums.values[k] / (3.0 * (std::abs(sums.values[k]) + 1.0));
    }
    return votes;
}

TestValues decisions_of(const TuneFold& fold, std::span<const ProblemOutcome> outcomes, Index s) {
    TestValues decisions(ssize(outcomes), ssize(fold.test));
    for (Index m = 0; m < ssize(outcomes); ++m) {
        std::copy_n(outcomes[m].decisions.data() + s * decisions.n_test, decisions.n_test,
                    decisions.of(m));
    }
    return decisions;
}

}  // namespace

void count_predictions(const TunePlan& plan, const TuneFold& fold,
                       std::span<const ProblemOutcome> outcomes, Index s, bool one_vs_rest,
                       std::span<double> confusion) {
    const Index n_test = fold.test.size();
    const Index n_classes = fold.classes.size();
    TestValues scores = n_classes == 2 || one_vs_rest ? decisions_of(fold, outcomes, s)
                                                      : votes_of(fold, outcomes, s);
    for (Index v = 0; v < n_test; ++v) {
        Index predicted = 0;
        if (n_classes == 2) {
            predicted = scores.of(0)[v] > 0.0 ? 1 : 0;
        } else {
            for (Index c = 1; c < n_classes; ++c) {
                if (scores.of(c)[v] > scores.of(predicted)[v]) predicted = c;
            }
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
