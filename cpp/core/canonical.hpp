// An order of the samples that does not depend on the order in which they came.
#pragma once

#include <span>
#include <vector>

#include "core/problem.hpp"
#include "core/rows.hpp"
#include "core/thread_pool.hpp"

namespace svmosaic {

// The distinct (row, label) patterns of a table, sorted by the row's values and then by the
// label. Copies of a pattern are one sample with the sum of their weights; samples of weight 0
// are left out. A solver that works on these sees the same input however the rows were
// permuted, and whether a row was repeated or weighted.
struct DistinctRows {
    std::vector<Index> rows;      // the first copy of each pattern
    std::vector<double> weights;  // the summed weight of its copies
};

// Threads beyond these have nothing to sort.
Index threads_to_sort(Index n_rows, Index n_threads);

template <class Real>
DistinctRows distinct_rows(const Rows<Real>& rows, std::span<const Index> labels,
                           std::span<const double> weights, ThreadPool& pool);

// Where OLLAWV begins when row order must not matter: the sample nearest to its class mean, in
// the class of larger weight (in either class when they weigh the same). Returns a position in
// problem.samples. Ties go to the first sample in the order of the problem. Pairwise values must be
// kernel values, not distances.
template <class Real>
Index central_sample(const Rows<Real>& rows, const Problem& problem);

}  // namespace svmosaic
