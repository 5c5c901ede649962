// Decision values of kernel expansions.
#pragma once

#include <span>
#include <vector>

#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "core/rows.hpp"
#include "core/thread_pool.hpp"

namespace svmosaic {

// Which outputs a support vector takes part in, and with what coefficient: compressed rows, one
// row per support vector. A vector shared by several outputs is evaluated once for all.
struct Coefficients {
    std::span<const Index> offsets;
    std::span<const Index> outputs;
    std::span<const double> values;
    Index n_outputs = 1;
};

// values[i * n_outputs + o] = sum_j coef(j, o) k(rows[i], vectors[support[j]]) + intercepts[o] for
// all rows i. No kernel matrix is stored. A value does not depend on the other rows.
// Values are left unfinished when the monitor says stop.
template <class Real>
void decide(const Rows<Real>& rows, const Rows<Real>& vectors, std::span<const Index> support,
            const KernelSpec& kernel, const Coefficients& coefficients,
            std::span<const double> intercepts, std::span<double> values, ThreadPool& pool,
            Monitor& monitor);

// sum_j coef[j] k(row, support[j]) for some rows of one table, without an intercept.
template <class Real>
std::vector<double> expansion_values(const Rows<Real>& table, std::span<const Index> rows,
                                     const KernelSpec& kernel, std::span<const Index> support,
                                     std::span<const double> coef, ThreadPool& pool,
                                     Monitor& monitor);

// The same for several outputs: the values of output o go to out[o], one per row.
template <class Real>
void expansion_values(const Rows<Real>& table, std::span<const Index> rows,
                      const KernelSpec& kernel, std::span<const Index> support,
                      const Coefficients& coefficients, std::span<double* const> out,
                      ThreadPool& pool, Monitor& monitor);

}  // namespace svmosaic
