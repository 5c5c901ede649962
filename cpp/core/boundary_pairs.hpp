// Characteristic boundary points: pairs of samples of two classes with an empty ball between them.
#pragma once

#include <span>
#include <vector>

#include "core/aligned.hpp"
#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "core/rows.hpp"
#include "core/thread_pool.hpp"

namespace svmosaic {

// Rows of the table; pair p is (first[p], second[p]).
struct BoundaryPairs {
    std::vector<Index> first;
    std::vector<Index> second;
};

// Finds        all pairs (i, j), i of one class and j of the other, such that no sample k of the
//              two classes lies strictly inside the ball with diameter x_i x_j,
//                  d_ik^2 + d_jk^2 >= d_ij^2   for all k,
//              the edges of the Gabriel graph between the classes.
// Method       tiles of 256 x 128 pairs. The samples k come in chunks that grow, every second one
//              from the centre of the data outwards and the others shuffled; the pairs of a tile
//              that are still alive compare d_ij^2 with the smallest sum of two rows of distances.
//              A pair whose ball holds a share p of the samples dies after about 1 / p of them, so
//              almost all die in the first chunk. Rows of distances are computed for a
//              tile and a chunk; no matrix is stored.
// Precision    sums in float32. Where they are too close to d_ij^2 to tell, the samples in question
//              are tested in double precision.
// Ties         a sample counts as inside only if it is so by more than rounding: by 1e-12 of the
//              squared diameter (float32: 1e-5). Copies of x_i and x_j are on the sphere.
// Returns      pairs in the order of `first`, then of `second`, for any number of threads; when the
//              monitor says stop, an incomplete list.
template <class Real>
BoundaryPairs boundary_pairs(const DenseRows<Real>& rows, std::span<const Index> first,
                             std::span<const Index> second, ThreadPool& pool, Monitor& monitor);

// Midpoints of pairs, row after row, and half their distances.
template <class Real>
struct Midpoints {
    UnsetVector<Real> points;
    UnsetVector<double> radii;
};

template <class Real>
Midpoints<Real> midpoints(const DenseRows<Real>& rows, std::span<const Index> first,
                          std::span<const Index> second, ThreadPool& pool);

}  // namespace svmosaic
