#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/canonical.hpp"
#include "core/infinity.hpp"
#include "solvers/ollawv.hpp"
#include "solvers/refine.hpp"
#include "solvers/rounds.hpp"
#include "solvers/smo.hpp"
#include "solvers/solve.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

constexpr KernelSpec linear{KernelKind::linear, 1.0, 3, 0.0};
constexpr KernelSpec rbf{KernelKind::rbf, 3.0, 3, 0.0};

// OLLAWV ----------------------------------------------------------------------------------------

// More steps than any test needs: the margin decides.
OllawvOptions with_margin(double margin) {
    OllawvOptions settings;
    settings.margin = margin;
    settings.max_iter = 1'000'000;
    return settings;
}

template <class Real>
Solution run_ollawv(const Rows<Real>& rows, const ProblemArrays& problem, const KernelSpec& kernel,
                    const OllawvOptions& settings) {
    ThreadPool pool(1);
    Monitor monitor;
    KernelColumns<Real> columns(rows, problem.samples, kernel, 0, pool);
    return solve_ollawv(problem.view(), problem.start, settings, columns, monitor);
}

struct ThreePoints {
    std::vector<double> values{2.0, 1.0, -1.0};
    Rows<double> rows = DenseRows<double>{values.data(), 3, 1};
    ProblemArrays problem{count_up(3), {1.0, 1.0, -1.0}, {1.0, 1.0, 1.0}, 0};
};

// Points 2, 1 (y = +1) and -1 (y = -1) on a line, k(x, z) = x z, n = 3, eta_t = 2 / sqrt(t).
//
// t = 1, sample 0 (x = 2): step 2, bias 2/3.           f(x) = 4 x + 2/3
//        y f: x = 1: 4 + 2/3; x = -1: 4 - 2/3 = 10/3.  The worst is sample 2, at 10/3.
// t = 2, sample 2 (x = -1): step -r, bias -r/3, r = 2/sqrt(2) = sqrt(2).
//        f(x) = (4 + r) x + (2 - r)/3
//        y f: x = 1: 4 + r + (2 - r)/3 = 14/3 + 2r/3 = 5.61.
// t = 3, sample 1 (x = 1): step s = 2/sqrt(3), bias s/3. No sample is left.
void three_points_by_hand() {
    const ThreePoints three;
    const double r = std::numbers::sqrt2;
    const double s = 2.0 / std::numbers::sqrt3;

    const auto early = run_ollawv(three.rows, three.problem, linear, with_margin(0.1));
    check(early.status == Status::converged && early.n_iter == 1, "10/3 is above 0.1");
    check_near(early.violation, 10.0 / 3.0, 1e-15, "violation");
    check_near(early.intercept, 2.0 / 3.0, 1e-15, "intercept");

    const auto later = run_ollawv(three.rows, three.problem, linear, with_margin(5.0));
    check(later.status == Status::converged && later.n_iter == 2, "5.61 is above 5");
    check(later.path_rows == std::vector<Index>{0, 2}, "samples taken");
    check_near(later.path_steps[0], 2.0, 1e-15, "first step");
    check_near(later.path_steps[1], -r, 1e-15, "second step");
    check_near(later.path_violations[0], 10.0 / 3.0, 1e-15, "first violation");
    check_near(later.path_violations[1], 14.0 / 3.0 + 2.0 * r / 3.0, 1e-15, "second violation");
    check_near(later.intercept, (2.0 - r) / 3.0, 1e-15, "intercept");
    check(later.counters.n_columns == 2, "one column per step");

    const auto all = run_ollawv(three.rows, three.problem, linear, with_margin(100.0));
    check(all.status == Status::exhausted && all.n_iter == 3, "no sample is left");
    check_near(all.path_steps[2], s, 1e-15, "third step");
    check_near(all.intercept, (2.0 - r + s) / 3.0, 1e-15, "intercept");
    check(all.violation == infinity, "nobody is worst");
}

void three_points_as_a_problem() {
    const ThreePoints three;
    OllawvSettings settings;
    settings.ollawv = with_margin(5.0);
    settings.refine.refinement = Refinement::none;
    settings.C = 2.0;
    const std::vector<Problem> problems = {three.problem.view()};
    Monitor monitor;

    const auto solution = solve_all<double>(three.rows, linear, problems, settings, 1, monitor)[0];

    const double r = std::numbers::sqrt2;
    check(solution.support == std::vector<Index>{0, 2}, "support");
    check_near(solution.coef[0], 2.0 * 2.0, 1e-15, "C scales the coefficients");
    check_near(solution.coef[1], 2.0 * -r, 1e-15, "C scales the coefficients");
    check_near(solution.intercept, 2.0 * (2.0 - r) / 3.0, 1e-15, "C scales the intercept");
    check_near(solution.path_steps[0], 2.0, 1e-15, "the path is for C = 1");
}

void learning_rates_and_intercept() {
    const ThreePoints three;
    auto settings = with_margin(100.0);
    settings.learning_rate = LearningRate::one_over_sqrt;
    settings.fit_intercept = false;
    const auto root = run_ollawv(three.rows, three.problem, linear, settings);
    settings.learning_rate = LearningRate::one_over;
    const auto harmonic = run_ollawv(three.rows, three.problem, linear, settings);
    for (Index t = 0; t < 3; ++t) {
        const double step = static_cast<double>(t + 1);
        check_near(std::abs(root.path_steps[t]), 1.0 / std::sqrt(step), 1e-15, "1/sqrt(t)");
        check_near(std::abs(harmonic.path_steps[t]), 1.0 / step, 1e-15, "1/t");
    }
    check(root.intercept == 0.0 && harmonic.intercept == 0.0, "no intercept");
}

// The algorithm line by line, without chunks and vectors.
template <class Real>
Solution naive_ollawv(const Samples<Real>& table, const ProblemArrays& problem,
                      const KernelSpec& kernel, double margin) {
    const Index n = problem.samples.size();
    Solution solution;
    std::vector<bool> used(n, false);
    std::vector<double> expansion(n, 0.0);  // f without the intercept
    Index worst = problem.start;
    while (true) {
        const double t = static_cast<double>(solution.path_rows.size() + 1);
        const double step = 2.0 / std::sqrt(t) * problem.targets[worst];
        const auto taken = table.row(problem.samples[worst]);
        used[worst] = true;
        solution.path_rows.push_back(worst);
        solution.path_steps.push_back(step);
        solution.intercept += step / static_cast<double>(n);
        double lowest = infinity;
        for (Index i = 0; i < n; ++i) {
            expansion[i] += step * naive_kernel(kernel, table.row(problem.samples[i]), taken);
            const double score = problem.targets[i] * (expansion[i] + solution.intercept);
            if (used[i] || score >= lowest) continue;
            lowest = score;
            worst = i;
        }
        solution.path_violations.push_back(lowest);
        if (lowest >= margin) return solution;
    }
}

void ollawv_follows_the_plain_algorithm() {
    // 600 samples: more than one chunk.
    const auto table = random_samples<double>(600, 3, 1);
    const auto problem = random_problem(table, 2, 0.02);
    const auto expected = naive_ollawv(table, problem, rbf, 0.2);

    const auto solution = run_ollawv<double>(table.rows(), problem, rbf, with_margin(0.2));

    check(solution.path_rows == expected.path_rows, "the same samples in the same order");
    check(solution.n_iter > 20 && solution.n_iter < 300, "a run of some length");
    check_near(solution.intercept, expected.intercept, 1e-12, "intercept");
    for (Index t = 0; t < std::min(ssize(solution.path_rows), ssize(expected.path_rows)); ++t) {
        check_near(solution.path_steps[t], expected.path_steps[t], 1e-14, "step");
        check_near(solution.path_violations[t], expected.path_violations[t], 1e-11, "violation");
    }
}

template <class T>
bool begins_with(const std::vector<T>& values, const std::vector<T>& prefix) {
    return values.size() >= prefix.size() &&
           std::equal(prefix.begin(), prefix.end(), values.begin());
}

template <class Real>
void a_larger_margin_continues_the_same_trajectory() {
    const auto table = random_samples<Real>(500, 4, 3);
    const auto problem = random_problem(table, 4, 0.1);
    Solution before;
    for (const double margin : {0.0, 0.05, 0.1, 0.3, 1.0, 1e6}) {
        const auto solution = run_ollawv<Real>(table.rows(), problem, rbf, with_margin(margin));
        check(begins_with(solution.path_rows, before.path_rows), "rows");
        check(begins_with(solution.path_steps, before.path_steps), "steps");
        check(begins_with(solution.path_violations, before.path_violations), "violations");
        if (solution.status == Status::converged) {
            check(solution.violation >= margin, "the stopping rule holds");
            for (Index t = 0; t + 1 < ssize(solution.path_violations); ++t) {
                check(solution.path_violations[t] < margin, "and did not hold before");
            }
        }
        before = solution;
    }
    check(before.status == Status::exhausted && before.n_iter == 500, "each sample once");
}

void a_weight_is_a_number_of_copies() {
    const auto table = random_samples<double>(120, 3, 5);
    auto weighted = random_problem(table, 6, 0.1);
    ProblemArrays copied;
    for (Index i = 0; i < 120; ++i) {
        const Index copies = 1 + i % 3;
        weighted.weights[i] = static_cast<double>(copies);
        for (Index c = 0; c < copies; ++c) {
            copied.samples.push_back(i);
            copied.targets.push_back(weighted.targets[i]);
            copied.weights.push_back(1.0);
        }
    }
    for (const double margin : {0.2, 1e6}) {
        const auto a = run_ollawv<double>(table.rows(), weighted, rbf, with_margin(margin));
        const auto b = run_ollawv<double>(table.rows(), copied, rbf, with_margin(margin));

        std::vector<Index> rows;
        for (const Index position : b.path_rows) rows.push_back(copied.samples[position]);
        check(a.path_rows == rows, "the same rows in the same order");
        check(a.path_steps == b.path_steps && a.path_violations == b.path_violations,
              "to the last bit");
        check(a.intercept == b.intercept && a.status == b.status && a.n_iter == b.n_iter,
              "the same solution");
    }
}

// Weight 2.5 of the only sample: steps of full size at t = 1 and 2, half of it at t = 3.
void a_last_fraction_scales_its_step() {
    const std::vector<double> values = {1.0};
    const Rows<double> rows = DenseRows<double>{values.data(), 1, 1};
    const ProblemArrays problem{{0}, {-1.0}, {2.5}, 0};

    const auto solution = run_ollawv(rows, problem, linear, with_margin(1e6));

    check(solution.path_rows == std::vector<Index>{0, 0, 0}, "taken three times");
    check_near(solution.path_steps[1], -std::numbers::sqrt2, 1e-15, "full step");
    check_near(solution.path_steps[2], -0.5 * 2.0 / std::numbers::sqrt3, 1e-15, "half a step");
    check(solution.status == Status::exhausted, "then its weight is used up");
}

// Samples 1 and 2 have nearly the same score after the first step on sample 0. A difference of
// rounding size is a tie and goes to sample 1, a larger one does not.
void scores_that_differ_by_rounding_are_ties() {
    for (const auto& [difference, second] : {std::pair{1e-13, Index{1}}, {1e-9, Index{2}}}) {
        const double k = 0.25 + difference;
        const std::vector<double> values = {1.0, k, 0.25, k, 1.0, 0.0, 0.25, 0.0, 1.0};
        const Rows<double> rows = PairwiseRows<double>{values.data(), 3, 3, true};
        const ProblemArrays problem{count_up(3), {1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}, 0};

        const auto solution =
            run_ollawv(rows, problem, {KernelKind::precomputed, 1.0, 3, 0.0}, with_margin(100.0));

        check(solution.path_rows[1] == second, "second sample taken");
    }
}

void limits_stop_the_loop() {
    const auto table = random_samples<double>(200, 3, 7);
    auto problem = random_problem(table, 8, 0.2);
    std::fill(problem.weights.begin(), problem.weights.end(), 2.0);
    const auto free_run = run_ollawv<double>(table.rows(), problem, rbf, with_margin(1e6));

    auto settings = with_margin(1e6);
    settings.max_support = 17;
    const auto budget = run_ollawv<double>(table.rows(), problem, rbf, settings);
    const std::set<Index> distinct(budget.path_rows.begin(), budget.path_rows.end());
    check(budget.status == Status::max_support && distinct.size() == 17, "17 different samples");
    check(begins_with(free_run.path_rows, budget.path_rows), "a budget only cuts the path");

    settings = with_margin(1e6);
    settings.max_iter = 23;
    const auto steps = run_ollawv<double>(table.rows(), problem, rbf, settings);
    check(steps.status == Status::max_iter && steps.n_iter == 23, "max_iter");

    settings.max_iter = 0;
    settings.max_iter_share = 0.25;
    const auto share = run_ollawv<double>(table.rows(), problem, rbf, settings);
    check(share.status == Status::max_iter && share.n_iter == 100, "a quarter of 400");

    settings.max_iter_share = 1e-9;
    const auto least = run_ollawv<double>(table.rows(), problem, rbf, settings);
    check(least.n_iter == 1, "at least one step");

    settings.max_iter_share = 1e300;
    const auto most = run_ollawv<double>(table.rows(), problem, rbf, settings);
    check(most.n_iter == 400 && most.status == Status::exhausted, "a share that knows no limit");
}

// Time and interruption -------------------------------------------------------------------------

// A table whose every column takes two milliseconds.
struct SlowTable {
    Index n;
    std::vector<double> diagonal;
    Rows<double> rows;

    explicit SlowTable(Index size) : n(size), diagonal(size, 1.0) {
        CallbackRows<double> callback;
        callback.column = [](Index j, std::span<double> out) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            for (Index i = 0; i < ssize(out); ++i) {
                out[i] = std::exp(-std::abs(static_cast<double>(i) - static_cast<double>(j)));
            }
        };
        callback.diagonal = diagonal.data();
        callback.n_rows = n;
        rows = callback;
    }

    ProblemArrays problem() const {
        ProblemArrays arrays{count_up(n), {}, std::vector<double>(n, 1.0), 0};
        for (Index i = 0; i < n; ++i) arrays.targets.push_back(i % 3 == 0 ? 1.0 : -1.0);
        return arrays;
    }
};

OllawvSettings endless_settings() {
    OllawvSettings settings;
    settings.ollawv = with_margin(1e6);
    settings.refine.refinement = Refinement::none;
    return settings;
}

constexpr KernelSpec precomputed{KernelKind::precomputed, 1.0, 3, 0.0};

void max_time_stops_every_problem() {
    const SlowTable table(400);
    const auto arrays = table.problem();
    const std::vector<Problem> problems(3, arrays.view());
    for (Index n_threads = 1; n_threads <= 2; ++n_threads) {
        Monitor monitor(0.03, {});
        const auto solutions =
            solve_all(table.rows, precomputed, problems, endless_settings(), n_threads, monitor);
        for (const auto& solution : solutions) {
            check(solution.status == Status::max_time, "status");
            check(solution.n_iter >= 1 && solution.n_iter < 100, "early");
            check(solution.n_iter == ssize(solution.path_rows), "path");
            check(std::isfinite(solution.intercept) && !solution.support.empty(), "usable");
        }
        check(monitor.progress().problems_done == 3, "all problems are reported done");
    }
}

void the_poll_interrupts_and_is_called_by_the_owner_only() {
    const SlowTable table(400);
    const auto arrays = table.problem();
    const std::vector<Problem> problems(4, arrays.view());
    for (Index n_threads = 1; n_threads <= 3; ++n_threads) {
        const auto owner = std::this_thread::get_id();
        int n_polls = 0;
        bool only_owner = true;
        Progress last;
        Monitor monitor(0.0, [&](const Progress& progress) {
            only_owner = only_owner && std::this_thread::get_id() == owner;
            last = progress;
            return ++n_polls == 2;
        });
        const auto solutions =
            solve_all(table.rows, precomputed, problems, endless_settings(), n_threads, monitor);
        check(n_polls == 2 && only_owner, "polled until it asked to stop, in one thread");
        check(last.problems_total == 4 && last.steps > 0, "progress");
        for (const auto& solution : solutions) {
            check(solution.status == Status::interrupted, "status");
        }
    }
}

void a_time_limit_beyond_the_clock_is_no_limit() {
    for (const double max_time : {1e9, 1e10, 1e300, infinity}) {
        Monitor monitor(max_time, {});
        check(!monitor.should_stop(), "not stopped at once");
    }
}

// SMO -------------------------------------------------------------------------------------------

template <class Real>
std::vector<double> naive_outputs(const Samples<Real>& table, const KernelSpec& kernel,
                                  std::span<const Index> support, std::span<const double> coef) {
    std::vector<double> outputs(table.n_rows, 0.0);
    for (Index j = 0; j < ssize(support); ++j) {
        if (coef[j] == 0.0) continue;
        for (Index i = 0; i < table.n_rows; ++i) {
            outputs[i] += coef[j] * naive_kernel(kernel, table.row(i), table.row(support[j]));
        }
    }
    return outputs;
}

// What the optimality conditions leave: max over what may shrink - min over what may grow.
double violation_of(const std::vector<double>& outputs, const DualState& state) {
    double lowest_up = infinity;
    double highest_low = -infinity;
    for (Index i = 0; i < ssize(outputs); ++i) {
        const double gradient = outputs[i] - state.target[i];
        if (state.beta[i] < state.upper[i]) lowest_up = std::min(lowest_up, gradient);
        if (state.beta[i] > state.lower[i]) highest_low = std::max(highest_low, gradient);
    }
    return highest_low - lowest_up;
}

// A state for classification at beta = 0.
DualState start_at_zero(std::span<const double> targets, std::span<const double> upper) {
    DualState state;
    for (Index i = 0; i < ssize(targets); ++i) {
        state.add(i, targets[i], box_of(Loss::hinge, targets[i], upper[i]), 0.0, 0.0);
    }
    return state;
}

// The variables in the order of their numbers; the solver may leave them in another.
DualState in_order(const DualState& state) {
    DualState ordered = state;
    for (Index k = 0; k < state.size(); ++k) {
        const Index i = state.sample[k];
        ordered.sample[i] = i;
        ordered.target[i] = state.target[k];
        ordered.lower[i] = state.lower[k];
        ordered.upper[i] = state.upper[k];
        ordered.beta[i] = state.beta[k];
        ordered.gradient[i] = state.gradient[k];
    }
    return ordered;
}

template <class Real>
DualState run_smo(const Samples<Real>& table, const ProblemArrays& problem,
                  const KernelSpec& kernel, std::span<const double> upper,
                  const SmoOptions& settings, Index n_threads = 1,
                  Index cache_bytes = Index{1} << 24) {
    const Rows<Real> rows = table.rows();
    ThreadPool pool(n_threads);
    Monitor monitor;
    KernelColumns<Real> columns(rows, problem.samples, kernel, cache_bytes, pool);
    DualState state = start_at_zero(problem.targets, upper);
    solve_smo(columns, state, settings, monitor);
    bool together = ssize(columns.computer().samples()) == ssize(state);
    for (Index k = 0; together && k < state.size(); ++k) {
        together = columns.computer().samples()[k] == problem.samples[state.sample[k]];
    }
    check(together, "variables and samples stay together");
    return in_order(state);
}

template <class Real>
void check_optimal(const Samples<Real>& table, const KernelSpec& kernel, const DualState& state,
                   double tol, const std::string& what) {
    // Single-precision kernel values shift the gradients a little.
    const double slack = sizeof(Real) == 4 ? 2e-4 : 1e-9;
    check(state.status == Status::converged && state.violation <= tol, what + ": converged");
    const auto outputs = naive_outputs(table, kernel, count_up(table.n_rows), state.beta);
    check(violation_of(outputs, state) <= tol + slack, what + ": violation");
    double sum = 0.0;
    bool inside = true;
    for (Index i = 0; i < ssize(state.beta); ++i) {
        sum += state.beta[i];
        inside = inside && state.beta[i] >= state.lower[i] && state.beta[i] <= state.upper[i];
        check(std::abs(state.gradient[i] - (outputs[i] - state.target[i])) <= slack * 10.0,
              what + ": gradient");
        // y f(x) >= 1 at beta = 0, <= 1 at the bound, = 1 between, up to tol.
        const double y = state.target[i];
        const double score = y * (outputs[i] + state.intercept);
        const double bound = y > 0 ? state.upper[i] : -state.lower[i];
        if (std::abs(state.beta[i]) < bound) {
            check(score >= 1.0 - tol - slack, what + ": outside");
        }
        if (state.beta[i] != 0.0) check(score <= 1.0 + tol + slack, what + ": inside");
    }
    check(inside, what + ": bounds");
    check_near(sum, 0.0, 1e-9, what + ": sum of beta");
}

// Points -1 and +1 on a line, k(x, z) = x z: beta = (-a, a) gives 1/2 (2a)^2 - 2a, least at
// a = 1/2; then f(x) = x. With the bound 1/4: f(x) = x / 2.
void two_points_by_hand() {
    const Samples<double> table{2, 1, {-1.0, 1.0}};
    const ProblemArrays problem{count_up(2), {-1.0, 1.0}, {1.0, 1.0}, 0};

    const auto free = run_smo(table, problem, linear, std::vector<double>{1.0, 1.0}, {});
    check_near(free.beta[0], -0.5, 1e-12, "beta of -1");
    check_near(free.beta[1], 0.5, 1e-12, "beta of +1");
    check_near(free.intercept, 0.0, 1e-12, "intercept");
    check_near(dual_objective(free), 0.5, 1e-12, "2a - (2a)^2 / 2 at 1/2");

    const auto bound = run_smo(table, problem, linear, std::vector<double>{1.0, 0.25}, {});
    check(bound.beta[1] == 0.25, "exactly at the bound");
    check_near(bound.beta[0], -0.25, 1e-12, "the sum stays 0");
    check_near(dual_objective(bound), 0.375, 1e-12, "2a - (2a)^2 / 2 at 1/4");
}

template <class Real>
void random_problems_end_at_the_optimum() {
    Random random(9);
    for (const Index n : {2, 17, 60, 200}) {
        const auto table = random_samples<Real>(n, 4, 10 + static_cast<unsigned>(n));
        auto problem = random_problem(table, 11, 0.15);
        problem.targets[0] = 1.0;
        problem.targets[1] = -1.0;
        for (const auto& kernel : {rbf, linear, KernelSpec{KernelKind::poly, 1.0, 2, 1.0}}) {
            for (const double C : {0.01, 1.0, 30.0}) {
                std::vector<double> upper;
                for (Index i = 0; i < n; ++i) upper.push_back(C * random.uniform(0.1, 2.0));
                const auto state = run_smo(table, problem, kernel, upper, {});
                check_optimal(table, kernel, state, 1e-3,
                              "n " + std::to_string(n) + ", C " + std::to_string(C));
            }
        }
    }
}

template <class Real>
void shrinking_changes_only_the_way() {
    const auto table = random_samples<Real>(1300, 4, 12);
    const auto problem = random_problem(table, 13, 0.15);
    SmoOptions settings;
    for (const double C : {5.0, 50.0}) {
        const std::vector<double> upper(1300, C);
        settings.shrinking = true;
        // A cache of a few columns: eviction and cut columns meet.
        const auto shrunk = run_smo(table, problem, rbf, upper, settings, 2, 1300 * 8 * 40);
        settings.shrinking = false;
        const auto plain = run_smo(table, problem, rbf, upper, settings);

        check(shrunk.counters.n_updates > 1000, "long enough to shrink");
        check_optimal(table, rbf, shrunk, settings.tol, "with shrinking");
        check_optimal(table, rbf, plain, settings.tol, "without");
        check_near(dual_objective(shrunk), dual_objective(plain), 1e-4, "the same objective");
        check_near(shrunk.intercept, plain.intercept, 5e-3, "the same intercept");
    }
}

void an_update_limit_is_a_status() {
    const auto table = random_samples<double>(300, 4, 14);
    const auto problem = random_problem(table, 15, 0.2);
    SmoOptions settings;
    settings.max_iter = 20;

    const auto state = run_smo(table, problem, rbf, std::vector<double>(300, 1.0), settings);

    check(state.status == Status::max_iter && state.counters.n_updates == 20, "20 updates");
    check(state.violation > settings.tol && std::isfinite(state.intercept), "not there yet");
    double sum = 0.0;
    for (const double beta : state.beta) sum += beta;
    check_near(sum, 0.0, 1e-12, "feasible all the same");
}

// More variables than one range of a pass holds, so that the passes are shared.
void smo_does_not_depend_on_the_threads() {
    const auto table = random_samples<float>(17'000, 2, 16);
    const auto problem = random_problem(table, 17, 0.1);
    SmoOptions settings;
    settings.max_iter = 60;
    DualState first;
    for (Index n_threads = 1; n_threads <= 4; ++n_threads) {
        const auto state =
            run_smo(table, problem, rbf, std::vector<double>(17'000, 1.0), settings, n_threads);
        if (n_threads == 1) first = state;
        check(state.beta == first.beta && state.gradient == first.gradient &&
                  state.intercept == first.intercept && state.violation == first.violation,
              "to the last bit");
    }
}

// Only the last samples have room to move, and they are in the second range of the passes.
void smo_finds_its_pairs_in_every_range() {
    const auto table = random_samples<double>(17'000, 2, 34);
    const auto problem = random_problem(table, 35, 0.1);
    std::vector<double> upper(17'000, 0.0);
    std::fill(upper.end() - 150, upper.end(), 2.0);
    SmoOptions settings;
    settings.shrinking = false;
    settings.max_iter = 20'000;

    const auto state = run_smo(table, problem, rbf, upper, settings, 2);

    check(state.status == Status::converged && state.counters.n_updates > 50, "converged");
    const auto outputs = naive_outputs(table, rbf, count_up(17'000), state.beta);
    check(violation_of(outputs, state) <= settings.tol + 1e-9, "violation");
}

// With one class no coefficient can move: f is a constant of that class.
void one_class_gives_a_finite_intercept() {
    const Samples<double> table{3, 1, {1.0, 2.0, 3.0}};
    for (const double y : {1.0, -1.0}) {
        const ProblemArrays problem{count_up(3), {y, y, y}, {1.0, 1.0, 1.0}, 0};

        const auto state = run_smo(table, problem, rbf, std::vector<double>(3, 1.0), {});

        check(state.beta == std::vector<double>(3, 0.0), "nothing moves");
        check(std::isfinite(state.intercept) && y * state.intercept > 0.0,
              "the intercept is finite and on the side of the class");
        check(std::isfinite(state.violation), "violation");
    }
}

// Refinement ------------------------------------------------------------------------------------

// The state over all samples that an expansion represents.
DualState state_of(const ProblemArrays& problem, const Solution& solution, double C) {
    std::vector<double> upper;
    for (const double weight : problem.weights) upper.push_back(C * weight);
    DualState state = start_at_zero(problem.targets, upper);
    for (Index j = 0; j < ssize(solution.support); ++j) {
        state.beta[solution.support[j]] = solution.coef[j];
    }
    return state;
}

struct Objectives {
    double primal;
    double dual;
};

Objectives objectives_of(const std::vector<double>& outputs, const DualState& state,
                         double intercept) {
    double square = 0.0;
    double linear_part = 0.0;
    double loss = 0.0;
    for (Index i = 0; i < ssize(outputs); ++i) {
        square += state.beta[i] * outputs[i];
        linear_part += state.beta[i] * state.target[i];
        const double bound = std::max(state.upper[i], -state.lower[i]);
        loss += bound * std::max(0.0, 1.0 - state.target[i] * (outputs[i] + intercept));
    }
    return {0.5 * square + loss, linear_part - 0.5 * square};
}

template <class Real>
Solution run_refine(const Samples<Real>& table, const ProblemArrays& problem,
                    std::span<const Index> selected, double C) {
    RefineSettings settings;
    settings.C = C;
    ThreadPool pool(2);
    Monitor monitor;
    return refine<Real>(table.rows(), rbf, problem.view(), selected, settings, 10'000'000, pool,
                        monitor);
}

template <class Real>
void check_full(const Samples<Real>& table, const ProblemArrays& problem, const Solution& solution,
                double C, double tol, const std::string& what) {
    const double slack = sizeof(Real) == 4 ? 2e-4 : 1e-9;
    const auto state = state_of(problem, solution, C);
    const auto outputs = naive_outputs(table, rbf, solution.support, solution.coef);
    const auto [primal, dual] = objectives_of(outputs, state, solution.intercept);
    double total_bound = 0.0;
    for (const double weight : problem.weights) total_bound += C * weight;

    check(solution.status == Status::converged, what + ": converged");
    const double violation = violation_of(outputs, state);
    check(violation <= tol + slack,
          what + ": violation on all samples is " + std::to_string(violation));
    check_near(solution.violation, std::max(0.0, violation), slack * 10.0,
               what + ": violation as reported");
    check_near(solution.objective, dual, slack * total_bound, what + ": dual objective");
    check_near(solution.dual_gap, primal - dual, slack * total_bound, what + ": dual gap");
    check(primal - dual >= -slack * total_bound, what + ": weak duality");
    // At violation v the gap is at most v times the sum of the bounds.
    check(primal - dual <= (tol + slack) * total_bound, what + ": small gap");
}

template <class Real>
void full_refinement_is_optimal_on_all_samples() {
    // Enough for rounds, which begin with the selected samples.
    constexpr Index n = least_for_rounds + 100;
    const auto table = random_samples<Real>(n, 4, 18);
    auto problem = random_problem(table, 19, 0.15);
    for (Index i = 0; i < n; i += 3) problem.weights[i] = 2.5;
    Random random(20);
    for (const double C : {1e-5, 1e-3, 0.1, 1.0}) {
        for (const Index n_selected : {Index{1}, Index{2}, Index{40}, n}) {
            auto selected = count_up(n);
            random.shuffle(selected);
            selected.resize(n_selected);
            const auto solution = run_refine(table, problem, selected, C);
            check_full(table, problem, solution, C, 1e-3,
                       "C " + std::to_string(C) + ", from " + std::to_string(n_selected));
        }
    }
}

// As many samples of one class as of the other, all of them at the bound: the samples in play
// leave no interval open, and only the samples outside violate each other's conditions.
void full_refinement_goes_on_when_all_in_play_are_at_the_bound() {
    constexpr Index n = least_for_rounds + 100;
    const auto table = random_samples<double>(n, 4, 21);
    const auto problem = random_problem(table, 22, 0.15);
    std::vector<Index> selected;
    Index n_positive = 0;
    Index n_negative = 0;
    for (Index i = 0; i < n; ++i) {
        Index& count = problem.targets[i] > 0 ? n_positive : n_negative;
        if (count == 10) continue;
        ++count;
        selected.push_back(i);
    }
    for (const double C : {1e-6, 1e-4, 1e-2}) {
        const auto solution = run_refine(table, problem, selected, C);
        check_full(table, problem, solution, C, 1e-3, "balanced, C " + std::to_string(C));
    }
}

// All together ----------------------------------------------------------------------------------

bool same(const Solution& a, const Solution& b) {
    return a.support == b.support && a.coef == b.coef && a.intercept == b.intercept &&
           a.status == b.status && a.n_iter == b.n_iter && a.counters == b.counters &&
           a.violation == b.violation && a.path_rows == b.path_rows &&
           a.path_steps == b.path_steps && a.path_violations == b.path_violations;
}

template <class Real>
void check_any_number_of_threads(const Rows<Real>& rows, std::span<const Problem> problems,
                                 const OllawvSettings& settings, const std::string& what) {
    Monitor alone;
    const auto expected = solve_all(rows, rbf, problems, settings, 1, alone);
    for (Index n_threads = 2; n_threads <= 4; ++n_threads) {
        Monitor monitor;
        const auto solutions = solve_all(rows, rbf, problems, settings, n_threads, monitor);
        check(solutions.size() == problems.size(), what);
        for (Index p = 0; p < ssize(solutions); ++p) {
            check(same(solutions[p], expected[p]), what + ": the same to the last bit");
        }
        check(monitor.progress().problems_done == ssize(problems), what + ": progress");
    }
}

// Four classes, one problem for each pair of them.
template <class Real>
std::vector<ProblemArrays> class_pairs(const Samples<Real>& table) {
    std::vector<ProblemArrays> pairs;
    for (Index a = 0; a < 4; ++a) {
        for (Index b = a + 1; b < 4; ++b) {
            ProblemArrays pair;
            pair.start = -1;
            for (Index i = 0; i < table.n_rows; ++i) {
                const auto row = table.row(i);
                const Index label = (row[0] > 0 ? 1 : 0) + (row[1] > 0 ? 2 : 0);
                const Index noisy = i % 10 == 0 ? (label + 1) % 4 : label;
                if (noisy != a && noisy != b) continue;
                pair.samples.push_back(i);
                pair.targets.push_back(noisy == a ? 1.0 : -1.0);
                pair.weights.push_back(i % 4 == 0 ? 2.0 : 1.0);
            }
            pairs.push_back(std::move(pair));
        }
    }
    return pairs;
}

template <class Real>
void small_problems_do_not_depend_on_the_threads() {
    const auto table = random_samples<Real>(700, 3, 25);
    const auto sparse = sparse_copy(table);
    const auto pairs = class_pairs(table);
    std::vector<Problem> problems;
    for (const auto& pair : pairs) problems.push_back(pair.view());
    for (const auto refinement : {Refinement::none, Refinement::full}) {
        OllawvSettings settings;
        settings.refine.refinement = refinement;
        const std::string what = "refinement " + std::to_string(static_cast<int>(refinement));
        check_any_number_of_threads<Real>(table.rows(), problems, settings, what + ", dense");
        check_any_number_of_threads<Real>(sparse.rows(), problems, settings, what + ", CSR");
    }
}

void large_problems_do_not_depend_on_the_threads() {
    const auto table = random_samples<float>(8'200, 12, 26);
    auto large = random_problem(table, 27, 0.1);
    large.start = -1;
    auto small = random_problem(table, 28, 0.1);
    small.samples.resize(300);
    small.targets.resize(300);
    small.weights.resize(300);
    const std::vector<Problem> problems = {small.view(), large.view(), small.view()};
    for (const auto refinement : {Refinement::none, Refinement::full}) {
        OllawvSettings settings;
        settings.ollawv.max_iter = 60;
        settings.refine.refinement = refinement;
        settings.refine.smo.max_iter = 200;
        settings.refine.smo.tol = 0.1;
        check_any_number_of_threads<float>(table.rows(), problems, settings, "large and small");
    }
}

void a_start_of_minus_one_is_the_central_sample() {
    const auto table = random_samples<double>(150, 3, 29);
    auto problem = random_problem(table, 30, 0.1);
    problem.start = -1;
    const std::vector<Problem> problems = {problem.view()};
    Monitor monitor;

    const auto solution =
        solve_all<double>(table.rows(), rbf, problems, OllawvSettings{}, 1, monitor)[0];

    const Index central = central_sample<double>(table.rows(), problem.view());
    check(solution.path_rows[0] == problem.samples[central], "first row of the path");
}

// One selected sample is of one class; the solution must still have finite decisions.
void a_budget_of_one_gives_a_finite_solution() {
    const auto table = random_samples<double>(100, 3, 31);
    const auto problem = random_problem(table, 32, 0.1);
    const std::vector<Problem> problems = {problem.view()};
    OllawvSettings settings;
    settings.ollawv = with_margin(1e6);
    settings.ollawv.max_support = 1;
    Monitor monitor;
    const auto solution = solve_all<double>(table.rows(), rbf, problems, settings, 1, monitor)[0];
    check(std::isfinite(solution.intercept), "max_support = 1: finite intercept");

    Monitor late(1e-9, {});
    const auto cut = solve_all<double>(table.rows(), rbf, problems, settings, 1, late)[0];
    check(std::isfinite(cut.intercept), "out of time at once: finite intercept");
    check(std::isnan(cut.objective), "out of time at once: no objective is claimed");
}

}  // namespace

void test_solvers() {
    three_points_by_hand();
    three_points_as_a_problem();
    learning_rates_and_intercept();
    ollawv_follows_the_plain_algorithm();
    a_larger_margin_continues_the_same_trajectory<float>();
    a_larger_margin_continues_the_same_trajectory<double>();
    a_weight_is_a_number_of_copies();
    a_last_fraction_scales_its_step();
    scores_that_differ_by_rounding_are_ties();
    limits_stop_the_loop();
    max_time_stops_every_problem();
    the_poll_interrupts_and_is_called_by_the_owner_only();
    a_time_limit_beyond_the_clock_is_no_limit();
    two_points_by_hand();
    random_problems_end_at_the_optimum<float>();
    random_problems_end_at_the_optimum<double>();
    shrinking_changes_only_the_way<float>();
    shrinking_changes_only_the_way<double>();
    an_update_limit_is_a_status();
    smo_does_not_depend_on_the_threads();
    smo_finds_its_pairs_in_every_range();
    one_class_gives_a_finite_intercept();
    full_refinement_is_optimal_on_all_samples<float>();
    full_refinement_is_optimal_on_all_samples<double>();
    full_refinement_goes_on_when_all_in_play_are_at_the_bound();
    small_problems_do_not_depend_on_the_threads<float>();
    small_problems_do_not_depend_on_the_threads<double>();
    large_problems_do_not_depend_on_the_threads();
    a_start_of_minus_one_is_the_central_sample();
    a_budget_of_one_gives_a_finite_solution();
}

}  // namespace svmosaic::test
