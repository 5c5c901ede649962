// Kernels between bags, and the scores of bags that splits leave out, against plain loops.
#include <array>
#include <cmath>
#include <vector>

#include "expansion/bag_kernel.hpp"
#include "simd/loops.hpp"
#include "solvers/left_out_scores.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

template <class Real>
void kernels_are_sums_over_instances() {
    constexpr Index n = 70;
    constexpr Index n_features = 3;
    const std::vector<Index> offsets{0, 1, 1, 20, 37, n};
    const std::vector<double> gammas{0.5, 3.0, 2.0, 0.125};
    Random random(8);
    std::vector<Real> values(n * n_features);
    for (auto& value : values) value = static_cast<Real>(random.uniform(0.0, 1.0));
    std::vector<double> weights(2 * n);
    for (auto& weight : weights) weight = random.uniform(0.0, 1.0);
    const Rows<Real> rows = DenseRows<Real>{values.data(), n, n_features};
    const WeightedBags bags{offsets, weights};
    Monitor monitor;
    ThreadPool pool(2);
    const auto found = rbf_between_bags(rows, bags, std::span<const double>(gammas), pool, monitor);

    const Index n_bags = bags.n_bags();
    for (Index k = 0; k < ssize(found); ++k) {
        const double* own = weights.data() + k / (ssize(gammas) * n_bags * n_bags) * n;
        const double gamma = gammas[k / (n_bags * n_bags) % ssize(gammas)];
        const Index a = k / n_bags % n_bags;
        const Index b = k % n_bags;
        double expected = 0.0;
        for (Index i = offsets[a]; i < offsets[a + 1]; ++i) {
            for (Index j = offsets[b]; j < offsets[b + 1]; ++j) {
                double distance = 0.0;
                for (Index f = 0; f < n_features; ++f) {
                    const auto x = static_cast<double>(values[i * n_features + f]);
                    const auto z = static_cast<double>(values[j * n_features + f]);
                    distance += (x - z) * (x - z);
                }
                expected += own[i] * own[j] * std::exp(-gamma * distance);
            }
        }
        check_near(found[k], expected, sizeof(Real) == 4 ? 1e-4 : 1e-12, "a kernel of bags");
    }
}

// Values of one gamma are squares of those of another, but not squares of squares without end.
void a_long_list_of_gammas_is_as_exact_as_each_alone() {
    constexpr Index n = 40;
    const std::vector<Index> offsets{0, 7, 20, n};
    Random random(10);
    std::vector<double> values(n);
    for (auto& value : values) value = random.uniform(0.0, 0.3);
    const std::vector<double> weights(n, 1.0);
    std::vector<double> gammas;
    for (int power = -15; power <= 7; ++power) gammas.push_back(std::ldexp(1.0, power));
    const Rows<double> rows = DenseRows<double>{values.data(), n, 1};
    Monitor monitor;
    ThreadPool pool(1);
    const auto kernels = [&](std::span<const double> widths) {
        return rbf_between_bags(rows, {offsets, weights}, widths, pool, monitor);
    };
    const auto together = kernels(gammas);
    const Index size = ssize(together) / ssize(gammas);
    for (Index g = 0; g < ssize(gammas); ++g) {
        const auto alone = kernels(std::span<const double>(gammas).subspan(g, 1));
        for (Index i = 0; i < size; ++i) {
            check_near(together[g * size + i] / alone[i], 1.0, 2e-15, "a kernel of many gammas");
        }
    }
}

void left_out_scores_are_those_of_each_problem_alone() {
    constexpr Index n = 24;
    Random random(9);
    std::vector<double> x(n);
    std::vector<double> signs(n);
    for (Index i = 0; i < n; ++i) {
        signs[i] = i % 2 == 0 ? 1.0 : -1.0;
        x[i] = random.uniform(-1.0, 1.0) + 0.3 * signs[i];
    }
    std::vector<double> gram(n * n);
    for (Index i = 0; i < n * n; ++i) gram[i] = std::exp(-std::pow(x[i / n] - x[i % n], 2));
    const PairwiseRows<double> table{gram.data(), n, n};
    std::array<std::vector<Index>, 3> train, test;
    for (Index i = 0; i < n; ++i) {
        for (Index s = 0; s < 3; ++s) (i % 3 == s ? test[s] : train[s]).push_back(i);
    }
    std::vector<Split> splits;
    for (Index s = 0; s < 3; ++s) splits.push_back({train[s], test[s]});
    const std::vector<double> Cs{0.1, 10.0, 1000.0};
    SmoSettings settings;
    settings.smo.tol = 1e-9;
    Monitor monitor;
    const auto found = score_left_out(table, signs, splits, Cs, settings, monitor);

    Index k = 0;
    for (const double C : Cs) {
        settings.C = C;
        for (const auto& split : splits) {
            std::vector<double> own;
            for (const Index row : split.train) own.push_back(signs[row]);
            const std::vector<double> weights(own.size(), 1.0);
            ThreadPool alone(1);
            const Solution solution = solve_smo_problem(
                Rows<double>(table), {KernelKind::precomputed}, {{split.train, own, weights}, {}},
                settings, 1 << 20, alone, monitor);
            for (const Index row : split.test) {
                double expected = solution.intercept;
                for (Index j = 0; j < ssize(solution.support); ++j) {
                    expected += solution.coef[j] * gram[row * n + solution.support[j]];
                }
                check_near(found[k++], expected, 1e-6, "a score of a row left out");
            }
        }
    }
}

}  // namespace

void test_bag_kernel() {
    for (const auto level : available_levels()) {
        const ForcedLevel forced(level);
        kernels_are_sums_over_instances<double>();
        kernels_are_sums_over_instances<float>();
    }
    a_long_list_of_gammas_is_as_exact_as_each_alone();
    left_out_scores_are_those_of_each_problem_alone();
}

}  // namespace svmosaic::test
