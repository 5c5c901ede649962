// Kernel values between the rows of two tables.
#pragma once

#include "core/aligned.hpp"
#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "core/rows.hpp"
#include "core/thread_pool.hpp"

namespace svmosaic {

// Returns k(rows[i], vectors[j]) at [i * n_vectors + j]. A value does not depend on the other rows:
// it is the one that `decide` sums, and computed in the precision of the rows. Values are left
// unfinished when the monitor says stop.
template <class Real, class Value>
UnsetVector<Value> kernel_matrix(const Rows<Real>& rows, const Rows<Real>& vectors,
                                 const KernelSpec& kernel, ThreadPool& pool, Monitor& monitor);

}  // namespace svmosaic
