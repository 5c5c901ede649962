#include <cmath>
#include <vector>

#include "core/boundary_pairs.hpp"
#include "core/kernel_columns.hpp"
#include "solvers/dual_descent.hpp"
#include "solvers/online_svm.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

// Whole numbers in a small box: ties and copies.
std::vector<double> grid_values(Index n, Index d, unsigned seed) {
    std::mt19937 engine(seed);
    std::vector<double> values;
    for (Index i = 0; i < n * d; ++i) values.push_back(static_cast<double>(engine() % 5U));
    return values;
}

double squared(const DenseRows<double>& rows, Index i, Index j) {
    double sum = 0.0;
    for (Index f = 0; f < ssize(rows.row(i)); ++f) {
        const double difference = rows.row(i)[f] - rows.row(j)[f];
        sum += difference * difference;
    }
    return sum;
}

void pairs_are_those_of_brute_force() {
    for (const Index n : {2, 17, 300}) {
        for (const Index d : {1, 3}) {
            const auto values = grid_values(n, d, static_cast<unsigned>(n + d));
            const DenseRows<double> rows{values.data(), n, d};
            std::vector<Index> first;
            std::vector<Index> second;
            for (Index i = 0; i < n; ++i) (i % 3 == 0 ? first : second).push_back(i);
            ThreadPool pool(2);
            Monitor monitor;
            const auto found = boundary_pairs(rows, first, second, pool, monitor);
            Index at_pair = 0;
            for (const Index i : first) {
                for (const Index j : second) {
                    bool empty = true;
                    for (Index k = 0; k < n && empty; ++k) {
                        empty = squared(rows, i, k) + squared(rows, j, k) >= squared(rows, i, j);
                    }
                    if (!empty) continue;
                    const bool same = at_pair < ssize(found.first) && found.first[at_pair] == i &&
                                      found.second[at_pair] == j;
                    check(same, "the next pair");
                    ++at_pair;
                }
            }
            check(at_pair == ssize(found.first), "no other pair");
            const auto middle = midpoints(rows, found.first, found.second, pool);
            for (Index p = 0; p < ssize(found.first); ++p) {
                const double distance = squared(rows, found.first[p], found.second[p]);
                check(std::abs(4.0 * middle.radii[p] * middle.radii[p] - distance) < 1e-9,
                      "half the distance");
            }
        }
    }
}

void a_stopped_search_returns() {
    const auto values = grid_values(600, 3, 1);
    const DenseRows<double> rows{values.data(), 600, 3};
    std::vector<Index> first(count_up(300));
    std::vector<Index> second;
    for (Index i = 300; i < 600; ++i) second.push_back(i);
    ThreadPool pool(1);
    Monitor monitor;
    monitor.stop(Status::interrupted);
    check(boundary_pairs(rows, first, second, pool, monitor).first.empty(), "nothing is found");
}

void dual_descent_meets_the_conditions() {
    const Index n = 60;
    const auto values = grid_values(n, 2, 3);
    const Rows<double> rows = DenseRows<double>{values.data(), n, 2};
    ProblemArrays problem{count_up(n), {}, std::vector<double>(n, 1.0), 0};
    for (Index i = 0; i < n; ++i) problem.targets.push_back(i % 2 == 0 ? 1.0 : -1.0);
    const KernelSpec kernel{KernelKind::rbf, 0.7, 3, 0.0};
    ThreadPool pool(1);
    Monitor monitor;
    for (const double C : {0.1, 10.0}) {
        KernelColumns<double> columns(rows, problem.samples, kernel, 1 << 20, pool);
        DualDescentSettings settings;
        settings.C = C;
        settings.tol = 1e-6;
        const auto solution = solve_dual_descent(problem.view(), settings, columns, monitor);
        check(solution.status == Status::converged, "converged");
        check(solution.dual_gap <= 1e-4 * C * static_cast<double>(n), "small gap");
        for (Index j = 0; j < ssize(solution.coef); ++j) {
            const double y = problem.targets[solution.support[j]];
            check(y * solution.coef[j] > 0.0 && y * solution.coef[j] <= C, "within the box");
        }
    }
}

void an_online_run_can_be_cut() {
    const Index n = 40;
    const auto values = grid_values(n, 2, 5);
    const DenseRows<double> rows{values.data(), n, 2};
    ProblemArrays problem{count_up(n), {}, std::vector<double>(n, 1.0), 0};
    for (Index i = 0; i < n; ++i) problem.targets.push_back(i % 2 == 0 ? 1.0 : -1.0);
    const std::vector<Index> boundary = count_up(5);
    Monitor monitor;
    OnlineSvmSettings settings;
    settings.max_iter = 200;
    const OnlineSvmTask fresh{{problem.view(), {}, {}, 0.0, 0.0}, boundary};
    const auto whole =
        solve_online_svm(rows, rows, 0.5, std::span(&fresh, 1), settings, 1, monitor);
    settings.max_iter = 70;
    const auto part = solve_online_svm(rows, rows, 0.5, std::span(&fresh, 1), settings, 2, monitor);
    const OnlineSvmTask later{{problem.view(), part[0].support, part[0].coef, 0.0, part[0].t},
                              boundary};
    settings.max_iter = 130;
    const auto rest = solve_online_svm(rows, rows, 0.5, std::span(&later, 1), settings, 1, monitor);
    check(rest[0].coef == whole[0].coef, "the same coefficients");
    check(rest[0].support == whole[0].support, "the same samples");
    check(rest[0].t == 200.0, "t counts visits");
}

}  // namespace

void test_boundary() {
    pairs_are_those_of_brute_force();
    a_stopped_search_returns();
    dual_descent_meets_the_conditions();
    an_online_run_can_be_cut();
}

}  // namespace svmosaic::test
