// "Sample i" in the four forms a table can have. All views borrow the caller's memory.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <variant>
#include <vector>

#include "core/problem.hpp"

namespace svmosaic {

// C-contiguous values, one row per sample.
template <class Real>
struct DenseRows {
    const Real* values = nullptr;
    Index n_rows = 0;
    Index n_columns = 0;

    std::span<const Real> row(Index i) const {
        return std::span(values + i * n_columns, n_columns);
    }
};

// Integers of 32 or 64 bits, read as Index. SciPy uses either for CSR indices.
class IndexView {
  public:
    IndexView() = default;
    explicit IndexView(std::span<const std::int32_t> values) : narrow_(values.data()) {}
    explicit IndexView(std::span<const std::int64_t> values) : wide_(values.data()) {}

    Index operator[](Index i) const { return narrow_ ? Index{narrow_[i]} : Index{wide_[i]}; }

  private:
    const std::int32_t* narrow_ = nullptr;
    const std::int64_t* wide_ = nullptr;
};

// Compressed sparse rows with sorted column indices.
template <class Real>
struct CsrRows {
    const Real* values = nullptr;
    IndexView columns;
    IndexView offsets;
    Index n_rows = 0;
    Index n_columns = 0;
};

// A matrix of pairwise values, k(x_i, x_j) or what a kernel makes it from (squared
// distances, dot products). Square and symmetric when training.
template <class Real>
struct PairwiseRows {
    const Real* values = nullptr;
    Index n_rows = 0;
    Index n_columns = 0;
    bool symmetric = true;
};

// A kernel that only its caller can compute: column(j, out) fills k(x_i, x_j) for all rows i.
template <class Real>
struct CallbackRows {
    std::function<void(Index, std::span<Real>)> column;
    const double* diagonal = nullptr;  // k(x_i, x_i)
    Index n_rows = 0;
};

template <class Real>
using Rows = std::variant<DenseRows<Real>, CsrRows<Real>, PairwiseRows<Real>, CallbackRows<Real>>;

template <class Real>
Index count_rows(const Rows<Real>& rows) {
    return std::visit([](const auto& table) { return table.n_rows; }, rows);
}

}  // namespace svmosaic
