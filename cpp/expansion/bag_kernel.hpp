// The rbf kernel between weighted sums of instances, for several weights and widths in one pass.
#pragma once

#include <span>
#include <vector>

#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "core/rows.hpp"
#include "core/thread_pool.hpp"

namespace svmosaic {

// Instances in bags: bag a has the rows from offsets[a] to offsets[a + 1]. They have several
// weights: w_i is at weights[w * n_instances + i].
struct WeightedBags {
    std::span<const Index> offsets;
    std::span<const double> weights;

    Index n_bags() const { return ssize(offsets) - 1; }
    Index n_instances() const { return offsets.back(); }
    Index n_weights() const { return ssize(weights) / n_instances(); }
};

// Returns      sum_ij w_i w_j exp(-gamma |x_i - x_j|^2) over the instances i and j of each pair of
//              bags, symmetric matrices: for each w, for each gamma. Unfinished when the monitor
//              says stop.
// Cost         half of all pairs of instances: a distance, and an exponential for each gamma that
//              is not two, four, ... times another one, whose values are squared instead.
template <class Real>
std::vector<double> rbf_between_bags(const Rows<Real>& rows, const WeightedBags& bags,
                                     std::span<const double> gammas, ThreadPool& pool,
                                     Monitor& monitor);

}  // namespace svmosaic
