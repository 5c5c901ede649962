// The exact dual of many samples from the solutions of clusters of them.
#pragma once

#include "solvers/warm_start.hpp"

namespace svmosaic {

// Fewer samples are solved at once.
inline constexpr Index least_for_clusters = 10'000;

// Whether the solution of a problem can be put together from those of clusters: where the kernel
// is a function of the distance, and no limit on updates says how far to go.
bool helps_to_cluster(const KernelSpec& kernel, const Problem& problem, const SmoOptions& smo);

// Solves       the dual of the L1-SVM or of epsilon-SVR on all samples of a problem.
// Method       divide and conquer (Hsieh, Si and Dhillon, ICML 2014): samples that are far from
//              each other hardly matter to each other, so the solutions of clusters are together
//              nearly a solution. Clusters of equal size are solved side by side, loosely; then
//              rounds on all samples start from there. Without clusters the rounds start from zero.
// Cost         for the clusters, at most their size times n kernel values, all threads busy.
template <class Real>
Solution solve_by_clusters(const Rows<Real>& rows, const KernelSpec& kernel, const DualTask& task,
                           Index cache_bytes, ThreadPool& pool, Monitor& monitor);

}  // namespace svmosaic
