// The exact dual on some of its variables, while the others stay where they are.
#pragma once

#include <span>
#include <vector>

#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "core/rows.hpp"
#include "solvers/smo.hpp"

namespace svmosaic {

struct PartSettings {
    SmoOptions smo;
    double cache_mb = 200.0;
};

// Variables of the dual in signed form (see DualState), with the gradient over all variables, those
// elsewhere included.
struct DualPart {
    std::span<const Index> samples;  // rows of the table
    std::span<const double> lower;
    std::span<const double> upper;
    std::span<const double> beta;
    std::span<const double> gradient;
    double epsilon = 0.0;
};

// Solves       the dual of the L1-SVM or of epsilon-SVR in the variables of each part, whose sum
//              stays what it is.
// Returns      one Solution per part, the same for any number of threads: the samples whose
//              coefficient is not zero, and the state of the part. It has no intercept.
template <class Real>
std::vector<Solution> solve_parts(const Rows<Real>& rows, const KernelSpec& kernel,
                                  std::span<const DualPart> parts, const PartSettings& settings,
                                  Index n_threads, Monitor& monitor);

}  // namespace svmosaic
