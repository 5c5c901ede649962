// The exact dual from given coefficients.
#pragma once

#include <span>

#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "core/rows.hpp"
#include "core/thread_pool.hpp"
#include "solvers/rounds.hpp"

namespace svmosaic {

// Solves       the dual of the L1-SVM or of epsilon-SVR on all samples of a problem.
// Given        signed coefficients to start from, one per sample, or none. They are cut to the
//              bounds and balanced, so a solution for another C or for other weights will do.
// Method       rounds that begin with the support vectors of the start; without any, with some
//              hundred samples from everywhere; with all samples of a small problem.
template <class Real>
Solution solve_from(std::span<const double> start, const Rows<Real>& rows, const KernelSpec& kernel,
                    const DualTask& task, Index cache_bytes, ThreadPool& pool, Monitor& monitor);

}  // namespace svmosaic
