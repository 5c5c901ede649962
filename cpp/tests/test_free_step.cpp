// Steps of all free variables: what they must keep, and that the objective falls.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/aligned.hpp"
#include "solvers/dual_variables.hpp"
#include "solvers/free_step.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

enum class Kernel { linear, rbf };

// A dual of regression whose variables are anywhere in the box; their sum is zero.
template <class Real>
struct Dual {
    DualVariables v;
    std::vector<double> target;
    std::vector<AlignedVector<Real>> columns;

    // The targets lie around `offset`. The linear kernel is that of two features, so that most
    // directions have no curvature.
    Dual(Index n, Kernel kernel, double offset, double C, std::uint64_t seed) {
        Random random(seed);
        const auto table = random_samples<Real>(n, 2, seed);
        const KernelSpec spec{.kind = kernel == Kernel::rbf ? KernelKind::rbf : KernelKind::linear,
                              .gamma = 0.5};
        const Index padded = (n + 15) / 16 * 16;
        columns.assign(n, AlignedVector<Real>(padded));
        v.epsilon = 0.01;
        v.resize(n, padded);
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < n; ++j) {
                const double value = naive_kernel(spec, table.row(i), table.row(j));
                columns[i][j] = static_cast<Real>(value);
            }
            v.diagonal[i] = static_cast<double>(columns[i][i]);
            target.push_back(offset + random.uniform(-1.0, 1.0));
            v.lower[i] = -C;
            v.upper[i] = C;
        }
        for (Index i = 0; i + 1 < n; i += 2) {
            v.beta[i] = C * random.uniform(0.0, 1.0);
            v.beta[i + 1] = -v.beta[i];
        }
        for (Index i = 0; i < n; ++i) {
            v.gradient[i] = gradient(i);
            v.mark(i);
        }
    }

    double product(Index i) const {
        double sum = 0.0;
        for (Index j = 0; j < v.size; ++j) sum += static_cast<double>(columns[j][i]) * v.beta[j];
        return sum;
    }
    double gradient(Index i) const { return product(i) - target[i]; }
    double sum() const {
        double total = 0.0;
        for (Index i = 0; i < v.size; ++i) total += v.beta[i];
        return total;
    }
    // Of the targets around zero, which is the same and keeps the digits.
    double objective(double offset) const {
        double total = 0.0;
        for (Index i = 0; i < v.size; ++i) {
            total += v.beta[i] * (0.5 * product(i) - (target[i] - offset));
            total += v.epsilon * std::abs(v.beta[i]);
        }
        return total;
    }
    bool is_in_its_box() const {
        for (Index i = 0; i < v.size; ++i) {
            if (v.beta[i] < v.lower[i] || v.beta[i] > v.upper[i]) return false;
        }
        return true;
    }
};

// Takes a few steps by step(v, column), and checks each; returns whether one was taken.
template <class Real, class Step>
bool steps_keep_what_they_must(Index n, Kernel kernel, double offset, double C, std::uint64_t seed,
                               const Step& step) {
    Dual<Real> dual(n, kernel, offset, C, seed);
    const auto column = [&](Index k) { return dual.columns[k].data(); };
    const auto first = dual.v.beta;
    FreeStep<Real> free_step;
    double before = dual.objective(offset);
    for (int round = 0; round < 4; ++round) {
        step(free_step, dual.v, column);
        check(std::abs(dual.sum()) <= 1e-12 * C * static_cast<double>(n), "the sum stays");
        check(dual.is_in_its_box(), "the box is not left");
        for (Index i = 0; i < n; ++i) {
            check_near(dual.v.gradient[i], dual.gradient(i), 1e-11 + 1e-9 * C, "the gradient");
            const double beta = std::abs(dual.v.beta[i]);
            check(beta == C || beta < C * (1.0 - 1e-15), "bounds are reached exactly");
        }
        const double now = dual.objective(offset);
        check(now <= before + 1e-9 * (std::abs(before) + std::abs(now)), "the objective falls");
        before = now;
    }
    return dual.v.beta != first;
}

template <class Real>
void steps_of_many_problems() {
    const auto to_bounds = [](auto& steps, auto& v, const auto& column) {
        steps.take_to_bounds(v, column);
    };
    const auto with_edges = [](auto& steps, auto& v, const auto& column) { steps.take(v, column); };
    for (const Kernel kernel : {Kernel::linear, Kernel::rbf}) {
        for (const double offset : {0.0, 900.0, 3e4, 1e6}) {
            Index n_moved = 0;
            for (std::uint64_t seed = 0; seed < 24; ++seed) {
                const Index n = 2 + 5 * static_cast<Index>(seed);
                const double C = seed % 3 == 0 ? 0.01 : seed % 3 == 1 ? 1.0 : 970.0;
                n_moved += steps_keep_what_they_must<Real>(n, kernel, offset, C, seed, to_bounds);
                steps_keep_what_they_must<Real>(n, kernel, offset, C, seed, with_edges);
            }
            // In single precision these matrices are hardly ever definite.
            const bool is_exact = sizeof(Real) == 8;
            check(!is_exact || n_moved >= 18, "most problems allow steps to bounds");
        }
    }
}

void an_end_in_the_middle_changes_nothing() {
    for (const Index n_columns : {0, 7, 39, 40, 79}) {
        Dual<double> dual(40, Kernel::rbf, 0.0, 1.0, 5);
        const DualVariables before = dual.v;
        Index n_read = 0;
        FreeStep<double> free_step;
        free_step.take_to_bounds(dual.v, [&](Index k) {
            return n_read++ < n_columns ? dual.columns[k].data() : nullptr;
        });
        check(n_read == n_columns + 1, "the first column that is missing is the last one");
        check(dual.v.beta == before.beta && dual.v.gradient == before.gradient,
              "nothing has moved");
    }
}

}  // namespace

void test_free_step() {
    for (const auto level : available_levels()) {
        const ForcedLevel forced(level);
        steps_of_many_problems<float>();
        steps_of_many_problems<double>();
        an_end_in_the_middle_changes_nothing();
    }
}

}  // namespace svmosaic::test
