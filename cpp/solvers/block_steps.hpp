// SMO on many variables: in blocks of those that violate the conditions most, each block with its
// kernel matrix in memory, and several blocks at once.
#pragma once

#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/kernel_columns.hpp"
#include "core/monitor.hpp"
#include "core/scratch_pool.hpp"
#include "core/solve_counters.hpp"
#include "solvers/box_dual.hpp"
#include "solvers/dual_variables.hpp"

namespace svmosaic {

// Kernel values that are kept for the blocks of a problem with this many samples, at most.
Index values_in_blocks(Index n_samples, Index n_threads);

// The variables that want to grow most and those that want to shrink most, half and half, of the
// variables numbered here.
class MostUrgent {
  public:
    std::vector<Index> of(const DualVariables& v, std::span<const Index> numbers, Index n);

  private:
    std::vector<std::pair<double, Index>> candidates_;
};

// Method       a block of the worst violators of all is solved by pairs on its own kernel matrix;
//              then one pass brings all gradients up to date. Where it is known which samples are
//              alike, every third step is a sweep: the variables are cut into clusters, the worst
//              violators of each form a block, and all blocks are solved at once. Their joint step
//              d is made as long as is best for all: theta = min(1, -g'd / d'Kd) for the L1-SVM.
//              Clusters hardly see each other, so that theta is near 1; where it is not, the next
//              sweep makes do with half as many. Single blocks in between balance the clusters:
//              within a block the sum of the variables does not change.
// Cost         a kernel column for each variable that moved, cached by KernelColumns.
// Threads      blocks, the matrix of a single block and passes over all variables are shared by the
//              pool of the columns. The steps are the same for any number of threads.
template <class Real>
class BlockSteps {
  public:
    explicit BlockSteps(KernelColumns<Real>& columns) : columns_(columns) {}

    // Says which variables there are: `order` lists all of them. If like ones are next to each
    // other in it, there are sweeps.
    void set_variables(std::vector<Index> order, bool by_likeness) {
        order_ = std::move(order);
        by_likeness_ = by_likeness;
    }
    // Whether blocks take less time than pairs.
    bool gains() const;

    // One block or one sweep. Returns the number of updates; zero when no pair can move, or when
    // the monitor says stop, and then nothing has changed. The extremes of `v` are for the caller
    // to find again.
    Index step(DualVariables& v, double tol, SolveCounters& counters, Monitor& monitor);

  private:
    // What is needed to solve a block.
    struct Scratch {
        MostUrgent most_urgent;
        BoxDual<Real> box;
    };
    // Where a block leads: its variables that move, and their new values.
    struct Goal {
        std::vector<Index> moved;
        std::vector<double> beta;
        Index n_updates = 0;
        Index n_kernel_values = 0;
    };

    Index cluster_size() const;
    // Solves the blocks of as many clusters, or of all variables.
    Goal solve_blocks(const DualVariables& v, Index n_clusters, double tol, Monitor& monitor);
    Goal solve_block(const DualVariables& v, const std::vector<Index>& block, double tol,
                     bool alone, Scratch& scratch);
    // K times the step to the goal, for all variables. False if the monitor says stop.
    bool multiply(const DualVariables& v, const Goal& goal, Monitor& monitor);
    void go(const Goal& goal, double length, DualVariables& v) const;

    KernelColumns<Real>& columns_;
    std::vector<Index> order_;
    bool by_likeness_ = false;
    Index n_steps_ = 0;
    Index n_clusters_ = std::numeric_limits<Index>::max();  // of the next sweep, at most
    ScratchPool<Scratch> scratch_;
    AlignedVector<double> product_;  // K d
};

}  // namespace svmosaic
