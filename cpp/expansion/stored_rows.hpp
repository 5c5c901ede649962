// What is read off kernel rows that are kept in a table.
#pragma once

#include <span>
#include <vector>

#include "core/problem.hpp"

namespace svmosaic {

// Rows one after the other, `width` values from each to the next: a multiple of the 8 that a vector
// holds, so that the loops may read past the last column.
struct StoredRows {
    std::span<const double> values;
    Index width;
    Index n_columns;
};

// Returns, for each column x, the sum over j of weights[j] * row places[j] at x, in the order of j.
std::vector<double> sum_rows(const StoredRows& rows, std::span<const Index> places,
                             std::span<const double> weights);

// Returns the kernel between instances, the mean of row i at column j and of row j at column i, at
// [i * n + j]: rounding may tell the two apart, and solvers read either. Instance i is column
// instances[i], and its row is places[i].
std::vector<double> gram_of_rows(const StoredRows& rows, std::span<const Index> places,
                                 std::span<const Index> instances);

}  // namespace svmosaic
