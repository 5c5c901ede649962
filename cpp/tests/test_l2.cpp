#include <cmath>
#include <stdexcept>
#include <vector>

#include "core/sampling.hpp"
#include "solvers/minimal_norm.hpp"
#include "solvers/nnisda.hpp"
#include "solvers/simple_smo.hpp"
#include "solvers/uniform.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

constexpr KernelSpec linear{KernelKind::linear, 1.0, 3, 0.0};
constexpr KernelSpec rbf{KernelKind::rbf, 3.0, 3, 0.0};

// Points on a line, the positive ones to the right.
struct Line {
    std::vector<double> values;
    ProblemArrays problem;
    Rows<double> rows = DenseRows<double>{values.data(), ssize(values), 1};
};

Line two_points() {
    return {{1.0, -1.0}, {count_up(2), {1.0, -1.0}, {1.0, 1.0}, 0}};
}

// Many points with noisy labels.
Line noisy(Index n) {
    Sampler random(7);
    Line line;
    line.problem.samples = count_up(n);
    for (Index i = 0; i < n; ++i) {
        const double x = static_cast<double>(random.below(20'001)) / 10'000.0 - 1.0;
        line.values.push_back(x);
        const bool flipped = random.below(10) == 0;
        line.problem.targets.push_back((x > 0.0) != flipped ? 1.0 : -1.0);
        line.problem.weights.push_back(1.0);
    }
    line.rows = DenseRows<double>{line.values.data(), n, 1};
    return line;
}

template <class Solve>
Solution with_columns(const Line& line, const KernelSpec& kernel, const Solve& solve) {
    ThreadPool pool(1);
    KernelColumns<double> columns(line.rows, line.problem.samples, kernel, 0, pool);
    return solve(columns);
}

Solution run_nnisda(const Line& line, const KernelSpec& kernel, const NnisdaSettings& settings) {
    Monitor monitor;
    return with_columns(line, kernel, [&](KernelColumns<double>& columns) {
        return solve_nnisda(line.problem.view(), settings, columns, monitor);
    });
}

Solution run_minimal_norm(const Line& line, const KernelSpec& kernel,
                          const MinimalNormSettings& settings) {
    ThreadPool pool(1);
    Monitor monitor;
    return solve_minimal_norm(line.rows, kernel, line.problem.view(), settings, 1'000'000, pool,
                              monitor);
}

Solution run_uniform(const Line& line, double C) {
    Monitor monitor;
    UniformSettings settings;
    settings.C = C;
    return with_columns(line, linear, [&](KernelColumns<double>& columns) {
        return solve_uniform(line.problem.view(), settings, columns, monitor);
    });
}

// x = 1 and -1: Q = [[3, 0], [0, 3]] for C = 1, so a = 1/3, f(x) = 2/3 x, objective 1/3.
void l2_of_two_points_by_hand() {
    const Line line = two_points();
    const auto one = run_nnisda(line, linear, {});
    const auto other = run_minimal_norm(line, linear, {});
    for (const auto& solution : {one, other}) {
        check_near(solution.coef[0], 1.0 / 3.0, 1e-12, "coefficient");
        check_near(solution.coef[1], -1.0 / 3.0, 1e-12, "coefficient");
        check_near(solution.intercept, 0.0, 1e-12, "intercept");
        check_near(solution.objective, 1.0 / 3.0, 1e-12, "objective");
        check_near(solution.dual_gap, 0.0, 1e-12, "gap");
    }
}

// A large problem goes through draws; looking at everyone gives the same solution.
void draws_reach_the_same_solution() {
    const Line line = noisy(2000);
    MinimalNormSettings everyone;
    everyone.draw = 0;
    everyone.tol = 1e-4;
    MinimalNormSettings drawn = everyone;
    drawn.draw = 50;
    const auto all = run_minimal_norm(line, rbf, everyone);
    const auto some = run_minimal_norm(line, rbf, drawn);
    const auto single = run_nnisda(line, rbf, {1.0, 1e-4, 0, 0.0});
    check_near(some.objective, all.objective, 1e-6, "objective of the draws");
    check_near(single.objective, all.objective, 1e-6, "objective of NNISDA");
    check(some.dual_gap <= 1e-5 * some.objective, "gap over all samples");
    check(some.status == Status::converged, "verified on all samples");
}

// p = 1, q = -1, |p - q|^2 = 4: s = min(C / 2, 1/2).
void uniform_by_hand() {
    const Line line = two_points();
    const auto hard = run_uniform(line, 10.0);
    check_near(hard.coef[0], 0.5, 1e-12, "hard margin");
    check_near(hard.objective, 0.5, 1e-12, "objective");
    const auto soft = run_uniform(line, 0.5);
    check_near(soft.coef[0], 0.25, 1e-12, "s = C / 2");
    check_near(soft.objective, 0.375, 1e-12, "objective");
    const auto none = run_uniform(noisy(60), 3.0);
    check(none.support.empty() && none.intercept == 0.0, "overlapping hulls give f = 0");
    check(none.objective == 3.0 && none.dual_gap == 0.0, "the slack is 1");
}

void simple_smo_keeps_its_constraints() {
    const Line line = noisy(80);
    for (const Bounds bounds :
         {Bounds::per_sample, Bounds::uniform_feasible, Bounds::uniform_printed}) {
        Monitor monitor;
        SimpleSmoSettings settings;
        settings.bounds = bounds;
        settings.C = 2.0;
        settings.max_iter = 20;
        const auto solution = with_columns(line, rbf, [&](KernelColumns<double>& columns) {
            return solve_simple_smo(line.problem.view(), settings, columns, monitor);
        });
        double sum = 0.0;
        double signed_sum = 0.0;
        for (const double coef : solution.coef) {
            sum += std::abs(coef);
            signed_sum += coef;
        }
        check_near(signed_sum, 0.0, 1e-9, "sum a y = 0");
        if (bounds == Bounds::uniform_feasible) check(sum <= 2.0 + 1e-9, "sum a <= C");
    }
}

void indefinite_kernels_are_told() {
    const Line line = two_points();
    const std::vector<double> negative{-9.0, 0.0, 0.0, -9.0};
    const Rows<double> pairs = PairwiseRows<double>{negative.data(), 2, 2, true};
    ThreadPool pool(1);
    Monitor monitor;
    const auto solution =
        solve_minimal_norm(pairs, KernelSpec{KernelKind::precomputed, 1.0, 3, 0.0},
                           line.problem.view(), {}, 0, pool, monitor);
    check(solution.status == Status::indefinite, "a kernel with negative k(x, x)");
}

}  // namespace

void test_l2() {
    l2_of_two_points_by_hand();
    draws_reach_the_same_solution();
    uniform_by_hand();
    simple_smo_keeps_its_constraints();
    indefinite_kernels_are_told();
}

}  // namespace svmosaic::test
