// The rbf kernel between weighted sums of instances, from the distances of all instances.
#pragma once

#include <span>
#include <vector>

#include "core/problem.hpp"

namespace svmosaic {

// Instances in bags: bag a has those from offsets[a] to offsets[a + 1].
struct WeightedBags {
    std::span<const Index> offsets;
    std::span<const double> weights;  // one per instance

    Index n_instances() const { return ssize(weights); }
    Index n_bags() const { return ssize(offsets) - 1; }
};

// Given        the squared distances d of all pairs of instances, row by row.
// Returns      sum_ij u_i u_j exp(-gamma d_ij) over the instances i and j of each pair of bags, a
//              symmetric matrix.
// Cost         an exponential for each pair of instances, half of them.
std::vector<double> rbf_between_bags(std::span<const double> distances, const WeightedBags& bags,
                                     double gamma);

}  // namespace svmosaic
