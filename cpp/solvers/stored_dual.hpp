// The exact solution on a stored kernel matrix, for one C after the other.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/aligned.hpp"
#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "solvers/box_dual.hpp"
#include "solvers/kernel_matrix.hpp"
#include "solvers/tune_plan.hpp"

namespace svmosaic {

// Variables of a dual: samples with their places, targets, weights and k(x, x).
struct StoredVariables {
    std::span<const Index> samples;
    std::span<const int> places;
    std::span<const double> targets;
    std::span<const double> weights;
    std::span<const double> diagonal;

    Index size() const { return samples.size(); }
};

// Solves       min  1/2 beta' K beta - t' beta + epsilon |beta|_1   subject to  sum beta = 0 and
//              0 <= t_i beta_i <= C w_i, the dual of the L1-SVM (t = +1 or -1, epsilon = 0), or
//              |beta_i| <= C w_i, that of epsilon-SVR; for growing C.
// Method       decomposition. The variables that are not at a bound and the worst violators among
// the
//              others form a working set, which BoxDual solves on its own small matrix; then the
//              gradients of all follow. Long rows of the kernel matrix are read once per round and
//              not once per pair. Few variables are one working set.
// Start        few variables of a classification start at their bounds: all of the smaller class
// and
//              the worst violators of the larger one, if the dual objective grows all the way
//              there. With a small C most of them stay.
// Warm start   the solution for a smaller C, stretched along its own ray as far as the dual
//              objective grows and the bounds allow; or whatever `restart` is given.
template <class Real>
class StoredDual {
  public:
    // Starts again at beta = 0. The places of all variables lie in `ranges`.
    void bind(const KernelMatrix<Real>& matrix, std::span<const PlaceRange> ranges,
              const StoredVariables& variables, Loss loss = Loss::hinge);
    // The cost of |beta|, 0 after `bind`.
    void set_epsilon(double epsilon);
    // Continues from this beta, which must be feasible for this C. values[p] is
    // sum_j k(sample at place p, x_j) beta_j.
    void restart(std::span<const double> beta, std::span<const double> values, double C);

    // Returns false when the monitor asks to stop. C must not be smaller than at the last call.
    bool solve(double C, double tol, Index max_updates, Monitor& monitor);

    // One value per variable.
    std::span<const double> beta() const { return all_at_once_ ? box_.betas() : beta_; }
    double intercept() const { return standing_.intercept(); }
    double violation() const { return standing_.violation(); }
    // Pair steps of the last `solve`.
    Index n_updates() const { return n_updates_; }
    // The dual objective t' beta - 1/2 beta' K beta - epsilon |beta|_1.
    double objective() const;
    // Whether the solution is the same for every larger C: no variable is held back by it.
    bool is_final() const { return standing_.n_at_bound == 0; }

  private:
    struct Range {
        PlaceRange places;
        Index offset;  // where it lies in the vectors by position
    };

    void stretch(double C);
    void start(double C);
    bool reach_bounds();
    void look();
    bool solve_at_once(double C, double tol, Index max_updates, Monitor& monitor);
    void choose_working_set(double tol);
    // The matrix of the working set has no rows yet; they are copied when they are needed.
    void begin_matrix();
    const Real* row(Index i);
    Index solve_working_set(double tol, Index max_updates, Monitor& monitor);
    void load_variables();
    void store_variables();
    bool is_inside(Index v) const { return beta_[v] > lower_[v] && beta_[v] < upper_[v]; }
    double gradient(Index v) const {
        return all_at_once_ ? box_.gradients()[v] : gradient_[position_[v]];
    }
    void set_bounds(Index v, double C);

    KernelMatrix<Real> matrix_;
    std::vector<Range> ranges_;
    StoredVariables variables_;
    Loss loss_ = Loss::hinge;
    double epsilon_ = 0.0;
    double C_ = 0.0;
    bool all_at_once_ = false;
    Index n_updates_ = 0;
    // By variable.
    std::vector<Index> position_;
    std::vector<double> beta_, lower_, upper_;
    // By position, which is the place without the gaps between ranges: rows of the matrix are added
    // without looking anything up. Positions without a variable are carried along.
    AlignedVector<double> gradient_;
    Standing standing_;

    struct Candidate {
        double violation;
        Index variable;
    };
    std::vector<Candidate> growing_, shrinking_, free_;
    std::vector<Index> working_;
    Places working_places_;
    std::vector<std::uint8_t> is_loaded_;  // rows of the matrix of the working set
    BoxDual<Real> box_;
    // A start: coefficients and, with padding, what they add to the gradients.
    std::vector<double> start_, steps_;
    std::vector<const Real*> columns_;
    AlignedVector<double> start_values_;
    std::vector<std::pair<double, Index>> larger_class_;
};

}  // namespace svmosaic
