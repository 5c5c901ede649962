// The conditions that a solution of the dual meets, variable by variable.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/problem.hpp"

namespace svmosaic {

// The middle of the interval that the gradients leave for the (negated) intercept. With samples of
// one class only, one end is infinite and the other one has to do.
inline double middle_of(double lowest_up, double highest_low) {
    if (!std::isfinite(highest_low)) return std::isfinite(lowest_up) ? lowest_up : 0.0;
    return std::isfinite(lowest_up) ? 0.5 * (lowest_up + highest_low) : highest_low;
}

struct Box {
    double lower;
    double upper;
};

// Box of beta; `bound` is C, times the weight of the sample.
inline Box box_of(Loss loss, double target, double bound) {
    const bool two_sided = loss == Loss::epsilon_insensitive;
    return {two_sided || target < 0 ? -bound : 0.0, two_sided || target > 0 ? bound : 0.0};
}

// The state of one variable of the dual. Its gradient is sum_j k(x, x_j) beta_j - target over all
// variables; `epsilon` is the cost of |beta|, whose slope changes at zero, so that zero is not
// free.
struct VariableState {
    double beta;
    Box box;
    double gradient;
    double epsilon;

    bool may_grow() const { return beta < box.upper; }
    bool may_shrink() const { return beta > box.lower; }
    // The slopes of the objective for growing and for shrinking.
    double up() const { return gradient + (beta >= 0.0 ? epsilon : -epsilon); }
    double low() const { return gradient + (beta > 0.0 ? epsilon : -epsilon); }
    bool is_free() const { return may_grow() && may_shrink() && (beta != 0.0 || epsilon == 0.0); }
    // By how much the variable wants to leave its place; negative if it does not. It is measured
    // against the middle of the interval, not against its far end: two variables can violate the
    // conditions together.
    double excess(double middle) const {
        double excess = -std::numeric_limits<double>::infinity();
        if (may_grow()) excess = middle - up();
        if (may_shrink()) excess = std::max(excess, low() - middle);
        return excess;
    }
};

// What the gradients of some variables say of the intercept.
struct Standing {
    double lowest_up = std::numeric_limits<double>::infinity();     // over those that may grow
    double highest_low = -std::numeric_limits<double>::infinity();  // over those that may shrink
    double sum_free = 0.0;
    Index n_free = 0;
    Index n_at_bound = 0;  // as large as C allows

    void add(const VariableState& v) {
        const bool may_grow = v.may_grow();
        const bool may_shrink = v.may_shrink();
        if (may_grow) lowest_up = std::min(lowest_up, v.up());
        if (may_shrink) highest_low = std::max(highest_low, v.low());
        const bool is_free = may_grow && may_shrink && v.up() == v.low();
        sum_free += is_free ? v.up() : 0.0;
        n_free += is_free ? 1 : 0;
        n_at_bound += v.beta != 0.0 && !(may_grow && may_shrink) ? 1 : 0;
    }
    double middle() const { return middle_of(lowest_up, highest_low); }
    double violation() const { return highest_low - lowest_up; }
    // The mean gradient of the free variables, with its sign changed; without a free variable, the
    // middle of the interval that the optimality conditions leave.
    double intercept() const {
        return n_free > 0 ? -sum_free / static_cast<double>(n_free) : -middle();
    }
};

}  // namespace svmosaic
