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
    // For each sample, its place in an order of like samples (see order_by_clusters), or empty.
    std::span<const Index> rank = {};
};

// Half the distance between the smallest and the largest target: 1 for two classes.
double half_range(std::span<const double> targets);

// Rows of the table for samples of a problem.
std::vector<Index> rows_of(const Problem& problem, std::span<const Index> samples);

// Coefficients for all samples of a problem, feasible, and sum_j k(x, x_j) beta_j for those that
// are in play or have a coefficient.
struct Start {
    std::vector<double> beta;
    std::vector<double> value;

    // All coefficients are 0.
    explicit Start(Index n_samples) : beta(n_samples, 0.0), value(n_samples, 0.0) {}
};

// The state of sample i of the problem.
VariableState variable_of(const DualTask& task, Index i, double beta, double value);

// The state with the samples of the problem that are numbered here.
DualState state_of(const DualTask& task, std::span<const Index> samples, const Start& start);

// Solves       the dual of the L1-SVM or of epsilon-SVR on all samples of a problem.
// Given        where to start, and the columns of the samples to begin with (in_play), which must
//              have room for all samples of the problem. The coefficients of the other samples are
//              at a bound.
// Returns      the expansion; violation and dual_gap refer to all samples.
// Method       SMO on the samples in play; then the worst violators among the others join. Samples
//              that are far from moving leave: those beyond the margin whose coefficient is 0, and
//              those on its wrong side whose coefficient is as large as C allows. It ends when no
//              sample violates the conditions.
// Cost         that of SMO on the samples in play, and per round one kernel value for each pair of
//              a coefficient that changed and a sample not in play.
template <class Real>
Solution solve_in_rounds(KernelColumns<Real>& columns, const DualTask& task,
                         std::span<const Index> in_play, const Start& start, Monitor& monitor);

// The support vectors to begin with, of a large problem: those not at a bound, or not far from
// moving.
std::vector<Index> near_margin(const DualTask& task, const Start& start);

// Smaller problems are solved with all samples in play.
inline constexpr Index least_for_rounds = 2000;

}  // namespace svmosaic
