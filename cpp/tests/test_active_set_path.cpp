// Paths of active sets and what they are made of, against plain equations and the conditions of a
// solution; and the exact solution for one C after the other, which ends with such paths.
#include <cmath>
#include <vector>

#include "core/aligned.hpp"
#include "core/infinity.hpp"
#include "core/monitor.hpp"
#include "solvers/active_set_path.hpp"
#include "solvers/bordered_inverse.hpp"
#include "solvers/stored_dual.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

// The loops ---------------------------------------------------------------------------------------

template <class Real>
void the_next_to_leave_is_that_of_a_plain_loop(Index n, Index n_columns) {
    Random random(31);
    std::vector<AlignedVector<Real>> columns(n_columns, AlignedVector<Real>(n));
    std::vector<const Real*> pointers;
    std::vector<double> factors;
    for (auto& column : columns) {
        for (Real& value : column) value = static_cast<Real>(random.uniform(-1.0, 1.0));
        pointers.push_back(column.data());
        factors.push_back(random.uniform(-1.0, 1.0));
    }
    AlignedVector<double> side(n);
    AlignedVector<double> gradient(n);
    for (Index i = 0; i < n; ++i) {
        const Index drawn = random.below(3);
        side[i] = static_cast<double>(drawn - 1);
        gradient[i] = random.uniform(-1.0, 1.0);
    }
    AlignedVector<double> change(n);
    const auto found =
        simd::loops<Real>().next_to_leave(pointers.data(), factors.data(), n_columns, side.data(),
                                          gradient.data(), 0.1, -0.2, change.data(), n);
    simd::Extreme expected{infinity, -1};
    for (Index i = 0; i < n; ++i) {
        double sum = 0.0;
        for (Index m = 0; m < n_columns; ++m) {
            sum += factors[m] * static_cast<double>(columns[m][i]);
        }
        check_near(change[i], sum, 1e-14, "change of the gradient");
        const double slack = side[i] * (gradient[i] + 0.1);
        const double speed = side[i] * (sum - 0.2) - std::max(0.0, -slack);
        if (speed < 0.0 && std::max(0.0, slack) / -speed < expected.value) {
            expected = {std::max(0.0, slack) / -speed, i};
        }
    }
    AlignedVector<double> sums(n, 0.5);
    simd::loops<Real>().add_all_scaled(pointers.data(), factors.data(), n_columns, sums.data(), n);
    for (Index i = 0; i < n; ++i) check_near(sums[i], 0.5 + change[i], 1e-14, "sums of columns");
    check(found.index == expected.index, "the first to leave its bound");
    check_near(found.value, expected.value, 1e-12, "when it leaves");
}

// Several sums of the same columns at once, from any place on.
template <class Real>
void products_with_columns_are_those_of_plain_loops(Index n_columns, Index n_sums) {
    Random random(35);
    const Index n = 5 * simd::lanes<Real>;
    for (const Index begin : {Index{0}, Index{3}}) {
        std::vector<std::vector<Real>> columns(n_columns, std::vector<Real>(begin + n));
        std::vector<const Real*> pointers;
        for (auto& column : columns) {
            for (Real& value : column) value = static_cast<Real>(random.uniform(-1.0, 1.0));
            pointers.push_back(column.data());
        }
        std::vector<double> factors(n_columns * n_sums);
        for (double& factor : factors) factor = random.uniform(-1.0, 1.0);
        const Index stride = n + 16;
        AlignedVector<double> sums(n_sums * stride, 7.0);
        simd::loops<Real>().multiply_columns(pointers.data(), begin, factors.data(), n_columns,
                                             n_sums, sums.data(), stride, n);
        for (Index s = 0; s < n_sums; ++s) {
            for (Index i = 0; i < n; ++i) {
                double sum = 0.0;
                for (Index m = 0; m < n_columns; ++m) {
                    sum += factors[m * n_sums + s] * static_cast<double>(columns[m][begin + i]);
                }
                check_near(sums[s * stride + i], 7.0 + sum, 1e-14, "one of several sums");
            }
            check(sums[s * stride + n] == 7.0, "nothing is written beyond them");
        }
    }
}

// The same as variables that are marked one by one.
void bounds_are_marked_as_one_by_one() {
    Random random(36);
    for (const double epsilon : {0.0, 0.1}) {
        for (const Index n : {1, 8, 45}) {
            DualVariables v;
            v.resize(n, simd::round_up(n, 16));
            v.epsilon = epsilon;
            for (Index k = 0; k < n; ++k) {
                v.lower[k] = random.below(3) == 0 ? 0.0 : -1.0;
                v.upper[k] = random.below(3) == 0 ? 0.0 : 1.0;
                const double places[] = {v.lower[k], v.upper[k], 0.0, 0.5 * v.upper[k]};
                v.beta[k] = places[random.below(4)];
            }
            DualVariables other = v;
            for (Index k = 0; k < n; ++k) other.mark(k);
            v.mark_all();
            check(v.n_free == other.n_free, "the number of free variables");
            for (Index k = 0; k < v.padded(); ++k) {
                check(v.up[k] == other.up[k] && v.low[k] == other.low[k], "marks");
            }
        }
    }
}

void symmetric_products_are_those_of_plain_loops() {
    Random random(32);
    for (const Index n : {1, 2, 7, 8, 15, 16, 17, 40, 65}) {
        const Index stride = simd::round_up(n, 16) + 16;
        AlignedVector<double> A(stride * stride, 0.0);
        AlignedVector<double> x(stride, 0.0);
        AlignedVector<double> y(stride, 0.0);
        for (Index a = 0; a < n; ++a) {
            x[a] = random.uniform(-1.0, 1.0);
            for (Index c = 0; c <= a; ++c) {
                A[a * stride + c] = A[c * stride + a] = random.uniform(-1.0, 1.0);
            }
        }
        const auto before = A;
        simd::algebra().multiply(A.data(), stride, n, x.data(), y.data());
        simd::algebra().add_square(A.data(), stride, n, 0.3, x.data());
        for (Index a = 0; a < n; ++a) {
            double sum = 0.0;
            for (Index c = 0; c < n; ++c) {
                sum += before[a * stride + c] * x[c];
                check_near(A[a * stride + c], before[a * stride + c] + 0.3 * x[a] * x[c], 1e-14,
                           "A + x x'");
            }
            check_near(y[a], sum, 1e-13, "A x");
        }
    }
}

// The inverse -------------------------------------------------------------------------------------

// Variables of a kernel matrix that come and go; their right-hand sides stay the same.
void an_inverse_follows_its_variables() {
    const Index n = 90;
    Random random(33);
    const auto table = random_samples<double>(n, 6, 34);
    const KernelSpec rbf{KernelKind::rbf, 1.0, 3, 0.0};
    const auto value = [&](Index a, Index b) {
        return naive_kernel(rbf, table.row(a), table.row(b));
    };
    std::vector<double> right(n);
    for (double& b : right) b = random.uniform(-1.0, 1.0);
    BorderedInverse inverse;
    std::vector<Index> inside;
    std::vector<Index> outside = count_up(n);
    const auto move = [&](std::vector<Index>& from, std::vector<Index>& to, Index place) {
        const Index k = from[place];
        from[place] = from.back();
        from.pop_back();
        to.push_back(k);
    };
    for (int step = 0; step < 400; ++step) {
        const bool grows = inside.empty() || (!outside.empty() && random.below(5) < 3);
        if (grows) {
            const Index place = random.below(ssize(outside));
            std::vector<double> values;
            for (const Index k : inside) values.push_back(value(outside[place], k));
            const bool ok = inverse.add(values, 1.001, right[outside[place]], 1e-9);
            check(ok, "a definite matrix grows");
            move(outside, inside, place);
        } else {
            const Index place = random.below(ssize(inside));
            check(inverse.remove(place), "a definite matrix shrinks");
            move(inside, outside, place);
        }
        check(inverse.size() == ssize(inside), "number of variables");
        if (inside.empty()) continue;
        double sum = 0.0;
        for (Index a = 0; a < ssize(inside); ++a) {
            sum += inverse.solution(a);
            double left = inverse.multiplier() + 0.001 * inverse.solution(a);
            for (Index c = 0; c < ssize(inside); ++c) {
                left += value(inside[a], inside[c]) * inverse.solution(c);
            }
            // A solution that follows removals is as exact as the inverse.
            check_near(left, right[inside[a]], 1e-8, "K x + multiplier = b");
        }
        check_near(sum, 0.0, 1e-8, "sum x = 0");
    }
    std::vector<double> all{0.25};
    for (const Index k : inside) all.push_back(right[k]);
    inverse.solve(all);
    double sum = 0.0;
    for (Index a = 0; a < ssize(inside); ++a) sum += inverse.solution(a);
    check_near(sum, 0.25, 1e-8, "a sum that is asked for");
}

void a_copy_makes_a_matrix_singular() {
    BorderedInverse inverse;
    check(inverse.add({}, 1.0, 0.0, 1e-9), "the first one");
    const std::vector<double> same{1.0};
    check(!inverse.add(same, 1.0, 0.0, 1e-9), "a copy is refused");
    check(inverse.size() == 1, "and nothing has changed");
    const std::vector<double> other{0.5};
    check(inverse.add(other, 1.0, 0.0, 1e-9), "another one is not");
}

// The path ----------------------------------------------------------------------------------------

// A dual of a classification with its kernel matrix.
template <class Real>
struct SmallDual {
    DualVariables v;
    AlignedVector<Real> matrix;
    std::vector<double> targets;

    SmallDual(Index n, const KernelSpec& kernel, double C, std::uint64_t seed) {
        const auto table = random_samples<Real>(n, 3, seed);
        targets = random_problem(table, seed + 1, 0.2).targets;
        Random random(seed + 2);
        const Index padded = simd::round_up(n, simd::lanes<Real>);
        v.resize(n, padded);
        matrix.assign(n * padded, Real{0});
        for (Index a = 0; a < n; ++a) {
            for (Index b = 0; b < n; ++b) {
                const double value = naive_kernel(kernel, table.row(a), table.row(b));
                matrix[a * padded + b] = static_cast<Real>(value);
            }
            v.diagonal[a] = static_cast<double>(matrix[a * padded + a]);
            const double bound = C * random.uniform(0.5, 2.0);
            v.lower[a] = targets[a] > 0.0 ? 0.0 : -bound;
            v.upper[a] = targets[a] > 0.0 ? bound : 0.0;
            v.gradient[a] = -targets[a];
            v.mark(a);
        }
    }
    const Real* row(Index k) const { return matrix.data() + k * v.padded(); }
    auto rows() const {
        return [this](Index k) { return row(k); };
    }
    // Feasible, and not optimal: some pairs have moved by chance.
    void shake(std::uint64_t seed) {
        Random random(seed);
        for (Index step = 0; step < v.size; ++step) {
            const Index i = random.below(v.size);
            const Index j = random.below(v.size);
            if (i == j) continue;
            const double room = std::min(v.upper[i] - v.beta[i], v.beta[j] - v.lower[j]);
            const double delta = room * (random.below(2) == 0 ? 1.0 : 0.3);
            v.beta[i] = std::min(v.upper[i], v.beta[i] + delta);
            v.beta[j] = std::max(v.lower[j], v.beta[j] - delta);
            v.mark(i);
            v.mark(j);
        }
        set_gradient();
    }
    void set_gradient() {
        for (Index k = 0; k < v.size; ++k) {
            v.gradient[k] = -targets[k];
            for (Index m = 0; m < v.size; ++m) {
                v.gradient[k] += v.beta[m] * static_cast<double>(row(m)[k]);
            }
        }
    }
    double violation() const {
        double lowest = infinity;
        double highest = -infinity;
        for (Index k = 0; k < v.size; ++k) {
            if (v.beta[k] < v.upper[k]) lowest = std::min(lowest, v.gradient[k]);
            if (v.beta[k] > v.lower[k]) highest = std::max(highest, v.gradient[k]);
        }
        return highest - lowest;
    }
    void check_feasible(double sum_before) const {
        double sum = 0.0;
        double scale = 1.0;
        for (Index k = 0; k < v.size; ++k) {
            check(v.beta[k] >= v.lower[k] && v.beta[k] <= v.upper[k], "inside the box");
            const bool is_inside = v.beta[k] > v.lower[k] && v.beta[k] < v.upper[k];
            check(v.is_free(k) == is_inside, "free variables are marked");
            sum += v.beta[k];
            scale += std::abs(v.beta[k]);
        }
        check_near(sum / scale, sum_before / scale, 1e-10, "the sum stays");
    }
};

template <class Real>
void a_path_ends_at_the_solution() {
    constexpr bool is_double = std::is_same_v<Real, double>;
    for (const double gamma : {0.01, 0.5, 8.0}) {
        // The matrix of a flat kernel has no inverse but for rounding.
        const bool is_flat = gamma < 0.1;
        const KernelSpec rbf{KernelKind::rbf, gamma, 3, 0.0};
        for (const double C : {0.01, 1.0, 100.0}) {
            for (const Index n : {2, 3, 17, 60}) {
                SmallDual<Real> dual(n, rbf, C, 40 + n);
                if (n > 3) dual.shake(50 + n);
                double sum = 0.0;
                for (Index k = 0; k < n; ++k) sum += dual.v.beta[k];
                ActiveSetPath<Real> path;
                const bool arrived = path.follow(dual.v, 100 * n, dual.rows());
                dual.check_feasible(sum);
                dual.set_gradient();
                // Where nothing violates the conditions there is no path.
                check(arrived || is_flat || !is_double || dual.violation() <= 1e-6,
                      "it gets there");
                if (!arrived) continue;
                check(dual.violation() <= (is_double && !is_flat ? 1e-6 : 1e-2),
                      "the conditions of a solution");
            }
        }
    }
}

void a_path_that_is_cut_short_is_no_worse() {
    const KernelSpec rbf{KernelKind::rbf, 0.5, 3, 0.0};
    for (const Index most : {1, 2, 5, 20}) {
        SmallDual<double> dual(60, rbf, 10.0, 61);
        dual.shake(62);
        const double before = dual.violation();
        ActiveSetPath<double> path;
        const bool arrived = path.follow(dual.v, most, dual.rows());
        check(!arrived && path.n_pieces() == most, "it is cut short");
        dual.check_feasible(0.0);
        dual.set_gradient();
        check(dual.violation() <= before + 1e-9, "the violation has not grown");
        check(path.follow(dual.v, 10'000, dual.rows()), "the next one gets there");
        dual.set_gradient();
        check(dual.violation() <= 1e-6, "the conditions of a solution");
    }
}

void fixed_variables_stay_where_they_are() {
    const KernelSpec rbf{KernelKind::rbf, 0.5, 3, 0.0};
    SmallDual<double> dual(40, rbf, 1.0, 71);
    for (Index k = 0; k < 40; k += 3) {
        dual.v.lower[k] = dual.v.upper[k] = 0.0;
        dual.v.mark(k);
    }
    ActiveSetPath<double> path;
    check(path.follow(dual.v, 10'000, dual.rows()), "the others find their solution");
    for (Index k = 0; k < 40; k += 3) check(dual.v.beta[k] == 0.0, "a fixed variable");
    dual.check_feasible(0.0);
}

// Copies of samples, in both classes: the matrix is singular, and many changes are due at once.
void a_path_among_copies_ends() {
    const KernelSpec rbf{KernelKind::rbf, 0.5, 3, 0.0};
    SmallDual<double> dual(48, rbf, 5.0, 81);
    const Index padded = dual.v.padded();
    const auto of = [](Index k) { return k % 6; };
    auto copies = dual.matrix;
    for (Index a = 0; a < 48; ++a) {
        for (Index b = 0; b < 48; ++b) copies[a * padded + b] = dual.matrix[of(a) * padded + of(b)];
    }
    dual.matrix = copies;
    ActiveSetPath<double> path;
    path.follow(dual.v, 10'000, dual.rows());
    dual.check_feasible(0.0);
    dual.set_gradient();
    check(std::isfinite(dual.violation()), "numbers");
}

// Without a positive definite matrix there is no inverse, and nothing becomes what is no number.
void an_indefinite_matrix_has_no_path() {
    const KernelSpec rbf{KernelKind::rbf, 0.5, 3, 0.0};
    SmallDual<double> dual(24, rbf, 10.0, 85);
    const Index padded = dual.v.padded();
    for (Index a = 0; a < 24; ++a) {
        for (Index b = 0; b < 24; ++b) dual.matrix[a * padded + b] = 0.0;
        dual.v.diagonal[a] = dual.matrix[a * padded + a] = a % 2 == 0 ? 1.0 : -1.0;
    }
    dual.shake(86);
    double sum = 0.0;
    for (Index k = 0; k < 24; ++k) sum += dual.v.beta[k];
    ActiveSetPath<double> path;
    path.follow(dual.v, 1000, dual.rows());
    dual.check_feasible(sum);
    for (Index k = 0; k < 24; ++k) check(std::isfinite(dual.v.beta[k]), "a number");
}

// The exact solution for one C after the other ----------------------------------------------------

template <class Real>
struct StoredProblem {
    AlignedVector<Real> values;
    Index stride = 0;
    std::vector<Index> samples;
    std::vector<int> places;
    std::vector<double> targets, weights, diagonal;
    PlaceRange range{0, 0};

    StoredProblem(Index n, const KernelSpec& kernel, double share_of_positive, std::uint64_t seed) {
        const auto table = random_samples<Real>(n, 4, seed);
        Random random(seed + 1);
        stride = simd::round_up(n, simd::lanes<Real>);
        values.assign(n * stride, Real{0});
        range = {0, stride};
        for (Index a = 0; a < n; ++a) {
            for (Index b = 0; b < n; ++b) {
                values[a * stride + b] =
                    static_cast<Real>(naive_kernel(kernel, table.row(a), table.row(b)));
            }
            samples.push_back(a);
            places.push_back(static_cast<int>(a));
            targets.push_back(a == 0 || random.uniform(0.0, 1.0) < share_of_positive ? 1.0 : -1.0);
            weights.push_back(random.uniform(0.2, 3.0));
            diagonal.push_back(static_cast<double>(values[a * stride + a]));
        }
    }
    void bind(StoredDual<Real>& dual) const {
        dual.bind({values.data(), stride}, std::span(&range, 1),
                  {samples, places, targets, weights, diagonal});
    }
    // The conditions of a solution for this C, from the coefficients alone.
    void check_solution(const StoredDual<Real>& dual, double C, double tol) const {
        const auto beta = dual.beta();
        double lowest = infinity;
        double highest = -infinity;
        double sum = 0.0;
        for (Index k = 0; k < ssize(beta); ++k) {
            double gradient = -targets[k];
            for (Index m = 0; m < ssize(beta); ++m) {
                gradient += beta[m] * static_cast<double>(values[m * stride + k]);
            }
            const double alpha = targets[k] * beta[k];
            check(alpha >= 0.0 && alpha <= C * weights[k] * (1.0 + 1e-12), "inside the box");
            const bool at_top = alpha >= C * weights[k] * (1.0 - 1e-12);
            if (targets[k] > 0.0 ? !at_top : alpha > 0.0) lowest = std::min(lowest, gradient);
            if (targets[k] > 0.0 ? alpha > 0.0 : !at_top) highest = std::max(highest, gradient);
            sum += beta[k];
        }
        check_near(sum / (1.0 + C), 0.0, 1e-9, "the coefficients sum up to zero");
        check(highest - lowest <= tol * 1.01 + 1e-6 * C, "the conditions of a solution");
    }
};

// Balanced or not, starting at the bounds or at zero, with few variables and with working sets.
template <class Real>
void every_C_has_its_solution() {
    Monitor monitor;
    StoredDual<Real> dual;
    for (const double gamma : {0.02, 1.0}) {
        const KernelSpec rbf{KernelKind::rbf, gamma, 3, 0.0};
        for (const double share : {0.5, 0.9, 0.05}) {
            for (const Index n : {Index{2}, Index{30}, Index{150}, Index{1300}}) {
                if (n == 1300 && share != 0.5) continue;
                const StoredProblem<Real> problem(n, rbf, share, 90 + n);
                problem.bind(dual);
                for (const double C : {0.001, 0.1, 1.0, 10.0}) {
                    check(dual.solve(C, 1e-3, 10'000'000, monitor), "it is not stopped");
                    problem.check_solution(dual, C, 1e-3);
                }
            }
        }
    }
}

// With a small C nobody is free, and the start at the bounds is the solution but for a few steps.
void a_small_C_starts_at_its_solution() {
    const KernelSpec rbf{KernelKind::rbf, 0.02, 3, 0.0};
    const StoredProblem<double> problem(150, rbf, 0.4, 95);
    Monitor monitor;
    StoredDual<double> dual;
    problem.bind(dual);
    check(dual.solve(1e-4, 1e-3, 10'000'000, monitor), "it is not stopped");
    problem.check_solution(dual, 1e-4, 1e-3);
    check(dual.n_updates() <= 20, "few steps are left");
}

// Sums of huge values overflow; the start is zero then.
void huge_kernel_values_start_at_zero() {
    StoredProblem<double> problem(20, {KernelKind::rbf, 1.0, 3, 0.0}, 0.5, 97);
    for (double& value : problem.values) value *= 1e308;
    for (double& value : problem.diagonal) value *= 1e308;
    Monitor monitor;
    StoredDual<double> dual;
    problem.bind(dual);
    for (const double C : {1e3, 1e4, 1e5}) {
        dual.solve(C, 1e-3, 1000, monitor);
        for (const double beta : dual.beta()) check(std::isfinite(beta), "a number");
    }
}

}  // namespace

void test_active_set_path() {
    for (const auto level : available_levels()) {
        const ForcedLevel forced(level);
        for (const Index blocks : {1, 2, 5, 9}) {
            for (const Index n_columns : {0, 1, 7}) {
                the_next_to_leave_is_that_of_a_plain_loop<float>(blocks * simd::lanes<float>,
                                                                 n_columns);
                the_next_to_leave_is_that_of_a_plain_loop<double>(blocks * simd::lanes<double>,
                                                                  n_columns);
            }
        }
        for (const Index n_columns : {0, 1, 9}) {
            for (const Index n_sums : {1, 3, 4, 8}) {
                products_with_columns_are_those_of_plain_loops<float>(n_columns, n_sums);
                products_with_columns_are_those_of_plain_loops<double>(n_columns, n_sums);
            }
        }
        bounds_are_marked_as_one_by_one();
        symmetric_products_are_those_of_plain_loops();
        an_inverse_follows_its_variables();
        a_path_ends_at_the_solution<float>();
        a_path_ends_at_the_solution<double>();
    }
    a_copy_makes_a_matrix_singular();
    a_path_that_is_cut_short_is_no_worse();
    fixed_variables_stay_where_they_are();
    a_path_among_copies_ends();
    an_indefinite_matrix_has_no_path();
    every_C_has_its_solution<float>();
    every_C_has_its_solution<double>();
    a_small_C_starts_at_its_solution();
    huge_kernel_values_start_at_zero();
}

}  // namespace svmosaic::test
