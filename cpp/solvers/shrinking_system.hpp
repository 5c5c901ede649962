// The equations of a Newton step whose variables are fixed one after the other.
#pragma once

#include <vector>

#include "core/aligned.hpp"
#include "core/index.hpp"
#include "solvers/newton_system.hpp"

namespace svmosaic {

// Solves A x = b and A y = 1 for a matrix that loses a row and a column, and another one. With a
// column z of the inverse, the equations without variable a have the solutions x - z x_a / z_a and
// y - z y_a / z_a, so that A is factorised once.
class ShrinkingSystem {
  public:
    // Takes the equations that were written into a system, which has to stay as it is until the
    // last variable is fixed. Returns false when A is not positive definite.
    bool begin(NewtonSystem& system);
    Index size() const { return ssize(is_fixed_); }
    Index n_left() const { return size() - ssize(fixed_); }

    // Zero for variables that are fixed.
    double x(Index a) const { return x_[a]; }
    double y(Index a) const { return y_[a]; }
    bool is_fixed(Index a) const { return is_fixed_[a] != 0; }

    // Returns false when rounding leaves nothing to solve: only `is_fixed` is of use then.
    bool fix(Index a);

  private:
    NewtonSystem* system_ = nullptr;
    AlignedVector<double> x_, y_;
    std::vector<Index> fixed_;
    std::vector<char> is_fixed_;
    // The columns of the inverse for the variables in `fixed_`: each is that of the matrix without
    // the variables before.
    std::vector<AlignedVector<double>> columns_;
};

}  // namespace svmosaic
