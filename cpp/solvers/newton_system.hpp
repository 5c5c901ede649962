// The equations of a step of many variables at once.
#pragma once

#include <span>

#include "core/aligned.hpp"
#include "core/index.hpp"

namespace svmosaic {

// Solves A x = b and A y = 1 for a symmetric positive definite A by its triangular factor.
class NewtonSystem {
  public:
    // Room for n equations. Row a is then written from column `first_column(a)` up to n, its
    // diagonal included, and b.
    void resize(Index n);
    static Index first_column(Index a) { return a / 8 * 8; }
    double* row(Index a) { return matrix_.data() + a * stride_; }
    double& b(Index a) { return solution_[a]; }
    // A share of the largest diagonal entry is added to the diagonal. A trace of it is for a matrix
    // that may be semi-definite: along directions without curvature the solution is then very long.
    static constexpr double trace = 1e-11;
    void add_ridge(double share = trace);

    // Overwrites A and b. Returns false when A is not positive definite.
    bool solve();
    std::span<const double> solution() const { return std::span(solution_.data(), n_); }
    std::span<const double> solution_for_ones() const { return std::span(for_ones_.data(), n_); }

  private:
    Index n_ = 0;
    Index stride_ = 0;
    AlignedVector<double> matrix_;
    AlignedVector<double> solution_, for_ones_;
};

}  // namespace svmosaic
