#include <cmath>
#include <stdexcept>

#include "core/packed_rows.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

constexpr KernelSpec spec_of(KernelKind kind) {
    return {kind, 0.7, 3, 0.4};
}

double value_at(const KernelSpec& kernel, double pair_value) {
    AlignedVector<double> values(simd::lanes<double>, pair_value);
    apply_kernel(kernel, values.data(), simd::lanes<double>);
    return values[0];
}

void the_table_is_in_the_order_of_the_kinds() {
    for (Index k = 0; k < ssize(kernels); ++k) {
        check(static_cast<Index>(kernels[k].kind) == k, "found by its kind");
        check(facts_of(kernels[k].kind).name == kernels[k].name, "by facts_of");
        for (Index other = 0; other < k; ++other) {
            check(kernels[other].name != kernels[k].name, "names differ");
        }
    }
}

// A parameter counts if and only if the table says so.
void parameters_are_those_of_the_table() {
    for (const auto& facts : kernels) {
        const KernelSpec kernel = spec_of(facts.kind);
        const double value = value_at(kernel, 0.9);
        KernelSpec other = kernel;
        other.gamma = 1.3;
        check((value_at(other, 0.9) != value) == facts.uses_gamma, "gamma");
        other = kernel;
        other.degree = 2;
        check((value_at(other, 0.9) != value) == facts.uses_degree, "degree");
        other = kernel;
        other.coef0 = -0.2;
        check((value_at(other, 0.9) != value) == facts.uses_coef0, "coef0");
        if (facts.is_exponential) {
            check_near(value, std::exp(-kernel.gamma * 0.9), 1e-15, "exp(-gamma distance)");
            check(is_distance(facts.computed_from), "of a distance");
        }
    }
}

void constant_diagonals_are_the_values_at_distance_zero() {
    const auto table = random_samples<double>(20, 5, 3);
    const Rows<double> rows = table.rows();
    for (const auto& facts : kernels) {
        if (facts.kind == KernelKind::precomputed) continue;
        const KernelSpec kernel = spec_of(facts.kind);
        check(facts.diagonal.has_value() == is_distance(facts.computed_from), "of distances only");
        for (Index i = 0; i < table.n_rows; ++i) {
            check_near(kernel_diagonal(kernel, rows, i),
                       naive_kernel(kernel, table.row(i), table.row(i)), 1e-14, "k(x, x)");
        }
        if (facts.diagonal) check(value_at(kernel, 0.0) == *facts.diagonal, "k at distance 0");
    }
}

// x' K x of random x: never negative where the table promises it, negative for some kernel matrix
// of the others.
void definite_kernels_have_no_negative_curvature() {
    const auto table = random_samples<double>(30, 3, 11);
    Random random(5);
    for (const auto& facts : kernels) {
        if (facts.kind == KernelKind::precomputed) continue;
        double least = 0.0;
        for (const double coef0 : {0.4, -1.0}) {
            const KernelSpec kernel{facts.kind, 2.0, 3, coef0};
            for (int draw = 0; draw < 50; ++draw) {
                std::vector<double> x;
                for (Index i = 0; i < table.n_rows; ++i) x.push_back(random.uniform(-1.0, 1.0));
                double sum = 0.0;
                for (Index i = 0; i < table.n_rows; ++i) {
                    for (Index j = 0; j < table.n_rows; ++j) {
                        sum += x[i] * x[j] * naive_kernel(kernel, table.row(i), table.row(j));
                    }
                }
                least = std::min(least, sum);
            }
        }
        check((least > -1e-9) == facts.is_positive_definite, "positive definite");
    }
}

void values_that_are_not_finite_are_refused() {
    const std::vector<double> values{1.0, std::numeric_limits<double>::infinity()};
    for (const auto& facts : kernels) {
        bool refused = false;
        try {
            require_finite(spec_of(facts.kind), values.data(), 2, 7);
        } catch (const std::domain_error& error) {
            refused = std::string(error.what()).find("sample 7 ") != std::string::npos;
        }
        // exp(-gamma d) is at most 1.
        check(refused != facts.is_exponential, "an overflow is reported with its sample");
    }
}

}  // namespace

void test_kernel() {
    the_table_is_in_the_order_of_the_kinds();
    parameters_are_those_of_the_table();
    constant_diagonals_are_the_values_at_distance_zero();
    definite_kernels_have_no_negative_curvature();
    values_that_are_not_finite_are_refused();
}

}  // namespace svmosaic::test
