// The triangular factor against the equations that it solves, at every level and size of a panel.
#include <vector>

#include "solvers/newton_system.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

// G'G + n I for a random G, which is well conditioned.
std::vector<double> definite_matrix(Index n, Random& random) {
    std::vector<double> G(n * n);
    for (double& value : G) value = random.uniform(-1.0, 1.0);
    std::vector<double> A(n * n, 0.0);
    for (Index k = 0; k < n; ++k) {
        for (Index a = 0; a < n; ++a) {
            for (Index c = 0; c < n; ++c) A[a * n + c] += G[k * n + a] * G[k * n + c];
        }
    }
    for (Index a = 0; a < n; ++a) A[a * n + a] += static_cast<double>(n);
    return A;
}

void write(NewtonSystem& system, const std::vector<double>& A, const std::vector<double>& b) {
    const Index n = b.size();
    system.resize(n);
    for (Index a = 0; a < n; ++a) {
        for (Index c = NewtonSystem::first_column(a); c < n; ++c) {
            system.row(a)[c] = A[a * n + c];
        }
        system.b(a) = b[a];
    }
}

void solutions_meet_their_equations() {
    Random random(11);
    NewtonSystem system;
    for (const Index n : {1, 2, 5, 8, 31, 32, 33, 63, 64, 65, 67, 96, 97, 130, 161, 200, 291}) {
        const auto A = definite_matrix(n, random);
        std::vector<double> b(n);
        for (double& value : b) value = random.uniform(-1.0, 1.0);
        write(system, A, b);
        check(system.solve(), "a definite matrix has a factor");
        for (Index a = 0; a < n; ++a) {
            double of_b = 0.0;
            double of_ones = 0.0;
            for (Index c = 0; c < n; ++c) {
                of_b += A[a * n + c] * system.solution()[c];
                of_ones += A[a * n + c] * system.solution_for_ones()[c];
            }
            check_near(of_b, b[a], 1e-12, "A x = b");
            check_near(of_ones, 1.0, 1e-12, "A y = 1");
        }
    }
}

void indefinite_matrices_have_no_factor() {
    Random random(12);
    NewtonSystem system;
    for (const Index n : {3, 40, 70, 150}) {
        // Negative in each panel in turn.
        for (const Index bad : {Index{0}, n / 2, n - 1}) {
            auto A = definite_matrix(n, random);
            A[bad * n + bad] = -1.0;
            write(system, A, std::vector<double>(n, 1.0));
            check(!system.solve(), "an indefinite matrix has no factor");
        }
    }
}

}  // namespace

void test_newton_system() {
    for (const auto level : available_levels()) {
        const ForcedLevel forced(level);
        solutions_meet_their_equations();
        indefinite_matrices_have_no_factor();
    }
}

}  // namespace svmosaic::test
