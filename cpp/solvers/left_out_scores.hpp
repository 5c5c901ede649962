// Scores of the rows that splits of a kernel matrix leave out, for one C after the other.
#pragma once

#include <span>
#include <vector>

#include "core/monitor.hpp"
#include "core/rows.hpp"
#include "solvers/smo_problem.hpp"
#include "solvers/tune_plan.hpp"

namespace svmosaic {

// Given        a symmetric kernel matrix, +1 or -1 for each of its rows, splits of them and
//              ascending Cs; the C of the settings is not used.
// Returns      f(x) of the L1-SVM of each training part at the rows that its split leaves out:
//              split after split, and all of that for each C.
// Method       the matrix is read where it is. Each C starts from the coefficients of the one
//              before, which are within its bounds. Once no coefficient is held back by C, all
//              larger C have the same model.
std::vector<double> score_left_out(const PairwiseRows<double>& gram, std::span<const double> signs,
                                   std::span<const Split> splits, std::span<const double> Cs,
                                   const SmoSettings& settings, Monitor& monitor);

}  // namespace svmosaic
