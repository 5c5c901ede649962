// Refinement: the exact solution on all samples, from those that an online solver selected.
#pragma once

#include <span>
#include <vector>

#include "core/kernel_columns.hpp"
#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "core/rows.hpp"
#include "core/thread_pool.hpp"
#include "solvers/smo.hpp"

namespace svmosaic {

enum class Refinement { none, full };

struct RefineSettings {
    Refinement refinement = Refinement::full;
    double C = 1.0;  // upper bound of a coefficient, times the weight of its sample
    SmoOptions smo;
};

// The samples that refinement begins with, ascending: the selected ones, or all of a small problem.
std::vector<Index> first_in_play(const Problem& problem, std::span<const Index> selected);

// Solves       the dual of the L1-SVM in rounds that begin with the selected samples (see
//              rounds.hpp) or, where there are many samples, with the support vectors of clusters
//              (see cluster_start.hpp).
// Given        a problem and positions in problem.samples.
// Returns      the expansion; violation and dual_gap refer to all samples.
//
// The first form is given the columns of the samples it begins with, and room for all others.
template <class Real>
Solution refine(KernelColumns<Real>& columns, const Problem& problem,
                std::span<const Index> in_play, const RefineSettings& settings, Monitor& monitor);
template <class Real>
Solution refine(const Rows<Real>& rows, const KernelSpec& kernel, const Problem& problem,
                std::span<const Index> selected, const RefineSettings& settings, Index cache_bytes,
                ThreadPool& pool, Monitor& monitor);

}  // namespace svmosaic
