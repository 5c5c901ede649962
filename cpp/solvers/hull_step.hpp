// A step of many variables of the Uniform SVM at once.
#pragma once

#include <vector>

#include "core/monitor.hpp"
#include "solvers/dual_point.hpp"
#include "solvers/newton_system.hpp"

namespace svmosaic {

// Solves       min  1/2 a' Q a,  a >= 0,  sum of a over each class = 1,  over the variables that a
//              DualPoint has above zero. Steps of two variables crawl towards this point where the
//              hulls nearly touch or overlap: there they took a million of them for 200 samples.
// Method       that of Wolfe's nearest point: Q a = u for one class and v for the other, by a
//              triangular factor; on the way there the first variable that reaches zero is left out
//              and the rest is solved again.
// Cost         the cube of their number, as often as one is left out. A step is due when the
//              updates since the last one have cost as much, so that trying can at most double the
//              time; and not before a thousand of them, which most problems do not need.
template <class Real>
class HullStep {
  public:
    // Counts an update of two variables.
    void count() { ++n_updates_; }
    bool due(const DualPoint<Real>& point) const;

    // Moves `point`, where |p - q|^2 is `distance`, if that becomes smaller; else the next try is
    // later. Ends early when the monitor says so.
    void take(DualPoint<Real>& point, double distance, Monitor& monitor);

  private:
    bool solve(DualPoint<Real>& point);
    bool advance();
    void leave_out();
    void rescale(const DualPoint<Real>& point);
    double distance(DualPoint<Real>& point) const;

    Index n_updates_ = 0;
    double patience_ = 1.0;
    std::vector<Index> inside_;   // the variables that are not at zero
    std::vector<double> values_;  // where they are
    std::vector<double> aims_;    // where they go
    NewtonSystem system_;
};

}  // namespace svmosaic
