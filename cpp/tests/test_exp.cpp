// The exponential of the kernels against that of the standard library, at every level.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/aligned.hpp"
#include "simd/loops.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

template <class Real>
Real exp_of(Real value, double factor) {
    AlignedVector<Real> values(simd::lanes<Real>, value);
    simd::loops<Real>().scaled_exp(values.data(), simd::lanes<Real>, factor);
    return values.back();
}

template <class Real>
void errors_are_those_of_the_scaled_argument() {
    constexpr auto epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
    Random random(3);
    for (const double factor : {-0.7, -1.0, -1e-3, -50.0}) {
        for (int i = 0; i < 2000; ++i) {
            // Half of them where the result is not small.
            const double largest = i % 2 == 0 ? 4.0 : sizeof(Real) == 4 ? 80.0 : 700.0;
            const double exponent = random.uniform(0.0, largest);
            const auto value = static_cast<Real>(exponent / -factor);
            // Rounding the factor and the argument alone changes the result by that much.
            const double allowed = epsilon * (2.0 + 1.5 * exponent);
            const double expected = std::exp(factor * static_cast<double>(value));
            const double found = static_cast<double>(exp_of(value, factor));
            check(std::abs(found / expected - 1.0) <= allowed, "the exponential");
            // That is nothing beside 1, the kernel of a sample with itself.
            check(std::abs(found - expected) <= epsilon, "its absolute error");
        }
    }
}

template <class Real>
void ends_are_exact() {
    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    check(exp_of(Real{0}, -0.3) == Real{1}, "exp(0)");
    check(exp_of(std::numeric_limits<Real>::denorm_min(), -1.0) == Real{1}, "exp(-tiny)");
    check(exp_of(Real{5}, 0.0) == Real{1}, "a factor of zero");
    for (const Real value :
         {Real{1000}, static_cast<Real>(1e30), std::numeric_limits<Real>::max(), infinity}) {
        check(exp_of(value, -2.0) == Real{0}, "what is too small");
    }
    check(std::isnan(exp_of(std::numeric_limits<Real>::quiet_NaN(), -1.0)), "not a number");
    Real before = 1;
    // Down to zero through the smallest numbers, and never up.
    for (double x = 0.0; x < 800.0; x += 0.125) {
        const Real now = exp_of(static_cast<Real>(x), -1.0);
        check(now >= Real{0} && now <= before, "falls");
        before = now;
    }
    check(before == Real{0}, "ends at zero");
}

template <class Real>
void sums_are_those_of_the_exponentials() {
    const auto n = 2 * simd::lanes<Real>;
    Random random(4);
    std::vector<AlignedVector<Real>> columns(5, AlignedVector<Real>(n));
    std::vector<Real*> pointers;
    std::vector<double> factors;
    for (auto& column : columns) {
        for (auto& value : column) value = static_cast<Real>(random.uniform(0.0, 4.0));
        pointers.push_back(column.data());
        factors.push_back(random.uniform(-1.0, 1.0));
    }
    AlignedVector<double> sums(n, 0.5);
    simd::loops<Real>().add_exps(pointers.data(), 5, factors.data(), -0.6, sums.data(), n);
    for (Index i = 0; i < n; ++i) {
        double expected = 0.5;
        for (Index m = 0; m < 5; ++m) {
            expected += factors[m] * std::exp(-0.6 * static_cast<double>(columns[m][i]));
        }
        check_near(sums[i], expected, sizeof(Real) == 4 ? 1e-6 : 1e-14, "a sum");
    }
    std::ranges::fill(sums, 0.5);
    simd::loops<Real>().add_columns(pointers.data(), 5, factors.data(), sums.data(), n);
    for (Index i = 0; i < n; ++i) {
        double expected = 0.5;
        for (Index m = 0; m < 5; ++m) expected += factors[m] * static_cast<double>(columns[m][i]);
        check_near(sums[i], expected, sizeof(Real) == 4 ? 1e-5 : 1e-14, "a sum of columns");
    }
}

template <class Real>
void check_all() {
    errors_are_those_of_the_scaled_argument<Real>();
    ends_are_exact<Real>();
    sums_are_those_of_the_exponentials<Real>();
}

}  // namespace

void test_exp() {
    for (const auto level : available_levels()) {
        const ForcedLevel forced(level);
        check_all<float>();
        check_all<double>();
    }
}

}  // namespace svmosaic::test
