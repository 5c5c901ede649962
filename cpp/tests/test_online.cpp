#include <cmath>
#include <cstdint>
#include <numbers>
#include <set>
#include <utility>
#include <vector>

#include "core/sampling.hpp"
#include "solvers/kernel_sgd.hpp"
#include "solvers/olla_l2.hpp"
#include "solvers/online.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

constexpr KernelSpec linear{KernelKind::linear, 1.0, 3, 0.0};
constexpr KernelSpec rbf{KernelKind::rbf, 3.0, 3, 0.0};

// Random numbers --------------------------------------------------------------------------------

void the_sampler_gives_the_published_numbers() {
    Sampler sampler(1234567);
    for (const std::uint64_t expected :
         {6457827717110365317U, 3203168211198807973U, 9817491932198370423U, 4593380528125082431U,
          16408922859458223821U}) {
        check(sampler.next() == expected, "SplitMix64");
    }
}

void draws_stay_in_their_range() {
    Sampler sampler(1);
    for (const Index n : {1, 2, 3, 4, 5, 63, 64, 65}) {
        std::set<Index> seen;
        for (int k = 0; k < 2000; ++k) seen.insert(sampler.below(n));
        const bool all = ssize(seen) == n && *seen.begin() == 0;
        check(all && *seen.rbegin() == n - 1, "all of 0 .. n-1 and nothing else");
    }
    for (int k = 0; k < 1000; ++k) {
        const double drawn = sampler.unit();
        check(drawn >= 0.0 && drawn < 1.0, "unit");
    }
}

// Visits ----------------------------------------------------------------------------------------

void visits_add_up_to_the_weights() {
    const ProblemArrays problem{count_up(4), {1, -1, 1, -1}, {1.0, 2.5, 0.25, 3.0}, 0};
    for (const auto order : {VisitOrder::shuffled, VisitOrder::given}) {
        Visits visits(problem.view(), order, 2, 5);
        std::vector<double> totals(4, 0.0);
        Index n = 0;
        Index needed = 0;
        for (Visit visit; visits.next(visit); ++n) {
            totals[visit.sample] += visit.share;
            check(visit.needed >= needed, "outputs are given up one after another");
            check(n >= 8 || visit.needed == 0, "all are read in the last epoch");
            needed = visit.needed;
        }
        check(n == 16, "ceil(w) visits per epoch");
        check(needed == 4, "in the end no output is needed");
        for (Index i = 0; i < 4; ++i) {
            check_near(totals[i], 2 * problem.weights[i], 1e-12, "weight visited");
        }
    }
    Visits drawn(problem.view(), VisitOrder::random, 2, 5);
    double total = 0.0;
    for (Visit visit; drawn.next(visit);) total += visit.share;
    check_near(total, drawn.total(), 1e-12, "weight drawn");
}

// By hand ---------------------------------------------------------------------------------------

template <class Real, class Settings, class Solver>
OnlineSolution run(const Rows<Real>& rows, const ProblemArrays& problem, const KernelSpec& kernel,
                   const Settings& settings, const Solver& solver) {
    Monitor monitor;
    const OnlineTask task{problem.view(), {}, {}, 0.0, 0.0};
    auto solved = solver(rows, kernel, std::span<const OnlineTask>(&task, 1), settings, 1, monitor);
    return std::move(solved.front());
}

constexpr auto sgd = [](const auto& rows, const auto& kernel, auto tasks, const auto& settings,
                        Index n_threads, Monitor& monitor) {
    return solve_kernel_sgd(rows, kernel, tasks, settings, n_threads, monitor);
};
constexpr auto olla = [](const auto& rows, const auto& kernel, auto tasks, const auto& settings,
                         Index n_threads, Monitor& monitor) {
    return solve_olla_l2(rows, kernel, tasks, settings, n_threads, monitor);
};

// Points 2, 1 (y = +1) and -1 (y = -1) on a line, k(x, z) = x z, C = 1, in the order given.
//
// t = 1, x = 2:  f = 0 < 1, beta = (1, 0, 0), theta = 2.       alpha = (1, 0, 0)
// t = 2, x = 1:  f = 2 * 1 / 2 = 1, no violator.               alpha = (1/2, 0, 0)
// t = 3, x = -1: y f = 2 / 3 < 1, beta = (1, 0, -1).           alpha = (1/3, 0, -1/3)
void sgd_by_hand() {
    const std::vector<double> values{2.0, 1.0, -1.0};
    const Rows<double> rows = DenseRows<double>{values.data(), 3, 1};
    const ProblemArrays problem{count_up(3), {1.0, 1.0, -1.0}, {1.0, 1.0, 1.0}, 0};
    KernelSgdSettings settings;
    settings.C = 1.0;
    settings.epochs = 1;
    settings.average = 0.0;
    settings.order = VisitOrder::given;

    const auto last = run(rows, problem, linear, settings, sgd);
    check(last.support == std::vector<Index>{0, 2}, "violators");
    check(last.n_iter == 3 && last.counters.n_updates == 2, "visits and updates");
    check_near(last.coef[0], 1.0 / 3.0, 1e-15, "alpha of the first");
    check_near(last.coef[1], -1.0 / 3.0, 1e-15, "alpha of the last");
    check(last.status == Status::exhausted, "all visits are done");

    settings.average = 1.0;
    const auto mean = run(rows, problem, linear, settings, sgd);
    check_near(mean.coef[0], (1.0 + 1.0 / 2.0 + 1.0 / 3.0) / 3.0, 1e-15, "mean of the first");
    check_near(mean.coef[1], -1.0 / 9.0, 1e-15, "mean of the last");

    Monitor monitor;
    const OnlineTask task{problem.view(), {}, {}, 0.0, 0.0};
    const auto primal =
        solve_linear_sgd(rows, std::span<const OnlineTask>(&task, 1), settings, 1, monitor);
    check(primal[0].support.empty(), "the primal form keeps no vectors");
    check_near(primal[0].weights[0], 2.0 * mean.coef[0] - mean.coef[1], 1e-15, "w");
}

// The same points with intercept and C = 1/8; eta = 2 / sqrt(t).
//
// t = 1, x = 2:  o = 0, violator: step 2/8, alpha_0 = 1/4, b = 1/4.
// t = 2, x = 1:  o = 1/4 * 2 + 1/4 = 3/4 <= 1: step s = sqrt(2)/8; b = 1/4 + s.
// t = 3, x = -1: y o = 1/2 + s - 1/4 - s = 1/4 <= 1: step -r = -2 / sqrt(3) / 8.
void olla_by_hand() {
    const std::vector<double> values{2.0, 1.0, -1.0};
    const Rows<double> rows = DenseRows<double>{values.data(), 3, 1};
    const ProblemArrays problem{count_up(3), {1.0, 1.0, -1.0}, {1.0, 1.0, 1.0}, 0};
    OllaL2Settings settings;
    settings.C = 0.125;
    settings.epochs = 1;
    settings.order = VisitOrder::given;

    const auto all = run(rows, problem, linear, settings, olla);
    const double s = std::numbers::sqrt2 / 8.0;
    const double r = 0.25 / std::numbers::sqrt3;
    check(all.support == std::vector<Index>{0, 1, 2}, "violators");
    check_near(all.coef[0], 0.25, 1e-15, "alpha_0");
    check_near(all.coef[1], s, 1e-15, "alpha_1");
    check_near(all.coef[2], -r, 1e-15, "alpha_2");
    check_near(all.intercept, 0.25 + s - r, 1e-15, "b");

    // With a budget of two, sample 1 is the smallest of the others when sample 2 comes.
    settings.budget = 2;
    const auto two = run(rows, problem, linear, settings, olla);
    check(two.support == std::vector<Index>{0, 2}, "the smallest but the newest left");
}

// Invariances -----------------------------------------------------------------------------------

template <class Real>
void neither_cache_nor_threads_matter() {
    const auto table = random_samples<Real>(600, 4, 3);
    const Rows<Real> rows = table.rows();
    const auto problem = random_problem(table, 4, 0.1);
    KernelSgdSettings settings;
    OllaL2Settings with_budget;
    with_budget.budget = 50;
    const auto kept = run(rows, problem, rbf, settings, sgd);
    const auto kept_olla = run(rows, problem, rbf, with_budget, olla);
    settings.cache_mb = 0.0;
    with_budget.cache_mb = 0.0;
    const auto streamed = run(rows, problem, rbf, settings, sgd);
    const auto streamed_olla = run(rows, problem, rbf, with_budget, olla);
    check(kept.coef == streamed.coef && kept.support == streamed.support, "NL-SGD");
    check(kept_olla.coef == streamed_olla.coef, "OLLA-L2");
    check(kept_olla.support.size() <= 50, "budget");

    Monitor monitor;
    const std::vector<OnlineTask> tasks(3, OnlineTask{problem.view(), {}, {}, 0.0, 0.0});
    for (const auto& solution :
         solve_kernel_sgd(rows, rbf, std::span<const OnlineTask>(tasks), settings, 3, monitor)) {
        check(solution.coef == streamed.coef, "threads");
    }
}

void the_monitor_stops_the_loops() {
    const auto table = random_samples<double>(500, 4, 3);
    const Rows<double> rows = table.rows();
    const auto problem = random_problem(table, 4, 0.1);
    const OnlineTask task{problem.view(), {}, {}, 0.0, 0.0};
    const std::span<const OnlineTask> tasks(&task, 1);
    KernelSgdSettings settings;
    settings.epochs = 1'000'000'000;
    OllaL2Settings olla_settings;
    olla_settings.epochs = settings.epochs;
    for (int which = 0; which < 3; ++which) {
        Monitor monitor(0.05, {});
        const auto solved = which == 0 ? solve_kernel_sgd(rows, rbf, tasks, settings, 1, monitor)
                            : which == 1
                                ? solve_linear_sgd(rows, tasks, settings, 1, monitor)
                                : solve_olla_l2(rows, rbf, tasks, olla_settings, 1, monitor);
        check(solved[0].status == Status::max_time, "max_time");
        check(solved[0].n_iter > 0, "some visits were made");
    }
}

}  // namespace

void test_online() {
    the_sampler_gives_the_published_numbers();
    draws_stay_in_their_range();
    visits_add_up_to_the_weights();
    sgd_by_hand();
    olla_by_hand();
    neither_cache_nor_threads_matter<float>();
    neither_cache_nor_threads_matter<double>();
    the_monitor_stops_the_loops();
}

}  // namespace svmosaic::test
