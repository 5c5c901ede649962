#include "expansion/decide_linear.hpp"

#include <algorithm>

#include "simd/loops.hpp"

namespace svmosaic {

namespace {

constexpr Index rows_of_task = 512;
// To wake a thread takes as long as this many multiplications.
constexpr Index worth_a_thread = 200'000;

}  // namespace

template <class Real>
void decide_linear(const DenseRows<Real>& rows, std::span<const double> weights,
                   std::span<double> decisions, ThreadPool& pool) {
    const Index n_columns = rows.n_columns;
    const Index n_outputs = ssize(weights) / (n_columns + 1);
    const Index n_tasks = (rows.n_rows + rows_of_task - 1) / rows_of_task;
    const auto dot = simd::loops<Real>().dot;
    const auto decide_task = [&](Index t) {
        const Index end = std::min((t + 1) * rows_of_task, rows.n_rows);
        for (Index i = t * rows_of_task; i < end; ++i) {
            const Real* row = rows.row(i).data();
            const double* w = weights.data();
            for (Index o = 0; o < n_outputs; ++o, w += n_columns + 1) {
                decisions[i * n_outputs + o] = dot(row, w, n_columns) + w[n_columns];
            }
        }
    };
    if (ssize(decisions) * n_columns > worth_a_thread) return pool.run(n_tasks, decide_task);
    for (Index t = 0; t < n_tasks; ++t) decide_task(t);
}

template void decide_linear(const DenseRows<float>&, std::span<const double>, std::span<double>,
                            ThreadPool&);
template void decide_linear(const DenseRows<double>&, std::span<const double>, std::span<double>,
                            ThreadPool&);

}  // namespace svmosaic
