// What a solved dual says of itself: support vectors, objectives, gap.
#pragma once

#include <vector>

#include "core/problem.hpp"
#include "solvers/smo.hpp"

namespace svmosaic {

struct Support {
    std::vector<Index> rows;
    std::vector<double> coef;
};

// Support vectors in the order of the problem's samples.
Support support_of(const Problem& problem, const DualState& state);

// Loss of a sample whose decision value is known, without its bound.
double loss_of(const DualState& state, double target, double decision);

// Writes expansion, status and figures into `solution` and adds the counters. `loss_outside` is the
// loss of the samples that are not in the state, bounds included.
void report(const Problem& problem, const DualState& state, double loss_outside,
            const Monitor& monitor, Solution& solution);

}  // namespace svmosaic
