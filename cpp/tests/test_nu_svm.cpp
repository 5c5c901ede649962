#include <cmath>
#include <vector>

#include "solvers/nu_svm.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

constexpr KernelSpec linear{KernelKind::linear, 1.0, 3, 0.0};
constexpr KernelSpec rbf{KernelKind::rbf, 1.0, 3, 0.0};

// Points on a line.
struct Line {
    std::vector<double> values;
    ProblemArrays problem;
    Rows<double> rows() const { return DenseRows<double>{values.data(), ssize(values), 1}; }
};

Line line_of(std::vector<double> values, std::vector<double> targets) {
    const Index n = ssize(values);
    return {std::move(values), {count_up(n), std::move(targets), std::vector<double>(n, 1.0), 0}};
}

Line noisy(Index n) {
    Random random(11);
    std::vector<double> values, targets;
    for (Index i = 0; i < n; ++i) {
        const double x = random.uniform(-2.0, 2.0);
        values.push_back(x);
        targets.push_back(x + random.uniform(-1.0, 1.0) > 0.0 ? 1.0 : -1.0);
    }
    return line_of(values, targets);
}

Solution run(const Line& line, const KernelSpec& kernel, const NuSettings& settings,
             Monitor& monitor) {
    ThreadPool pool(1);
    const auto rows = line.rows();
    KernelColumns<double> columns(rows, line.problem.samples, kernel, 1'000'000, pool);
    return solve_nu_svm(line.problem.view(), settings, columns, monitor);
}

Solution run(const Line& line, const KernelSpec& kernel, const NuSettings& settings) {
    Monitor monitor;
    return run(line, kernel, settings, monitor);
}

double sum_of(const std::vector<double>& values) {
    double sum = 0.0;
    for (const double value : values) sum += value;
    return sum;
}

// x = 3, 1 and -1, -3, nu = 0.4: each class has the sum 0.8, which x = 1 and x = -1 take. Then
// w = 1.6, the margin r = 1.6, and f(x) = x is 1 at the margin.
void classification_by_hand() {
    NuSettings settings;
    settings.nu = 0.4;
    settings.smo.tol = 1e-9;
    const auto solution =
        run(line_of({3.0, 1.0, -1.0, -3.0}, {1.0, 1.0, -1.0, -1.0}), linear, settings);
    check(solution.support == std::vector<Index>{1, 2}, "the samples at the margin");
    check_near(solution.coef[0], 0.5, 1e-9, "coefficient");
    check_near(solution.coef[1], -0.5, 1e-9, "coefficient");
    check_near(solution.intercept, 0.0, 1e-9, "intercept");
    check_near(solution.width, 1.6, 1e-9, "margin");
    check_near(solution.objective, -0.5, 1e-9, "objective");
    check_near(solution.dual_gap, 0.0, 1e-9, "gap");
}

// All of the smallest x: beta = 1 for x = 1, so that f(x) = x - 1.
void one_class_by_hand() {
    NuSettings settings;
    settings.task = NuTask::one_class;
    settings.nu = 1.0 / 3.0;
    settings.smo.tol = 1e-9;
    const auto solution = run(line_of({3.0, 1.0, 2.0}, {0.0, 0.0, 0.0}), linear, settings);
    check(solution.support == std::vector<Index>{1}, "the sample nearest to the origin");
    check_near(solution.coef[0], 1.0, 1e-9, "coefficient");
    check(solution.intercept <= -1.0 && solution.intercept >= -2.0, "between two samples");
    check_near(solution.dual_gap, 0.0, 1e-9, "gap");
}

// t = x is linear: a tube of no width holds all samples.
void regression_by_hand() {
    NuSettings settings;
    settings.task = NuTask::regression;
    settings.C = 100.0;
    settings.smo.tol = 1e-9;
    const auto solution =
        run(line_of({0.0, 1.0, 2.0, 3.0}, {0.0, 1.0, 2.0, 3.0}), linear, settings);
    double slope = 0.0;
    for (Index k = 0; k < ssize(solution.coef); ++k) {
        slope += solution.coef[k] * static_cast<double>(solution.support[k]);
    }
    check_near(slope, 1.0, 1e-6, "slope");
    check_near(solution.intercept, 0.0, 1e-6, "intercept");
    check_near(solution.width, 0.0, 1e-6, "width of the tube");
    check_near(sum_of(solution.coef), 0.0, 1e-9, "sum");
}

void shrinking_leaves_the_solution() {
    const Line line = noisy(900);
    for (const NuTask task : {NuTask::classification, NuTask::regression, NuTask::one_class}) {
        NuSettings settings;
        settings.task = task;
        settings.nu = 0.3;
        settings.smo.tol = 1e-5;
        const auto shrunk = run(line, rbf, settings);
        settings.smo.shrinking = false;
        const auto whole = run(line, rbf, settings);
        check(shrunk.status == Status::converged, "converged");
        check(shrunk.violation <= 1e-5, "on all samples");
        check_near(shrunk.intercept, whole.intercept, 1e-2, "intercept");
        check_near(shrunk.objective, whole.objective, 1e-3, "objective");
    }
}

void limits_are_told() {
    const Line line = noisy(200);
    NuSettings settings;
    settings.smo.max_iter = 2;
    const auto few = run(line, rbf, settings);
    check(few.status == Status::max_iter && few.n_iter == 2, "limit on updates");
    Monitor monitor;
    monitor.stop(Status::max_time);
    const auto late = run(line, rbf, {}, monitor);
    check(late.status == Status::max_time, "a stopped start is no solution");
    check(std::isnan(late.dual_gap), "and claims no gap");
}

}  // namespace

void test_nu_svm() {
    classification_by_hand();
    one_class_by_hand();
    regression_by_hand();
    shrinking_leaves_the_solution();
    limits_are_told();
}

}  // namespace svmosaic::test
