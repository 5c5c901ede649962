// The variables of a dual problem as the SIMD loops want them, and SMO's step on a pair of them.
#pragma once

#include <algorithm>
#include <vector>

#include "core/aligned.hpp"
#include "core/either.hpp"
#include "core/infinity.hpp"
#include "core/problem.hpp"
#include "core/thread_pool.hpp"
#include "simd/loops.hpp"

namespace svmosaic {

// Signed variables beta with bounds and the gradient of the dual (see smo.hpp), padded to whole
// vectors. The kernel stays outside: whoever steps brings the columns.
struct DualVariables {
    AlignedVector<double> beta, lower, upper, gradient, diagonal;
    // What is added to the gradient for growing and for shrinking: the slope of epsilon |beta| in
    // that direction, or an infinity where the variable is at its bound.
    AlignedVector<double> up, low;
    double epsilon = 0.0;
    Index size = 0;
    Index n_free = 0;
    double largest = 0.0;  // |beta| so far
    simd::PairExtremes extremes{{infinity, -1}, -infinity};

    // Room for n variables, all of them at a bound.
    void resize(Index n, Index padded);
    Index padded() const { return ssize(beta); }

    // To be called when beta, a bound or epsilon has changed.
    void mark(Index k) {
        n_free -= is_free(k) ? 1 : 0;
        up[k] = either(beta[k] >= upper[k], infinity, either(beta[k] >= 0.0, epsilon, -epsilon));
        low[k] = either(beta[k] <= lower[k], -infinity, either(beta[k] > 0.0, epsilon, -epsilon));
        n_free += is_free(k) ? 1 : 0;
        largest = std::max(largest, std::abs(beta[k]));
    }
    void mark_all();
    // Multiplies the bounds by `ratio`, and beta by `factor` as far as they allow. The gradient is
    // that of all variables together: K beta - target.
    void stretch(double ratio, double factor, const AlignedVector<double>& target);
    // Inside its bounds, with one slope to both sides.
    bool is_free(Index k) const { return up[k] == low[k]; }
    // How far a variable may go in one step: to its bound, or to zero before it, where the slope of
    // epsilon |beta| changes.
    double end_of(Index k, bool growing) const {
        if (growing) return epsilon > 0.0 && beta[k] < 0.0 ? 0.0 : upper[k];
        return epsilon > 0.0 && beta[k] > 0.0 ? 0.0 : lower[k];
    }
    // At an end a variable is set, not added to, so that it is exactly there: short of it by
    // rounding, it would pass for free. This is how far rounding may leave it after a step. Sums
    // are kept over all variables, so that it is of the size of the largest one; not of the
    // distance of its own bounds, which may be 1e16 or, where its weight is small, nothing beside
    // the others.
    double nearly(Index k, double step) const {
        return std::min(1e-6 * (upper[k] - lower[k]), 1e-14 * std::max(largest, std::abs(step)));
    }
    double violation() const { return extremes.highest_low - extremes.lowest_up.value; }
};

// SMO on some variables: finds pairs and moves them. Passes over many variables are shared by the
// threads of the pool, if there is one.
template <class Real>
class PairSteps {
  public:
    explicit PairSteps(ThreadPool* pool = nullptr) : pool_(pool) {}

    // Finds the most violating pair without a step.
    void look(DualVariables& v) {
        // Any readable column will do, it is multiplied by zero.
        const Index room = v.padded();
        if (ssize(zeros_) < room) zeros_.resize(room, Real{0});
        update(v, zeros_.data(), zeros_.data(), 0.0);
    }

    // An update of a pair: the columns of the one that grew and of the one that shrank, and by how
    // much. The columns are null when no pair can move.
    struct Move {
        const Real* column_i = nullptr;
        const Real* column_j = nullptr;
        double delta = 0.0;
        explicit operator bool() const { return column_i != nullptr; }
    };

    // One update of a pair: i, the most violating variable that may grow, and j, the one that
    // promises the largest decrease. column(i) gives column i of the kernel; the last two have to
    // stay valid.
    template <class Column>
    Move step(DualVariables& v, const Column& column) {
        const Index i = v.extremes.lowest_up.index;
        if (i < 0) return {};
        const Real* column_i = column(i);
        const Index j = second(v, i, column_i);
        if (j < 0) return {};
        const Real* column_j = column(j);
        const Move made{column_i, column_j, move(v, i, j, static_cast<double>(column_i[j]))};
        follow(v, made);
        return made;
    }

    // Brings the gradient up to date after a move of other variables over the same samples.
    void follow(DualVariables& v, const Move& made) {
        update(v, made.column_i, made.column_j, made.delta);
    }

  private:
    // Fewer variables than this are one range, and no thread is asked.
    static constexpr Index range_size = 16'384;

    static double move(DualVariables& v, Index i, Index j, double k_ij);

    Index second(const DualVariables& v, Index i, const Real* column_i) {
        return v.padded() <= range_size ? second_in(v, i, column_i, 0, v.padded()).index
                                        : second_of_ranges(v, i, column_i);
    }
    // The gradient after a step of `delta` and the extremes over all variables.
    void update(DualVariables& v, const Real* column_i, const Real* column_j, double delta) {
        if (v.padded() <= range_size) {
            v.extremes = update_in(v, column_i, column_j, delta, 0, v.padded());
        } else {
            update_ranges(v, column_i, column_j, delta);
        }
    }

    // The same for the variables of one range; indices count from its beginning.
    static simd::Extreme second_in(const DualVariables& v, Index i, const Real* column_i,
                                   Index begin, Index n) {
        return simd::loops<Real>().select_second(column_i + begin, v.diagonal.data() + begin,
                                                 v.gradient.data() + begin, v.low.data() + begin,
                                                 v.gradient[i] + v.up[i], v.diagonal[i], n);
    }
    static simd::PairExtremes update_in(DualVariables& v, const Real* column_i,
                                        const Real* column_j, double delta, Index begin, Index n) {
        return simd::loops<Real>().update_gradient(column_i + begin, column_j + begin, delta,
                                                   v.up.data() + begin, v.low.data() + begin,
                                                   v.gradient.data() + begin, n);
    }
    Index second_of_ranges(const DualVariables& v, Index i, const Real* column_i);
    void update_ranges(DualVariables& v, const Real* column_i, const Real* column_j, double delta);
    // Runs task(range, begin, length) for all ranges.
    template <class Task>
    void for_ranges(const DualVariables& v, const Task& task);

    ThreadPool* pool_;
    AlignedVector<Real> zeros_;
    std::vector<simd::Extreme> second_of_range_;
    std::vector<simd::PairExtremes> extremes_of_range_;
};

}  // namespace svmosaic
