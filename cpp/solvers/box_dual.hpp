// The dual of the L1-SVM or of epsilon-SVR on some hundred variables at most, with their kernel
// matrix at hand.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "core/aligned.hpp"
#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "simd/loops.hpp"

namespace svmosaic {

// What the gradients of some variables say of the intercept.
struct Standing {
    double lowest_up = std::numeric_limits<double>::infinity();     // over those that may grow
    double highest_low = -std::numeric_limits<double>::infinity();  // over those that may shrink
    double sum_free = 0.0;
    Index n_free = 0;
    Index n_at_bound = 0;  // as large as C allows

    // `epsilon` is the cost of |beta|: its slope changes at zero, so that zero is not free.
    void add(double beta, double lower, double upper, double gradient, double epsilon) {
        const bool may_grow = beta < upper;
        const bool may_shrink = beta > lower;
        const double up = beta >= 0.0 ? epsilon : -epsilon;
        const double low = beta > 0.0 ? epsilon : -epsilon;
        if (may_grow) lowest_up = std::min(lowest_up, gradient + up);
        if (may_shrink) highest_low = std::max(highest_low, gradient + low);
        const bool is_free = may_grow && may_shrink && up == low;
        sum_free += is_free ? gradient + up : 0.0;
        n_free += is_free ? 1 : 0;
        n_at_bound += beta != 0.0 && !(may_grow && may_shrink) ? 1 : 0;
    }
    double violation() const { return highest_low - lowest_up; }
    // The mean gradient of the free variables, with its sign changed; without a free variable, the
    // middle of the interval that the optimality conditions leave.
    double intercept() const;
};

// How far beta is best stretched when all bounds grow by `ratio`, from t'beta - epsilon |beta|_1
// and beta'K beta.
double best_stretch(double linear, double quadratic, double ratio);

// Solves       min  1/2 beta' K beta - t' beta + epsilon |beta|_1   subject to  a fixed sum of beta
//              and lower <= beta <= upper, from where the variables are.
// Method       pairs by second-order selection, as in smo.hpp. In between, all variables that are
//              not at a bound move together to their joint minimum: a Newton step on the equality
//              constrained quadratic, in which variables that would leave the box are set to its
//              edge and the rest is solved again. Pairs find out who is at a bound, joint steps do
//              the slow rest. A joint step is made when the pairs since the last one have cost as
//              much as it will, and more rarely after one that failed. The slope of epsilon |beta|
//              changes at zero, so for both kinds of step a variable's box ends there.
template <class Real>
class BoxDual {
  public:
    // Makes room for n variables. Their matrix is then filled by the caller, row by row.
    void resize(Index n);
    Index size() const { return n_; }
    Real* matrix_row(Index i) { return matrix_.data() + i * padded_; }
    // The cost of |beta|, 0 unless set; the variables stay where they are.
    void set_epsilon(double epsilon);
    // `gradient` is sum_j k(x_i, x_j) beta_j - target over all variables, those elsewhere included.
    void set(Index i, double diagonal, double target, double lower, double upper, double beta,
             double gradient);

    // Multiplies all bounds by `ratio` >= 1 and beta by what is best between 1 and `ratio`: the
    // dual objective along s beta is s (t'beta - epsilon |beta|_1) - s^2/2 beta'K beta. The
    // variables here must be all there are.
    void stretch(double ratio);

    // Returns the number of pair steps. Ends when the violation is at most tol, when no pair can
    // move, after max_updates, or when the monitor says stop.
    Index solve(double tol, Index max_updates, Monitor& monitor);

    double beta(Index i) const { return beta_[static_cast<std::size_t>(i)]; }
    std::span<const double> betas() const { return {beta_.data(), static_cast<std::size_t>(n_)}; }
    std::span<const double> gradients() const {
        return {gradient_.data(), static_cast<std::size_t>(n_)};
    }
    // Where the variables stand, for the intercept.
    Standing standing() const;

  private:
    double violation() const { return extremes_.highest_low - extremes_.lowest_up.value; }
    // Inside its box, with one slope to both sides.
    bool is_free(std::size_t k) const { return up_[k] == low_[k]; }
    // How far a step may go: to the bound, or to zero before it.
    double highest(std::size_t k) const {
        return epsilon_ > 0.0 && beta_[k] < 0.0 ? 0.0 : upper_[k];
    }
    double lowest(std::size_t k) const {
        return epsilon_ > 0.0 && beta_[k] > 0.0 ? 0.0 : lower_[k];
    }
    void mark(std::size_t k);
    void look();
    bool pair_step();
    bool joint_step();
    double joint_step_cost() const;
    // The parts of a joint step.
    bool find_direction();
    bool solve_inside();
    void write_system(Index stride);
    bool take_direction();
    template <class Visit>
    void for_moving(const Visit& visit) {
        for (const std::size_t k : inside_) visit(k);
        for (const std::size_t k : edge_) visit(k);
    }

    Index n_ = 0;
    Index padded_ = 0;
    AlignedVector<Real> matrix_;
    AlignedVector<double> target_, beta_, lower_, upper_, gradient_, diagonal_;
    // The slope of epsilon |beta| where the variable may grow (shrink), else +infinity (-infinity).
    AlignedVector<double> up_, low_;
    double epsilon_ = 0.0;
    simd::PairExtremes extremes_{};
    Index n_free_ = 0;

    // Scratch of joint steps: the free variables still inside the box, those set to its edge, the
    // direction of both and where the edge is.
    std::vector<std::size_t> inside_, edge_;
    std::vector<int> places_;
    AlignedVector<double> direction_, change_, goal_;
    AlignedVector<double> factor_, rest_, ones_;
    AlignedVector<Real> gathered_, zeros_;
};

}  // namespace svmosaic
