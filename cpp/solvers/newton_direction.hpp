// The joint minimiser of the free variables of a dual.
#pragma once

#include <span>
#include <vector>

namespace svmosaic {

// Returns the step d that minimises 1/2 d' A d + s' d subject to sum d = 0, where A is symmetric
// and positive semi-definite, n x n, row-major, and is overwritten. A trace of ridge makes it
// definite: along directions without curvature the step is then very long, and the caller cuts
// it at the first bound. Returns nothing when A is not even then positive definite.
std::vector<double> newton_direction(std::span<double> A, std::span<const double> s);

// The same without the condition on the sum.
std::vector<double> newton_direction_free(std::span<double> A, std::span<const double> s);

}  // namespace svmosaic
