// The exact dual on many samples, in rounds: solve on some, let the worst of the others join.
#pragma once

#include <span>
#include <vector>

#include "core/kernel_columns.hpp"
#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "solvers/smo.hpp"

namespace svmosaic {

struct DualTask {
    const Problem& problem;
    double C = 1.0;  // upper bound of a coefficient, times the weight of its sample
    Loss loss = Loss::hinge;
    double epsilon = 0.0;  // half the width of the tube, for regression
    SmoOptions smo;
};

// Half the distance between the smallest and the largest target: 1 for two classes.
double half_range(std::span<const double> targets);

// Rows of the table for samples of a problem.
std::vector<Index> rows_of(const Problem& problem, std::span<const Index> samples);

// The state with the samples of the problem that are numbered here, all at beta = 0.
DualState state_of(const DualTask& task, std::span<const Index> samples);

// Solves       the dual of the L1-SVM or of epsilon-SVR on all samples of a problem.
// Given        the samples to begin with, with feasible coefficients and their gradients, and their
//              columns, which must have room for all samples of the problem. All other samples have
//              the coefficient 0.
// Returns      the expansion; violation and dual_gap refer to all samples.
// Method       SMO on the samples in play; then the worst violators among the others join, and
//              those that joined in vain leave, until no sample violates the conditions.
// Cost         that of SMO on the samples in play, and per round one kernel value for each pair of
//              a coefficient that changed and a sample not in play.
template <class Real>
Solution solve_in_rounds(KernelColumns<Real>& columns, const DualTask& task, DualState state,
                         Monitor& monitor);

// Smaller problems are solved with all samples in play.
inline constexpr Index least_for_rounds = 2000;

}  // namespace svmosaic
