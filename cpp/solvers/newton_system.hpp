// The equations of a step of many variables at once.
#pragma once

#include <algorithm>
#include <span>

#include "core/aligned.hpp"
#include "core/index.hpp"
#include "core/monitor.hpp"

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

    // For an A that is positive definite but for rounding: `write(a)` writes row a, again with each
    // ridge that is tried until there is a factor. Returns false when there is none, as with nan,
    // and when the monitor says stop.
    template <class Write>
    bool factorise(Index n, const Write& write, Monitor& monitor) {
        for (double ridge = 0.0; ridge < 1.0; ridge = std::max(first_ridge, 10.0 * ridge)) {
            if (monitor.stopped()) return false;
            resize(n);
            for (Index a = 0; a < n; ++a) write(a);
            if (ridge > 0.0) add_ridge(ridge);
            if (factorise(&monitor)) return true;
        }
        return false;
    }
    // Overwrites b with the solution.
    void solve_factored();
    // The same for two others, which end with zeros up to whole vectors.
    void solve_factored(std::span<double> b, std::span<double> c) const;
    // Column `a` of the inverse in z, which is zero.
    void solve_for_column(Index a, std::span<double> z) const;
    Index stride() const { return stride_; }

    std::span<const double> solution() const { return std::span(solution_.data(), n_); }
    std::span<const double> solution_for_ones() const { return std::span(for_ones_.data(), n_); }

  private:
    static constexpr double first_ridge = 1e-6;
    bool factorise(Monitor* monitor = nullptr);

    Index n_ = 0;
    Index stride_ = 0;
    AlignedVector<double> matrix_;
    AlignedVector<double> solution_, for_ones_;
};

}  // namespace svmosaic
