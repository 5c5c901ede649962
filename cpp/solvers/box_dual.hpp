// The dual of the L1-SVM or of epsilon-SVR on so few variables that their kernel matrix is stored.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/aligned.hpp"
#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "solvers/active_set_path.hpp"
#include "solvers/dual_variables.hpp"
#include "solvers/free_step.hpp"
#include "solvers/optimality.hpp"

namespace svmosaic {

// How far beta is best stretched when all bounds grow by `ratio`, from t'beta - epsilon |beta|_1
// and beta'K beta.
double best_stretch(double linear, double quadratic, double ratio);

// Solves       min  1/2 beta' K beta - t' beta + epsilon |beta|_1   subject to  a fixed sum of beta
//              and lower <= beta <= upper, from where the variables are.
// Method       pairs by second-order selection (PairSteps), which find out who is at a bound. They
//              are slow to finish; when they have cost as much as a finish will, one is tried. With
//              few free variables and epsilon = 0 it is a path of active sets from the solution for
//              other bounds to the exact one for these (ActiveSetPath); a first solution is too far
//              away. Otherwise all variables that are not at a bound move together to their joint
//              minimum (FreeStep), and more rarely after a failure.
template <class Real>
class BoxDual {
  public:
    // Makes room for n variables. Their matrix is filled by the caller, row by row, padding too.
    void resize(Index n);
    Real* matrix_row(Index i) { return matrix_.data() + i * v_.padded(); }
    // Padding must not hold what is not a number.
    void clear_padding(Index i) {
        std::fill(matrix_row(i) + v_.size, matrix_row(i) + v_.padded(), Real{0});
    }
    // `gradient` is sum_j k(x_i, x_j) beta_j - target over all variables, those elsewhere included.
    // When all are set, the cost of |beta| is to be set, too.
    void set(Index i, double diagonal, double target, double lower, double upper, double beta,
             double gradient);
    // The cost of |beta|; the variables stay where they are.
    void set_epsilon(double epsilon);

    // Multiplies all bounds by `ratio` >= 1 and beta by what is best between 1 and `ratio`: the
    // dual objective along s beta is s (t'beta - epsilon |beta|_1) - s^2/2 beta'K beta. The
    // variables here must be all there are.
    void stretch(double ratio);

    // Returns the number of pair steps. Ends when the violation is at most tol, when no pair can
    // move, after max_updates, or when the monitor says stop. row(i) gives row i of the matrix,
    // which may be written then: many variables never move.
    template <class Row>
    Index solve(double tol, Index max_updates, Monitor& monitor, const Row& row) {
        look();
        const auto pair_cost = static_cast<double>(v_.padded() + 100);
        double spent = 0.0;
        double patience = 1.0;
        Index updates = 0;
        may_follow_ = v_.epsilon == 0.0 && was_solved_;
        while (violation() > tol && updates < max_updates) {
            if (updates % look_every == 0 && spent >= patience * finish_cost()) {
                spent = 0.0;
                if (follows_path()) {
                    follow_path(tol, row);
                } else {
                    const bool moved = joint_.take(v_, row);
                    if (moved) look();
                    patience = moved ? 1.0 : 2.0 * patience;
                }
                continue;
            }
            if (!pairs_.step(v_, row)) break;
            spent += pair_cost;
            ++updates;
            if (updates % ask_every == 0 && monitor.should_stop(ask_every)) break;
        }
        was_solved_ = true;
        return updates;
    }

    // The same by pairs alone.
    template <class Row>
    Index solve_pairs(double tol, Index max_updates, const Row& row) {
        Index updates = 0;
        while (updates < max_updates && v_.violation() > tol && pairs_.step(v_, row)) ++updates;
        return updates;
    }
    // Brings the violation up to date, which `solve` does by itself.
    void look() { pairs_.look(v_); }

    const DualVariables& variables() const { return v_; }
    double violation() const { return v_.violation(); }
    double beta(Index i) const { return v_.beta[i]; }
    std::span<const double> betas() const { return std::span(v_.beta.data(), v_.size); }
    std::span<const double> gradients() const { return std::span(v_.gradient.data(), v_.size); }
    // The bounds that the variables set for the intercept.
    Standing standing() const;

  private:
    // Pair steps between two looks at what a finish would cost.
    static constexpr Index look_every = 4;
    // Updates between two questions to the monitor.
    static constexpr Index ask_every = 256;

    // Pieces of a path, after which something must be wrong with it.
    static constexpr Index most_pieces = 100;

    bool follows_path() const;
    double finish_cost() const;
    double joint_step_cost() const;
    double path_cost() const;

    // A path that does not get to the solution is the last one: the matrix has hardly an inverse.
    template <class Row>
    void follow_path(double tol, const Row& row) {
        const bool arrived = path_.follow(v_, most_pieces, row);
        if (path_.n_pieces() > 0) look();
        may_follow_ = arrived && violation() <= tol;
        if (may_follow_) {
            usual_pieces_ = path_.n_pieces();
        } else {
            path_.clear();
        }
    }

    DualVariables v_;
    AlignedVector<double> target_;
    UnsetVector<Real> matrix_;
    PairSteps<Real> pairs_;
    FreeStep<Real> joint_;
    ActiveSetPath<Real> path_;
    bool was_solved_ = false;
    bool may_follow_ = false;
    Index usual_pieces_ = 0;
};

}  // namespace svmosaic
