// Dual variables with their gradient: what the L2-SVMs and the Uniform SVM move.
#pragma once

#include <span>
#include <vector>

#include "core/aligned.hpp"
#include "core/kernel_columns.hpp"
#include "core/problem.hpp"
#include "simd/loops.hpp"

namespace svmosaic {

// A point alpha >= 0 and the gradient g = Q alpha + origin of 1/2 alpha' Q alpha + origin' alpha,
//
//     Q_ij = y_i y_j (k(x_i, x_j) + offset) + softness_i [i = j].
//
// Variables are numbered like the samples of the KernelColumns they were made with.
template <class Real>
class DualPoint {
  public:
    DualPoint(KernelColumns<Real>& columns, double offset);

    // Takes over the samples that were appended to the columns since, at alpha = 0 and with the
    // gradients given; one entry each per new sample.
    void enter(std::span<const double> targets, std::span<const double> softness,
               std::span<const double> gradients);

    Index size() const { return alpha_.size(); }
    double alpha(Index i) const { return alpha_[i]; }
    double target(Index i) const { return targets_[i]; }
    double gradient(Index i) const { return gradient_[i]; }
    double softness(Index i) const { return softness_[i]; }
    // The variables above zero.
    std::span<const Index> held() const { return held_; }

    // Q_ii, and the curvature Q_ii + Q_jj - 2 Q_ij along e_i - e_j.
    double diagonal(Index i);
    double curvature(Index i, Index j);
    // Q_ij of one i and some other j, to `values`.
    void row(Index i, std::span<const Index> others, double* values);

    // Sets alpha_i and brings the gradient up to date by one kernel column.
    void move(Index i, double value);

    // The smallest gradient, and the largest among the variables above zero; index -1 if none.
    simd::Extreme lowest() const;
    simd::Extreme highest_held() const;
    // The same among the samples of one class.
    simd::Extreme lowest(double target) const;
    simd::Extreme highest_held(double target) const;

  private:
    Index n_ranges() const;
    // Column i. When it has to be computed, so are those that will probably be asked for next.
    const Real* column(Index i);
    std::vector<Index> lowest_not_kept(Index i, Index most) const;

    KernelColumns<Real>& columns_;
    double offset_;
    std::vector<double> alpha_;
    std::vector<double> softness_;
    std::vector<Index> held_;         // in the order in which they rose above zero
    AlignedVector<double> targets_;   // padded with 1
    AlignedVector<double> gradient_;  // padded with infinity, which no minimum picks
    std::vector<double> range_lowest_;
    // Columns to compute together; those of them that were not asked for yet, and how many were.
    Index n_ahead_;
    std::vector<bool> ahead_;
    Index n_of_use_ = 1;
};

}  // namespace svmosaic
