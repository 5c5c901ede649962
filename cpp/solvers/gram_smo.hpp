// SMO, sequential minimal optimisation, on a stored kernel matrix, for one C after the other.
#pragma once

#include <span>
#include <vector>

#include "core/aligned.hpp"
#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "solvers/gram_columns.hpp"

namespace svmosaic {

// Solves       min  1/2 beta' K beta - t' beta   subject to  sum beta = 0 and 0 <= t_i beta_i <= C
// w_i,
//              the dual of the L1-SVM, for growing C.
// Given        the first n variables of some columns, their targets (+1 or -1), weights and k(x,
// x). Method       pairs by second-order selection, as in smo.hpp. In between, all variables that
// are
//              not at a bound move together to their joint minimum: a Newton step on the equality
//              constrained quadratic, in which variables that would leave the box are set to its
//              edge and the rest is solved again. Pairs find out who is at a bound, joint steps do
//              the slow rest. A joint step is made when the pairs since the last one have cost as
//              much as it will, so it never costs more than half of the time.
// Warm start   the solution for a smaller C, stretched along its own ray as far as the dual
//              objective grows and the bounds allow.
template <class Real>
class GramSmo {
  public:
    // Starts anew at beta = 0. `diagonal` has one value per variable.
    void bind(GramColumns<Real>& columns, Index n, std::span<const double> targets,
              std::span<const double> weights, std::span<const double> diagonal);

    // Returns false when the monitor said stop. C must not be smaller than at the last call.
    bool solve(double C, double tol, Index max_updates, Monitor& monitor);

    std::span<const double> beta() const { return {beta_.data(), static_cast<std::size_t>(n_)}; }
    double intercept() const;
    double violation() const { return extremes_.highest_low - extremes_.lowest_up.value; }
    Index n_updates() const { return n_updates_; }

  private:
    void stretch(double C);
    void mark(std::size_t k);
    bool is_free(std::size_t k) const { return up_[k] == 0.0 && low_[k] == 0.0; }
    void look();
    bool pair_step();
    bool joint_step();
    // The parts of a joint step.
    bool find_direction();
    bool solve_free();
    bool take_direction();
    double joint_step_cost() const;

    GramColumns<Real>* columns_ = nullptr;
    Index n_ = 0;
    Index padded_ = 0;
    double C_ = 0.0;
    Index n_updates_ = 0;
    std::span<const double> weights_;
    AlignedVector<double> target_, beta_, lower_, upper_, gradient_, diagonal_;
    // 0 where the variable may grow (shrink), else +infinity (-infinity).
    AlignedVector<double> up_, low_;
    simd::PairExtremes extremes_{};
    Index n_free_ = 0;

    // Scratch of joint steps: the free variables still inside the box, those set to its edge, and
    // the direction of both.
    std::vector<std::size_t> inside_, edge_;
    AlignedVector<double> direction_, change_;
    AlignedVector<double> factor_, rest_, ones_;
    std::vector<int> places_;
    AlignedVector<Real> gathered_, zeros_;
};

}  // namespace svmosaic
