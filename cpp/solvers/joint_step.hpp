// A step of many variables of an L2-SVM at once.
#pragma once

#include <span>
#include <vector>

#include "core/monitor.hpp"
#include "solvers/dual_point.hpp"
#include "solvers/newton_system.hpp"

namespace svmosaic {

// Solves       min  1/2 a' Q a - sum a,  a >= 0,  over some variables, the others staying at zero:
//              those that a DualPoint has above zero, and as many again that want to rise. Single
//              variables crawl towards this point where C is large.
// Method       Q a = 1 by a triangular factor; what comes out below zero is set to zero and the
//              rest is solved again. Where Q a = 1 the objective is -1/2 sum a.
// Cost         the cube of their number; a step is due when the single updates since the last one
//              have cost as much, so that trying can at most double the time.
template <class Real>
class JointStep {
  public:
    // Counts `n` updates of single variables.
    void count(Index n) { n_updates_ += n; }
    bool due(const DualPoint<Real>& point) const;

    // Looks for the minimum. A variable wants to rise if its gradient is below `threshold`. True if
    // the objective sum a - 1/2 a' Q a is above `least` there; else the next try comes later, as
    // when the monitor stops it.
    bool find(DualPoint<Real>& point, double threshold, double least, Monitor& monitor);
    // Where it lies: a variable and its value.
    struct Value {
        Index variable;
        double value;
    };
    std::span<const Value> values() const { return values_; }
    double sum() const;

  private:
    void choose(const DualPoint<Real>& point, double threshold);
    bool solve(DualPoint<Real>& point);

    Index n_updates_ = 0;
    double patience_ = 1.0;
    std::vector<Value> values_;
    std::vector<Index> inside_;  // the variables that are not set to zero yet
    NewtonSystem system_;
};

}  // namespace svmosaic
