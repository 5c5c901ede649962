// Squared distances between the rows of two tables.
#pragma once

#include <vector>

#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "core/rows.hpp"
#include "core/thread_pool.hpp"

namespace svmosaic {

// Returns |x_i - z_j|^2 at [i * n_vectors + j], by differences for dense rows.
template <class Real>
std::vector<double> squared_distances(const Rows<Real>& rows, const Rows<Real>& vectors,
                                      ThreadPool& pool, Monitor& monitor);

}  // namespace svmosaic
