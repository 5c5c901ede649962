// OLLA-L2: OnLine Learning Algorithm, List 2.
#pragma once

#include <span>
#include <vector>

#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "core/rows.hpp"
#include "solvers/online.hpp"

namespace svmosaic {

struct OllaL2Settings {
    double C = 1.0;
    Index epochs = 2;  // e of the paper
    VisitOrder order = VisitOrder::shuffled;
    double beta = 1.0;  // the intercept's share of a step; 0 for none
    Index budget = 0;   // at most this many support vectors, when positive
    Index seed = 0;
    double cache_mb = 200.0;
};

// Solves       min  1/2 |w|^2 + C sum_i max(0, 1 - y_i f(x_i))      approximately, by Algorithm 6.1
// of Melki (2019):
//
//              eta = 2 / sqrt(t)
//              if y_i o_i <= 1:  Lambda = eta C y_i;  P = eta alpha_i;  S = S + i
//                                alpha_i = alpha_i + (Lambda - P);  b = b + (Lambda - P) beta
//
// Given        a table, a kernel, and tasks: samples, targets, weights, the model to continue.
// Returns      alpha, b and S; they are also the state.
// Stops when   all visits are done (status exhausted), or the monitor says so.
// Cost         one kernel column per violator, one more per support vector that leaves.
//
// Unlike line 14, which computes the output of the next sample from S, the outputs of all samples
// still to come are kept up to date: the same numbers, and no kernel value for a sample that is
// no violator. A visit of share r counts r in t and scales the step by r.
//
// With a budget, the support vector of smallest |alpha| leaves, the oldest of equal ones. The one
// that was just updated stays: its step is the smallest so far, and nothing would ever be learnt.
template <class Real>
std::vector<OnlineSolution> solve_olla_l2(const Rows<Real>& rows, const KernelSpec& kernel,
                                          std::span<const OnlineTask> tasks,
                                          const OllaL2Settings& settings, Index n_threads,
                                          Monitor& monitor);

}  // namespace svmosaic
