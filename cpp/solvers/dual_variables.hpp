// The variables of a dual problem as the SIMD loops want them, and SMO's step on a pair of them.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "core/aligned.hpp"
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
    std::size_t size = 0;
    simd::PairExtremes extremes{{std::numeric_limits<double>::infinity(), -1},
                                -std::numeric_limits<double>::infinity()};

    // Room for n variables, all of them at a bound.
    void resize(std::size_t n, std::size_t padded);
    Index padded() const { return static_cast<Index>(beta.size()); }

    void mark(std::size_t k) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        up[k] = beta[k] >= upper[k] ? infinity : beta[k] >= 0.0 ? epsilon : -epsilon;
        low[k] = beta[k] <= lower[k] ? -infinity : beta[k] > 0.0 ? epsilon : -epsilon;
    }
    bool is_free(std::size_t k) const {
        return beta[k] > lower[k] && beta[k] < upper[k] && beta[k] != 0.0;
    }
    // How far a variable may go in one step: to its bound, or to zero before it.
    double end_of(std::size_t k, bool growing) const {
        if (growing) return beta[k] < 0.0 ? 0.0 : upper[k];
        return beta[k] > 0.0 ? 0.0 : lower[k];
    }
    double violation() const { return extremes.highest_low - extremes.lowest_up.value; }
};

// SMO on some variables: finds pairs and moves them.
template <class Real>
class PairSteps {
  public:
    PairSteps(DualVariables& variables, ThreadPool& pool) : v_(variables), pool_(pool) {}

    // Finds the most violating pair without a step.
    void look() {
        // Any readable column will do, it is multiplied by zero.
        zeros_.assign(static_cast<std::size_t>(v_.padded()), Real{0});
        update(zeros_.data(), zeros_.data(), 0.0);
    }

    // One update of a pair: i, the most violating variable that may grow, and j, the one that
    // promises the largest decrease. Returns false when no pair can move. column(i) gives column i
    // of the kernel; the last two have to stay valid.
    template <class Column>
    bool step(const Column& column) {
        const Index i = v_.extremes.lowest_up.index;
        if (i < 0) return false;
        const Real* column_i = column(i);
        const Index j = second(i, column_i);
        if (j < 0) return false;
        const Real* column_j = column(j);
        update(column_i, column_j, move(i, j, static_cast<double>(column_i[j])));
        return true;
    }

  private:
    double move(Index i, Index j, double k_ij);
    Index second(Index i, const Real* column_i);
    // The gradient after a step of `delta` and the extremes over all variables.
    void update(const Real* column_i, const Real* column_j, double delta);
    Index n_ranges() const;
    Index range_length(Index range) const;

    DualVariables& v_;
    ThreadPool& pool_;
    AlignedVector<Real> zeros_;
    std::vector<simd::Extreme> second_of_range_;
    std::vector<simd::PairExtremes> extremes_of_range_;
};

}  // namespace svmosaic
