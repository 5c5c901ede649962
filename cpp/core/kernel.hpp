// Every kernel once: its name, its parameters and what the rest of the core has to know about it.
//
// A new kernel is an enumerator and a line of the table here, and its formula in kernel.cpp.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "core/index.hpp"

namespace svmosaic {

enum class KernelKind { linear, poly, rbf, sigmoid, laplacian, precomputed };

struct KernelSpec {
    KernelKind kind = KernelKind::rbf;
    double gamma = 1.0;
    Index degree = 3;
    double coef0 = 0.0;
};

// What a kernel is computed from; it depends on the two rows alone, not on the parameters.
enum class PairValue { dot_product, squared_distance, manhattan_distance };

constexpr bool is_distance(PairValue value) {
    return value != PairValue::dot_product;
}

struct KernelFacts {
    KernelKind kind;
    std::string_view name;
    PairValue computed_from;
    bool uses_gamma = false;
    bool uses_degree = false;
    bool uses_coef0 = false;
    bool is_exponential = false;  // exp(-gamma * distance), which needs no check for overflow
    // For all parameters that are allowed. A matrix given by the caller is taken at its word.
    bool is_positive_definite = true;
    std::optional<double> diagonal = {};  // k(x, x) where it is the same for all x
};

inline constexpr std::array kernels{
    KernelFacts{
        .kind = KernelKind::linear, .name = "linear", .computed_from = PairValue::dot_product},
    KernelFacts{.kind = KernelKind::poly,
                .name = "poly",
                .computed_from = PairValue::dot_product,
                .uses_gamma = true,
                .uses_degree = true,
                .uses_coef0 = true,
                // With coef0 < 0 it need not be.
                .is_positive_definite = false},
    KernelFacts{.kind = KernelKind::rbf,
                .name = "rbf",
                .computed_from = PairValue::squared_distance,
                .uses_gamma = true,
                .is_exponential = true,
                .diagonal = 1.0},
    KernelFacts{.kind = KernelKind::sigmoid,
                .name = "sigmoid",
                .computed_from = PairValue::dot_product,
                .uses_gamma = true,
                .uses_coef0 = true,
                .is_positive_definite = false},
    KernelFacts{.kind = KernelKind::laplacian,
                .name = "laplacian",
                .computed_from = PairValue::manhattan_distance,
                .uses_gamma = true,
                .is_exponential = true,
                .diagonal = 1.0},
    // Pairwise values are read, not computed.
    KernelFacts{.kind = KernelKind::precomputed,
                .name = "precomputed",
                .computed_from = PairValue::dot_product},
};

// The table is in the order of the enumerators.
constexpr const KernelFacts& facts_of(KernelKind kind) {
    return kernels[static_cast<std::size_t>(kind)];
}

// Turns dot products or distances into kernel values in place.
template <class Real>
void apply_kernel(const KernelSpec& kernel, Real* values, Index n);

// Throws std::domain_error, naming the sample, when one of its kernel values is not finite.
template <class Real>
void require_finite(const KernelSpec& kernel, const Real* values, Index n, Index sample);

}  // namespace svmosaic
