// The inverse of a small system with a constraint, kept up to date while variables come and go.
#pragma once

#include <span>

#include "core/aligned.hpp"
#include "core/index.hpp"

namespace svmosaic {

// The inverse of   ( 0  1' )   for a symmetric K that is positive definite where sums are zero,
//                  ( 1  K  )   and the solution for one right-hand side.
// Cost         for one variable more or fewer, or a solution: the square of their number.
class BorderedInverse {
  public:
    void clear() { n_ = 0; }
    Index size() const { return n_; }

    // Adds a variable behind the others: its values with them and with itself, and its right-hand
    // side. Returns false when the pivot is not above the least one; nothing has changed then.
    bool add(std::span<const double> values, double diagonal, double right, double least_pivot);
    // Removes a variable; the last one takes its place. Returns false when rounding has spoilt the
    // inverse; it has to be cleared then.
    bool remove(Index variable);

    // Solves for (multiplier, variables), from the same on the right-hand side.
    void solve(std::span<const double> right);
    double multiplier() const { return solution_[0]; }
    double solution(Index variable) const { return solution_[variable + 1]; }
    double& solution(Index variable) { return solution_[variable + 1]; }
    // For a right-hand side that has been multiplied.
    void scale_solution(double factor) {
        for (Index a = 0; a <= n_; ++a) solution_[a] *= factor;
    }

  private:
    // Rows and columns 0 are those of the multiplier.
    double* row(Index a) { return matrix_.data() + a * stride_; }
    void make_room(Index n);

    Index n_ = 0;
    Index stride_ = 0;
    AlignedVector<double> matrix_;
    AlignedVector<double> solution_, column_, right_;
};

}  // namespace svmosaic
