// Parameter tuning of OLLAWV: all candidates on all folds in one call.
#pragma once

#include <span>
#include <vector>

#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "core/rows.hpp"
#include "solvers/solve.hpp"
#include "solvers/tune_plan.hpp"

namespace svmosaic {

enum class MultiClass { ovo, ovr };

struct TuneSettings {
    std::span<const double> gammas;
    std::span<const double> margins;
    std::span<const double> Cs;  // of the refinement
    MultiClass multi_class = MultiClass::ovo;
    OllawvSettings solver;    // its margin and C are not used
    double memory_mb = 2000;  // for kernel values that are read again
};

// What is known of every (gamma, margin, C, fold), the last index running fastest. Cells that a
// stopped run did not reach hold nan.
struct TuneResult {
    // The weight of test samples of class t predicted as class p, at [..., t, p].
    std::vector<double> confusion;
    // Different support vectors of all binary classifiers together.
    std::vector<double> n_support;
};

// Given        a table, class numbers and weights of its rows, and splits of them.
// Returns      the scores that separate fits of each candidate on each training part would get,
//              the same for any number of threads.
// Method       pairwise values (squared distances for rbf) are computed once and serve all gammas;
//              kernel values once per gamma and serve all folds and problems. A selection runs once
//              to the largest margin; refinement starts from the solution for the next smaller C.
//              With refine = full the solution does not depend on the selection, which is left out.
// Memory       two matrices of all pairs (one for one gamma) and, per thread, the columns of one
// problem. Where
//              memory_mb has no room for all threads, fewer solve problems; where the matrices do
//              not fit, kernel columns are computed when needed; see tune_streamed.hpp.
template <class Real>
TuneResult tune_ollawv(const Rows<Real>& rows, const KernelSpec& kernel,
                       std::span<const Index> labels, std::span<const double> weights,
                       std::span<const Split> splits, const TuneSettings& settings, Index n_threads,
                       Monitor& monitor);

}  // namespace svmosaic
