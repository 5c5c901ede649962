// The L2-SVM in the primal against the conditions of its minimum, and the loops that it is made of
// against plain sums.
#include <cmath>
#include <vector>

#include "core/aligned.hpp"
#include "expansion/decide_linear.hpp"
#include "solvers/primal_newton.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

void squares_are_added_and_subtracted() {
    Random random(21);
    for (const Index n : {1, 3, 8, 12, 23, 24, 25, 47, 90}) {
        for (const Index n_rows : {0, 1, 5, 129, 300}) {
            const Index stride = simd::round_up(n, simd::lanes<double>);
            AlignedVector<double> A(n * stride, 0.0);
            AlignedVector<double> R(std::max<Index>(n_rows, 1) * stride, 0.0);
            for (Index a = 0; a < n; ++a) A[a * stride + a] = 1.0;
            for (Index p = 0; p < n_rows; ++p) {
                for (Index c = 0; c < n; ++c) R[p * stride + c] = random.uniform(-1.0, 1.0);
            }
            simd::algebra().add_squares(A.data(), stride, n, R.data(), n_rows);
            for (Index a = 0; a < n; ++a) {
                for (Index c = a; c < n; ++c) {
                    double expected = a == c ? 1.0 : 0.0;
                    for (Index p = 0; p < n_rows; ++p) {
                        expected += R[p * stride + a] * R[p * stride + c];
                    }
                    check_near(A[a * stride + c], expected, 1e-12, "A + R'R");
                }
            }
            simd::algebra().subtract_squares(A.data(), stride, n, R.data(), n_rows);
            for (Index a = 0; a < n; ++a) {
                for (Index c = a; c < n; ++c) {
                    check_near(A[a * stride + c], a == c ? 1.0 : 0.0, 1e-12, "A + R'R - R'R");
                }
            }
        }
    }
}

template <class Real>
void dot_products_start_anywhere() {
    Random random(22);
    std::vector<Real> x(120);
    std::vector<double> y(120);
    for (Real& value : x) value = static_cast<Real>(random.uniform(-1.0, 1.0));
    for (double& value : y) value = random.uniform(-1.0, 1.0);
    for (const Index begin : {0, 1, 3}) {
        for (const Index n : {0, 1, 7, 8, 9, 31, 32, 33, 100}) {
            double expected = 0.0;
            for (Index k = begin; k < begin + n; ++k) expected += static_cast<double>(x[k]) * y[k];
            check_near(simd::loops<Real>().dot(x.data() + begin, y.data() + begin, n), expected,
                       1e-13, "x'y");
        }
    }
}

// A table with labels that no plane separates; a share of the rows does not take part.
template <class Real>
struct Case {
    Samples<Real> table;
    std::vector<double> targets;
    std::vector<double> norm;

    Case(Index n, Index n_columns, double left_out, bool with_norm, std::uint64_t seed)
        : table(random_samples<Real>(n, n_columns, seed)) {
        targets = random_problem(table, seed, 0.1).targets;
        Random random(seed);
        for (double& y : targets) y = random.uniform(0.0, 1.0) < left_out ? 0.0 : y;
        if (!with_norm) return;
        norm.assign(n_columns * n_columns, 0.1);
        for (Index a = 0; a < n_columns; ++a) norm[a * n_columns + a] += 1.0 + random.uniform(0, 1);
    }

    PrimalProblem<Real> problem(double C) const { return {table.rows(), targets, norm, C}; }
};

// The largest entry of the gradient, relative to that of the losses at the start.
template <class Real>
double slope(const Case<Real>& given, double C, const std::vector<double>& weights) {
    const Index d = given.table.n_columns;
    std::vector<double> gradient(d + 1, 0.0);
    std::vector<double> first(d + 1, 0.0);
    for (Index i = 0; i < given.table.n_rows; ++i) {
        const auto row = given.table.row(i);
        const double y = given.targets[i];
        if (y == 0.0) continue;
        double decision = weights[d];
        for (Index j = 0; j < d; ++j) decision += weights[j] * static_cast<double>(row[j]);
        const double slack = std::max(0.0, 1.0 - y * decision);
        for (Index j = 0; j <= d; ++j) {
            const double x = j < d ? static_cast<double>(row[j]) : 1.0;
            gradient[j] -= C * slack * y * x;
            first[j] -= C * y * x;
        }
    }
    for (Index j = 0; j < d; ++j) {
        if (given.norm.empty()) gradient[j] += weights[j];
        for (Index k = 0; k < d && !given.norm.empty(); ++k) {
            gradient[j] += given.norm[j * d + k] * weights[k];
        }
    }
    gradient[d] += 1e-6 * weights[d];
    double largest = 0.0;
    double scale = 0.0;
    for (Index j = 0; j <= d; ++j) {
        largest = std::max(largest, std::abs(gradient[j]));
        scale = std::max(scale, std::abs(first[j]));
    }
    return largest / scale;
}

template <class Real>
void steps_end_in_the_minimum() {
    const PrimalStopping exact{0.0, 50};
    for (const Index n_columns : {1, 5, 14, 70}) {
        for (const bool with_norm : {false, true}) {
            for (const double left_out : {0.0, 0.5}) {
                // Enough samples for several tasks and panels.
                const Case<Real> given(1500, n_columns, left_out, with_norm, 7 + n_columns);
                for (const double C : {0.1, 100.0}) {
                    std::vector<std::vector<double>> found;
                    for (const Index n_threads : {1, 3}) {
                        ThreadPool pool(n_threads);
                        Monitor monitor;
                        found.push_back(solve_primal(given.problem(C), {}, exact, pool, monitor));
                    }
                    check(found[0] == found[1], "the weights do not depend on threads");
                    check(slope(given, C, found[0]) < 1e-9, "without a start");
                    ThreadPool pool(1);
                    Monitor monitor;
                    const std::vector<double> far(n_columns + 1, 3.0);
                    const auto from_far =
                        solve_primal(given.problem(C), {far, {}}, exact, pool, monitor);
                    check(slope(given, C, from_far) < 1e-9, "from weights");
                    std::vector<double> decisions(given.table.n_rows);
                    decide_linear(given.table.rows(), found[0], std::span(decisions), pool);
                    // From the samples inside the margin one step leads to the end.
                    const auto again =
                        solve_primal(given.problem(C), {{}, decisions}, {1e-4, 0}, pool, monitor);
                    check(slope(given, C, again) < 1e-9, "from decisions");
                }
            }
        }
    }
}

void equations_without_a_solution_do_no_harm() {
    // A feature twice, a norm that does not see it, and nobody who takes part.
    const std::vector<float> values{1, 1, -1, -1, 2, 2};
    const std::vector<double> norm(4, 0.0);
    const PrimalStopping stopping{0.0, 20};
    for (const std::vector<double>& targets :
         {std::vector<double>{1, -1, 1}, std::vector<double>(3, 0.0)}) {
        const PrimalProblem<float> problem{{values.data(), 3, 2}, targets, norm, 1.0};
        ThreadPool pool(1);
        Monitor monitor;
        for (const double weight : solve_primal(problem, {}, stopping, pool, monitor)) {
            check(std::isfinite(weight), "weights are finite");
        }
    }
}

}  // namespace

void test_primal() {
    for (const auto level : available_levels()) {
        const ForcedLevel forced(level);
        squares_are_added_and_subtracted();
        dot_products_start_anywhere<float>();
        dot_products_start_anywhere<double>();
        steps_end_in_the_minimum<float>();
        steps_end_in_the_minimum<double>();
        equations_without_a_solution_do_no_harm();
    }
}

}  // namespace svmosaic::test
