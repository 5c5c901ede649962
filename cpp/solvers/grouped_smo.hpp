// SMO for duals with several equality constraints: one for the sum of each group of variables.
#pragma once

#include <vector>

#include "core/kernel_columns.hpp"
#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "solvers/optimality.hpp"
#include "solvers/smo.hpp"

namespace svmosaic {

// Variables whose sum is fixed, one for each sample of the problem; where a sample has none in this
// group, both bounds are zero.
struct DualGroup {
    std::vector<double> beta, lower, upper;

    explicit DualGroup(Index n_samples)
        : beta(n_samples, 0.0), lower(n_samples, 0.0), upper(n_samples, 0.0) {}
    Index size() const { return ssize(beta); }
};

// The coefficient of a sample is the sum of its variables in all groups.
struct GroupedState {
    std::vector<double> target;  // t_i
    std::vector<DualGroup> groups;
    std::vector<double> gradient;  // sum_j k(x_i, x_j) beta_j - t_i

    // Set by the solver.
    std::vector<double> multiplier;  // of each group: the gradient of its free variables
    double violation = 0.0;
    SolveCounters counters;
    Status status = Status::converged;

    Index size() const { return ssize(target); }
    double coefficient(Index i) const {
        double sum = 0.0;
        for (const auto& group : groups) sum += group.beta[i];
        return sum;
    }
};

// Solves       min  1/2 beta' K beta - t' beta,  beta the sum of the groups, subject to the bounds
//              and to the sums of the groups as they are at the start. These are the duals of the
//              nu-SVMs and, with one group, of the one-class SVM.
// Given        a feasible state with its gradient, and the columns of its samples.
// Returns      the state at the solution: no group is violated by more than tol, unless a limit was
//              met (status). The order of the samples of `columns` may have changed.
// Method       that of smo.hpp within the group that is violated most. All groups see the same
//              gradient, so that a pair of one is a pass over it for each.
// Cost         two kernel columns per update, cached by KernelColumns.
template <class Real>
void solve_grouped_smo(KernelColumns<Real>& columns, GroupedState& state,
                       const SmoOptions& settings, Monitor& monitor);

// The dual objective t' beta - 1/2 beta' K beta, from the gradient.
double dual_objective(const GroupedState& state);

// The primal objective minus the dual one, for the multipliers found: what each variable could
// still gain if the others had no say.
double dual_gap(const GroupedState& state);

}  // namespace svmosaic
