// OLLAWV: OnLine Learning Algorithm using Worst-Violators.
#pragma once

#include "core/kernel_columns.hpp"
#include "core/monitor.hpp"
#include "core/problem.hpp"

namespace svmosaic {

enum class LearningRate { two_over_sqrt, one_over_sqrt, one_over };

// What a caller wants of a selection besides the solution.
struct SelectionUse {
    Index enough = 0;           // when positive, the selection may end after this many steps
    bool keep_columns = false;  // columns stay in the cache: they will be read again
};

struct OllawvOptions {
    double margin = 0.1;  // M / C: the loop ends when no sample has y f(x) / C below it
    LearningRate learning_rate = LearningRate::two_over_sqrt;
    bool fit_intercept = true;    // beta of the paper
    double max_iter_share = 0.5;  // the loop takes at most this share of the total weight ...
    Index max_iter = 0;           // ... or this many steps, when positive
    Index max_support = 0;        // at most this many different samples, when positive
};

// Solves       min  1/2 |w|^2 + C sum_i max(0, 1 - y_i f(x_i))      approximately, by one pass of
// stochastic steps, each on the sample that is worst off (Algorithm 5.1 of Melki, 2019).
//
// Given        the columns of a kernel, targets +1 or -1, weights, and the sample to begin with.
// Returns      the path and the intercept for C = 1 (labels do not depend on C, because every
//              quantity is proportional to it); path_rows holds positions in problem.samples.
// Stops when   the worst y f(x) reaches the margin, or a limit is met, or no sample is left.
// Cost         one kernel column per step. Where several at once take little longer than one, those
//              of the next worst samples are computed ahead and kept until they are used.
//
// Unlike line 3 of the algorithm, the first sample is the caller's choice, not row 0.
// A sample of weight w may be taken until its weight is used up, as w copies of it would be; a last
// fraction r < 1 scales its step by r. In line 9, n is the sum of the weights.
// Equal scores go to the first sample; scores that differ by rounding only count as equal.
template <class Real>
Solution solve_ollawv(const Problem& problem, Index start, const OllawvOptions& settings,
                      KernelColumns<Real>& columns, Monitor& monitor, const SelectionUse& use = {});

}  // namespace svmosaic
