// Clusters of equally many samples that lie close together.
#pragma once

#include <span>
#include <vector>

#include "core/monitor.hpp"
#include "core/rows.hpp"
#include "core/thread_pool.hpp"

namespace svmosaic {

// The numbers 0 .. n-1 of the samples, in an order in which every half, every half of a half and so
// on, `depth` times, is a cluster. Halves come from a balanced 2-means. The order depends on the
// samples and their order, not on the threads. Tables without features have no clusters: nothing
// is returned, and neither is it when the monitor stops the work.
template <class Real>
std::vector<Index> order_by_clusters(const Rows<Real>& rows, std::span<const Index> samples,
                                     int depth, ThreadPool& pool, Monitor& monitor);

// Where part p of 2^depth of n samples begins.
inline Index begin_of_cluster(Index p, int depth, Index n) {
    return (p * n) >> depth;
}

// Cluster p of 2^depth in such an order.
inline std::span<const Index> cluster_of(std::span<const Index> order, Index p, int depth) {
    const Index begin = begin_of_cluster(p, depth, ssize(order));
    return order.subspan(begin, begin_of_cluster(p + 1, depth, ssize(order)) - begin);
}

}  // namespace svmosaic
