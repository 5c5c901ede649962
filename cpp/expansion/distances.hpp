// Distances between the rows of two tables, squared or absolute.
#pragma once

#include "core/aligned.hpp"
#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "core/rows.hpp"
#include "core/thread_pool.hpp"

namespace svmosaic {

// Returns |x_i - z_j|^2, or with `absolute` the sum of |x_ik - z_jk| over the features k, at
// [i * n_vectors + j]; by differences for dense rows.
template <class Real>
UnsetVector<double> pair_distances(const Rows<Real>& rows, const Rows<Real>& vectors, bool absolute,
                                   ThreadPool& pool, Monitor& monitor);

}  // namespace svmosaic
