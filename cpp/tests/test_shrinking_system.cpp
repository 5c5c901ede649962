// Equations that lose their variables one after the other, against those without them.
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "solvers/shrinking_system.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

// The kernel of points on a line: the closer they are, the less definite.
double entry(Index a, Index c) {
    const auto distance = static_cast<double>(a - c) / 4.0;
    return std::exp(-distance * distance) + (a == c ? 1e-3 : 0.0);
}

void write(NewtonSystem& system, std::span<const Index> variables, std::span<const double> b) {
    const Index n = ssize(variables);
    system.resize(n);
    for (Index a = 0; a < n; ++a) {
        for (Index c = NewtonSystem::first_column(a); c < n; ++c) {
            system.row(a)[c] = entry(variables[a], variables[c]);
        }
        system.b(a) = b[variables[a]];
    }
}

void solutions_are_those_without_the_fixed() {
    Random random(31);
    for (const Index n : {1, 2, 7, 8, 9, 16, 40, 67}) {
        std::vector<double> b(n);
        for (double& value : b) value = random.uniform(-1.0, 1.0);
        std::vector<Index> left(n);
        std::iota(left.begin(), left.end(), Index{0});
        NewtonSystem system;
        NewtonSystem smaller;
        write(system, left, b);
        ShrinkingSystem equations;
        check(equations.begin(system), "a definite matrix has a factor");
        while (true) {
            check(equations.n_left() == ssize(left), "how many are left");
            write(smaller, left, b);
            check(smaller.solve(), "a part of a definite matrix has a factor");
            for (Index k = 0; k < ssize(left); ++k) {
                check(!equations.is_fixed(left[k]), "not fixed");
                check_near(equations.x(left[k]), smaller.solution()[k], 1e-8, "A x = b");
                check_near(equations.y(left[k]), smaller.solution_for_ones()[k], 1e-8, "A y = 1");
            }
            if (ssize(left) == 1) break;
            const Index k =
                static_cast<Index>(random.uniform(0.0, 1.0) * static_cast<double>(ssize(left)));
            const Index a = left[k];
            equations.fix(a);
            check(equations.is_fixed(a), "fixed");
            check(equations.x(a) == 0.0 && equations.y(a) == 0.0, "a fixed variable is zero");
            left.erase(left.begin() + k);
        }
    }
}

void an_indefinite_matrix_is_refused() {
    const std::vector<Index> variables{0, 1};
    NewtonSystem system;
    write(system, variables, std::vector<double>{1.0, 1.0});
    system.row(1)[1] = -1.0;
    ShrinkingSystem equations;
    check(!equations.begin(system), "an indefinite matrix has no factor");
}

}  // namespace

void test_shrinking_system() {
    for (const auto level : available_levels()) {
        const ForcedLevel forced(level);
        solutions_are_those_without_the_fixed();
        an_indefinite_matrix_is_refused();
    }
}

}  // namespace svmosaic::test
