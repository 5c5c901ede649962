// SMO: sequential minimal optimisation for the duals of the L1-SVM and of epsilon-SVR.
#pragma once

#include <vector>

#include "core/kernel_columns.hpp"
#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "solvers/optimality.hpp"

namespace svmosaic {

struct SmoOptions {
    double tol = 1e-3;      // largest violation of the optimality conditions that is accepted
    Index max_iter = 0;     // updates; 0 means max(10 million, 100 n)
    bool shrinking = true;  // leave out variables that stay at a bound for a while
};

// The variables of the dual in signed form (beta_i = y_i alpha_i, or alpha_i - alpha*_i), in the
// order of the samples of the KernelColumns they belong to.
struct DualState {
    std::vector<Index> sample;   // the caller's number of each variable
    std::vector<double> target;  // t_i: y_i for classification
    std::vector<double> lower;   // bounds of beta_i. Classification: [0, C_i] where y_i = +1,
    std::vector<double> upper;   // [-C_i, 0] where y_i = -1. Regression: [-C_i, C_i].
    std::vector<double> beta;
    std::vector<double> gradient;  // sum_j k(x_i, x_j) beta_j - t_i
    // Places in an order in which like samples are close to each other; empty if nobody knows.
    std::vector<Index> rank;
    Loss loss = Loss::hinge;
    double epsilon = 0.0;  // cost of |beta_i|: 0 for classification

    // Set by the solver.
    double violation = 0.0;  // max over what may shrink - min over what may grow, of the gradient
    double intercept = 0.0;
    SolveCounters counters;
    Status status = Status::converged;

    Index size() const { return sample.size(); }
    // Adds a variable; `value` is sum_j k(x, x_j) beta_j.
    void add(Index number, double target, Box bounds, double beta, double value);
    VariableState variable(Index i) const {
        return {beta[i], {lower[i], upper[i]}, gradient[i], epsilon};
    }
    // Forgets all variables but those numbered here.
    void keep_only(const std::vector<Index>& kept);
};

// Solves       min  1/2 beta' K beta - t' beta + epsilon |beta|_1
//              subject to  sum beta = 0  and  lower <= beta <= upper,
//              which is the dual of the L1-SVM (t = y, epsilon = 0) or of epsilon-SVR.
// Given        a feasible state with its gradient.
// Returns      the state at the solution: violation <= tol, unless a limit was met (status). The
//              order of the variables and of the samples of `columns` may have changed together.
// Method       one variable per sample, also for regression: the slope of epsilon |beta| depends on
//              the side of zero and on the direction, and a step ends at zero at the latest.
//              Pairs (i, j): i the most violating variable that may grow, j the one that promises
//              the largest decrease (second-order selection; Fan, Chen and Lin, JMLR 6, 2005).
//              Many variables are taken in blocks: pairs within those that violate the conditions
//              most, then one pass over all. With `drop_tiny`, tiny coefficients are set to zero
//              when the tolerance is reached, and those that are needed come back.
// Cost         two kernel columns per update, cached by KernelColumns.
template <class Real>
void solve_smo(KernelColumns<Real>& columns, DualState& state, const SmoOptions& settings,
               Monitor& monitor, bool drop_tiny = true);

// The intercept: the mean gradient of the free variables, with its sign changed; without a free
// variable, the middle of the interval that the optimality conditions leave.
double intercept_of(const DualState& state, double middle);

// The dual objective t' beta - 1/2 beta' K beta - epsilon |beta|_1, from the gradient.
double dual_objective(const DualState& state);

}  // namespace svmosaic
