// SMO: sequential minimal optimisation for the L1 dual.
#pragma once

#include <vector>

#include "core/kernel_columns.hpp"
#include "core/monitor.hpp"
#include "core/problem.hpp"

namespace svmosaic {

struct SmoSettings {
    double tol = 1e-3;      // largest violation of the optimality conditions that is accepted
    Index max_iter = 0;     // updates; 0 means max(10 million, 100 n)
    bool shrinking = true;  // leave out variables that stay at a bound for a while
};

// The variables of the dual in signed form, beta_i = y_i alpha_i, in the order of the samples of
// the KernelColumns they belong to.
struct DualState {
    std::vector<std::size_t> sample;  // the caller's number of each variable
    std::vector<double> target;       // t_i: y_i for classification
    std::vector<double> lower;        // bounds of beta_i: [0, C_i] where y_i = +1,
    std::vector<double> upper;        //                   [-C_i, 0] where y_i = -1
    std::vector<double> beta;
    std::vector<double> gradient;  // sum_j k(x_i, x_j) beta_j - t_i

    // Set by the solver.
    double violation = 0.0;  // max over what may shrink - min over what may grow, of the gradient
    double intercept = 0.0;
    Index n_updates = 0;
    Status status = Status::converged;

    std::size_t size() const { return sample.size(); }
    // Adds a variable of a classification problem at beta = 0; `value` is sum_j k(x, x_j) beta_j.
    void add(std::size_t number, double y, double bound, double value);
    // Forgets all but the first n variables.
    void resize(std::size_t n);
};

// Solves       min  1/2 beta' K beta - t' beta   subject to  sum beta = 0, lower <= beta <= upper,
//              which for t = y is the dual of the L1-SVM.
// Given        a feasible state with its gradient.
// Returns      the state at the solution: violation <= tol, unless a limit was met (status). The
//              order of the variables and of the samples of `columns` may have changed together.
// Method       pairs (i, j): i the most violating variable that may grow, j the one that promises
//              the largest decrease (second-order selection; Fan, Chen and Lin, JMLR 6, 2005).
// Cost         two kernel columns per update, cached by KernelColumns.
template <class Real>
void solve_smo(KernelColumns<Real>& columns, DualState& state, const SmoSettings& settings,
               Monitor& monitor);

// The middle of the interval that the gradients leave for the (negated) intercept. With samples of
// one class only, one end is infinite and the other one has to do.
double middle_of(double lowest_up, double highest_low);

// The dual objective sum_i t_i beta_i - 1/2 beta' K beta, from the gradient.
double dual_objective(const DualState& state);

}  // namespace svmosaic
