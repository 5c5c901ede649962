// The problems of parameter tuning when the kernel matrix does not fit into memory.
#pragma once

#include <span>

#include "core/monitor.hpp"
#include "core/rows.hpp"
#include "core/thread_pool.hpp"
#include "solvers/tune_ollawv.hpp"
#include "solvers/tune_scores.hpp"

namespace svmosaic {

// One problem of one fold under all settings, by the solvers that compute kernel columns in chunks,
// when they need them. The margins are still one run; a larger C starts from the support vectors of
// the smaller one. Kernel columns take up to `cache_bytes`. Exact models are left pending.
template <class Real>
void evaluate_streamed(const Rows<Real>& rows, const KernelSpec& kernel, const TunePlan& plan,
                       const TuneFold& fold, const TuneProblem& problem,
                       const TuneSettings& settings, Index cache_bytes, ThreadPool& pool,
                       Monitor& monitor, ProblemOutcome& outcome);

// The decisions of all models of a fold that evaluate_streamed left pending. Problems and settings
// have most support vectors in common, and a kernel value is computed once for all of them.
template <class Real>
void decide_streamed(const Rows<Real>& rows, const KernelSpec& kernel, const TunePlan& plan,
                     const TuneFold& fold, const TuneSettings& settings, ThreadPool& pool,
                     Monitor& monitor, std::span<ProblemOutcome> outcomes);

}  // namespace svmosaic
