// All pairs of rows at once, to be shared by many machines on the same table.
#pragma once

#include <span>

#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "core/rows.hpp"
#include "core/thread_pool.hpp"

namespace svmosaic {

// values[i * n + j]: squared distances for rbf, Manhattan distances for laplacian, dot products
// for the other kernels. Exactly the numbers that a kernel column is made from.
template <class Real>
void pairwise_values(const Rows<Real>& rows, KernelKind kind, std::span<Real> values,
                     ThreadPool& pool, Monitor& monitor);

}  // namespace svmosaic
