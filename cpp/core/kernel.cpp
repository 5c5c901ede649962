#include "core/kernel.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "simd/loops.hpp"

namespace svmosaic {

namespace {

double power(double base, Index exponent) {
    double result = 1.0;
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 == 1) result *= base;
        base *= base;
    }
    return result;
}

}  // namespace

template <class Real>
void apply_kernel(const KernelSpec& kernel, Real* values, Index n) {
    switch (kernel.kind) {
        case KernelKind::rbf:
        case KernelKind::laplacian:
            simd::loops<Real>().scaled_exp(values, n, -kernel.gamma);
            break;
        case KernelKind::poly:
            for (Index i = 0; i < n; ++i) {
                const double base = kernel.gamma * static_cast<double>(values[i]) + kernel.coef0;
                values[i] = static_cast<Real>(power(base, kernel.degree));
            }
            break;
        case KernelKind::sigmoid:
            for (Index i = 0; i < n; ++i) {
                const double base = kernel.gamma * static_cast<double>(values[i]) + kernel.coef0;
                values[i] = static_cast<Real>(std::tanh(base));
            }
            break;
        case KernelKind::linear:
        case KernelKind::precomputed:
            break;
    }
}

template <class Real>
void require_finite(const KernelSpec& kernel, const Real* values, Index n, Index sample) {
    if (facts_of(kernel.kind).is_exponential) return;
    // A sum of zeros, unless a value is infinite or not a number.
    Real sum = 0;
    for (Index i = 0; i < n; ++i) sum += values[i] * Real{0};
    if (sum == Real{0}) return;
    throw std::domain_error(
        "A kernel value of sample " + std::to_string(sample) +
        " is not finite. Scale the features or change the kernel's parameters.");
}

template void apply_kernel(const KernelSpec&, float*, Index);
template void apply_kernel(const KernelSpec&, double*, Index);
template void require_finite(const KernelSpec&, const float*, Index, Index);
template void require_finite(const KernelSpec&, const double*, Index, Index);

}  // namespace svmosaic
