#include <cmath>
#include <numeric>
#include <vector>

#include "core/sampling.hpp"
#include "solvers/tune_regression.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

// Points on a line, a target that bends, one that follows it, and folds that take turns.
struct Bend {
    explicit Bend(Index n, Index n_folds) : target(n), other(n), weights(n, 1.0) {
        Sampler random(11);
        std::vector<double> x(n);
        for (Index i = 0; i < n; ++i) {
            x[i] = static_cast<double>(random.below(20'001)) / 10'000.0 - 1.0;
            target[i] = std::sin(3.0 * x[i]) + 0.01 * static_cast<double>(random.below(10));
            other[i] = target[i] * target[i];
        }
        for (const double a : x) {
            for (const double b : x) distances.push_back((a - b) * (a - b));
        }
        for (Index f = 0; f < n_folds; ++f) {
            std::vector<double> test(n);
            std::vector<double> train(n);
            for (Index i = 0; i < n; ++i) {
                test[i] = i % n_folds == f ? 1.0 : 0.0;
                train[i] = 1.0 - test[i];
            }
            tests.push_back(std::move(test));
            trains.push_back(std::move(train));
        }
    }

    RegressionTable table() const {
        RegressionTable table{distances, weights, {}, {}};
        for (Index f = 0; f < ssize(tests); ++f) {
            table.folds.push_back({trains[f], tests[f]});
        }
        return table;
    }

    std::vector<double> distances, target, other, weights;
    std::vector<std::vector<double>> trains, tests;
};

const std::vector<double> gammas{0.1, 3.0};
const std::vector<double> Cs{30.0, 1.0};
const std::vector<double> epsilons{0.01, 0.2};

RegressionTuneSettings grid() {
    return {gammas, Cs, epsilons, 1e-3, 0, true};
}

void check_result(const RegressionResult& result, Index n) {
    check(result.violation <= 1e-3, "the final fit converges");
    check_near(std::accumulate(result.coef.begin(), result.coef.end(), 0.0), 0.0, 1e-9,
               "coefficients sum to zero");
    check(ssize(result.coef) == n, "one coefficient per sample");
    for (const double value : result.held_out) check(std::isfinite(value), "every row is tested");
}

void test_links(Index n) {
    const Bend bend(n, 3);
    const auto table = bend.table();
    const std::vector<RegressionLink> links{{bend.target, {}, -1, -1},
                                            {bend.other, {bend.target}, -1, -1}};
    Monitor monitor;
    std::vector<double> kept;
    const auto found = tune_regression(table, links, grid(), 1, monitor, &kept);
    for (const auto& result : found) check_result(result, n);
    check(ssize(kept) == 2 * 8 * 3 * n, "coefficients of all candidates on all folds are kept");

    // From there: the same best candidates, whatever the threads.
    RegressionTable led_table = bend.table();
    led_table.starts = kept;
    std::vector<RegressionLink> led = links;
    for (Index l = 0; l < ssize(led); ++l) {
        led[l].start = l;
        led[l].first = found[l].best;
    }
    const auto again = tune_regression(led_table, led, grid(), 3, monitor, nullptr);
    for (Index l = 0; l < ssize(led); ++l) {
        const double error = found[l].errors[found[l].best];
        check_near(again[l].errors[again[l].best], error, 1e-2 * error,
                   "a search that is led finds as good a candidate");
    }
}

void test_without_folds() {
    const Bend bend(20, 0);
    const std::vector<double> one{1.0};
    const RegressionTuneSettings settings{one, one, one, 1e-3, 0, false};
    const std::vector<RegressionLink> links{{bend.target, {}, -1, -1}};
    Monitor monitor;
    const auto found = tune_regression(bend.table(), links, settings, 1, monitor, nullptr);
    check(found[0].best == 0, "without folds there is nothing to choose");
    check(std::isinf(found[0].errors[0]), "and no error is known");
}

void test_stop() {
    const Bend bend(60, 3);
    const std::vector<RegressionLink> links{{bend.target, {}, -1, -1}};
    Monitor monitor;
    monitor.stop(Status::interrupted);
    const auto found = tune_regression(bend.table(), links, grid(), 2, monitor, nullptr);
    check(found.size() == 1, "a run that was stopped returns");
}

}  // namespace

void test_tune_regression() {
    test_links(40);
    // More than one working set holds.
    test_links(1000);
    test_without_folds();
    test_stop();
}

}  // namespace svmosaic::test
