// Decision values of models with a weight per feature.
#pragma once

#include <span>

#include "core/rows.hpp"
#include "core/thread_pool.hpp"

namespace svmosaic {

// Writes the value of output o for row i at [i * n_outputs + o]. The weights of an output lie
// together, its intercept last. A value depends neither on the other rows nor on the threads.
template <class Real>
void decide_linear(const DenseRows<Real>& rows, std::span<const double> weights,
                   std::span<double> decisions, ThreadPool& pool);

}  // namespace svmosaic
