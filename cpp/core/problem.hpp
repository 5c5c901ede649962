// The shared vocabulary: a Problem goes down, a Solution comes up.
#pragma once

#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "core/index.hpp"
#include "core/kernel.hpp"
#include "core/solve_counters.hpp"

namespace svmosaic {

// What a deviation of f(x) from the target costs.
enum class Loss {
    hinge,               // max(0, 1 - y f), targets +1 or -1
    epsilon_insensitive  // max(0, |f - t| - epsilon), real targets
};

// Why a solver stopped.
enum class Status {
    converged,    // the solver's own stopping rule holds
    max_iter,     // the limit on iterations came first
    max_support,  // the budget of support vectors is spent
    max_time,     // the limit on seconds came first
    exhausted,    // no sample is left to select
    indefinite,   // the kernel is not positive semidefinite and there is no solution
    interrupted   // the caller asked to stop
};

// One binary problem over some rows of a shared table. Borrowed and read-only.
struct Problem {
    std::span<const Index> samples;   // the rows that take part; their order breaks ties
    std::span<const double> targets;  // +1 or -1, or real values; one per sample
    std::span<const double> weights;  // how often each sample counts
    Index start = -1;                 // where an online solver begins; -1: at the central sample
};

// One kernel expansion f(x) = sum_j coef[j] k(row support[j], x) + intercept.
struct Solution {
    std::vector<Index> support;  // rows of the table, in the order of the problem's samples
    std::vector<double> coef;    // signed, one per support vector
    double intercept = 0.0;
    Status status = Status::converged;
    Index n_iter = 0;        // steps of the online loop
    double violation = 0.0;  // where the last solver stood when it stopped
    double objective = std::numeric_limits<double>::quiet_NaN();  // dual objective, exact solver
    double dual_gap = std::numeric_limits<double>::quiet_NaN();   // primal minus dual, all samples
    double width = std::numeric_limits<double>::quiet_NaN();      // margin or tube of a nu-SVM
    SolveCounters counters;
    PhaseSeconds seconds;

    // The recorded trajectory of an online solver, one entry per step.
    std::vector<Index> path_rows;         // the row taken
    std::vector<double> path_steps;       // what was added to its coefficient, for C = 1
    std::vector<double> path_violations;  // the worst y f(x) after the step, for C = 1
};

constexpr std::string_view name_of(Status status) {
    switch (status) {
        case Status::converged:
            return "converged";
        case Status::max_iter:
            return "max_iter";
        case Status::max_support:
            return "max_support";
        case Status::max_time:
            return "max_time";
        case Status::exhausted:
            return "exhausted";
        case Status::indefinite:
            return "indefinite";
        case Status::interrupted:
            return "interrupted";
    }
    return "unknown";
}

}  // namespace svmosaic
