// Whatever Python says, the core never reads beyond an array: sizes and indices are compared here.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <span>
#include <string>
#include <variant>

#include "core/rows.hpp"

namespace svmosaic {

inline void require(bool holds, const std::string& expectation) {
    if (!holds) throw nanobind::value_error(expectation.c_str());
}

// Every index is in [0, limit).
inline void require_indices(std::span<const Index> indices, Index limit, const char* what) {
    const bool inside =
        std::ranges::all_of(indices, [limit](Index i) { return i >= 0 && i < limit; });
    if (!inside) {
        throw nanobind::index_error((std::string(what) + " must be in 0 to " +
                                     std::to_string(limit - 1) + "; got one outside")
                                        .c_str());
    }
}

// Compressed rows whose offsets ascend from 0 to the number of values, with columns in range.
template <class Real>
void require_csr(const CsrRows<Real>& rows, Index n_values, Index n_indices) {
    require(rows.n_rows >= 0 && rows.n_columns >= 0, "compressed rows need at least one offset");
    require(n_indices == n_values, "compressed rows need one column index per value");
    bool ascends = rows.offsets[0] == 0 && rows.offsets[rows.n_rows] == n_values;
    for (Index i = 0; i < rows.n_rows; ++i) ascends &= rows.offsets[i] <= rows.offsets[i + 1];
    require(ascends, "the offsets of compressed rows must ascend from 0 to the number of values");
    bool inside = true;
    for (Index k = 0; k < n_values; ++k) {
        inside &= rows.columns[k] >= 0 && rows.columns[k] < rows.n_columns;
    }
    require(inside, "a column index of compressed rows is outside of the table");
}

// Two tables of one form whose rows have the same width.
template <class Real>
void require_same_width(const Rows<Real>& rows, const Rows<Real>& vectors) {
    require(rows.index() == vectors.index(), "rows and vectors must have the same form");
    const auto width = [](const auto& table) -> Index {
        if constexpr (requires { table.n_columns; }) return table.n_columns;
        return table.n_rows;
    };
    const Index found = std::visit(width, rows);
    const Index expected = std::visit(width, vectors);
    require(found == expected, "rows have " + std::to_string(found) + " features, vectors have " +
                                   std::to_string(expected) + "; expected the same number");
}

}  // namespace svmosaic
