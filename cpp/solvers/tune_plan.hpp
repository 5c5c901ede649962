// What parameter tuning works out once, before any kernel value: samples, folds and binary
// problems.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "core/rows.hpp"
#include "core/thread_pool.hpp"
#include "solvers/places.hpp"

namespace svmosaic {

// The numbers 0, 1, ... in the order of the values; equal values stay in the order they have.
std::vector<Index> ascending(std::span<const double> values);

// One split of the rows of a table.
struct Split {
    std::span<const Index> train;
    std::span<const Index> test;
};

// One binary problem of one fold. Samples are numbered as in TunePlan::rows.
struct TuneProblem {
    Index positive = 0;          // its classes, numbered as in TuneFold::classes; -1 is all others
    Index negative = 0;          //
    std::vector<Index> labels;   // the classes that take part, numbered as in the plan, ascending
    std::vector<Index> samples;  // distinct training samples in canonical order
    std::vector<double> targets;
    std::vector<double> weights;
    Index start = 0;              // where a selection begins
    std::vector<Index> by_place;  // without one: positions in `samples`, by the place of the sample
};

struct TuneFold {
    std::vector<Index> classes;  // of the training part, ascending
    std::vector<TuneProblem> problems;
    std::vector<Index> test;  // samples to predict
    Places test_places;       // and their places
};

// The samples of a class lie side by side in every column of a kernel matrix, and a class begins
// at a cache line: where all samples of a class have the same target, loops need no targets. Unless
// a selection needs another order, those that are tested together follow one another, so that the
// training samples of a fold are a few runs of places.
struct PlaceRange {
    Index begin = 0;
    Index end = 0;  // a multiple of the vector length from `begin`
};

struct TunePlan {
    Index n_classes = 0;
    std::vector<Index> rows;      // the row of each sample; samples of weight 0 are left out
    std::vector<Index> labels;    // its class
    std::vector<double> weights;  // its weight in the scores
    std::vector<int> places;      // its place in a column of the kernel matrix
    std::vector<PlaceRange> ranges;
    Index column_length = 0;
    std::vector<TuneFold> folds;

    Index n_samples() const { return ssize(rows); }
};

// The number of samples of the largest problem.
Index largest_problem(const TunePlan& plan);

// What the problems of a plan are made for.
struct PlanKind {
    bool one_vs_rest = false;
    bool selects = true;  // or all samples take part
};

// `labels` and `weights` belong to the rows of the table; labels count from 0. Throws
// std::invalid_argument when a training part has one class only. The plan is not complete when the
// monitor says stop.
template <class Real>
TunePlan make_plan(const Rows<Real>& rows, std::span<const Index> labels,
                   std::span<const double> weights, std::span<const Split> splits,
                   const PlanKind& kind, ThreadPool& pool, Monitor& monitor);

}  // namespace svmosaic
