// Clocks around the hot loops, for benchmarks/engine.py: what fraction of the computer's speed they
// reach.
#include <nanobind/nanobind.h>

#include <chrono>
#include <limits>
#include <vector>

#include "bindings/convert.hpp"
#include "core/kernel_columns.hpp"
#include "simd/loops.hpp"

namespace nb = nanobind;
using namespace svmosaic;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point began) {
    return std::chrono::duration<double>(Clock::now() - began).count();
}

// The best of `repeats` times for `n_columns` columns of all rows, computed together.
template <class Real>
double time_columns(const nb::object& rows, const nb::object& kernel, Index n_columns,
                    Index repeats, Index n_threads) {
    const auto table = read_table<Real>(rows);
    const auto spec = read_kernel(kernel);
    const nb::gil_scoped_release release;
    std::vector<Index> samples = count_up(count_rows(table.rows));
    const Index n = ssize(samples);
    ThreadPool pool(n_threads);
    const auto column_bytes = simd::round_up(n, simd::lanes<Real>) * sizeof(Real);
    KernelColumns<Real> columns(table.rows, samples, spec, (n_columns + 1) * column_bytes, pool);
    double best = std::numeric_limits<double>::infinity();
    for (Index r = 0; r < repeats; ++r) {
        std::vector<Index> wanted;
        for (Index m = 0; m < n_columns; ++m) wanted.push_back((97 * (r * n_columns + m)) % n);
        for (const Index i : wanted) columns.forget(i);
        const auto began = Clock::now();
        columns.prefetch(wanted);
        best = std::min(best, seconds_since(began));
    }
    return best;
}

// The best of `repeats` times for OLLAWV's pass over n scores with a single-precision column: it
// reads 4 + 8 + 8 bytes and writes 8 per sample.
double time_update(Index n, Index repeats, Index n_threads) {
    const nb::gil_scoped_release release;
    const Index range = simd::round_up((n + n_threads - 1) / n_threads, simd::lanes<float>);
    const Index padded = range * n_threads;
    const AlignedVector<float> column(padded, 0.5F);
    const AlignedVector<double> targets(padded, 1.0);
    AlignedVector<double> scores(padded, 0.0);
    ThreadPool pool(n_threads);
    double best = std::numeric_limits<double>::infinity();
    for (Index r = 0; r < repeats; ++r) {
        const auto began = Clock::now();
        pool.run(n_threads, [&](Index part) {
            const Index begin = part * range;
            simd::loops<float>().update_scores(column.data() + begin, targets.data() + begin, 0.1,
                                               0.0, scores.data() + begin, range);
        });
        best = std::min(best, seconds_since(began));
    }
    return best;
}

}  // namespace

void bind_measure(nb::module_& m) {
    m.def(
        "time_columns",
        [](const nb::object& rows, const nb::object& kernel, Index n_columns, Index repeats,
           Index n_threads) {
            return is_single(rows)
                       ? time_columns<float>(rows, kernel, n_columns, repeats, n_threads)
                       : time_columns<double>(rows, kernel, n_columns, repeats, n_threads);
        },
        nb::arg("rows"), nb::arg("kernel"), nb::arg("n_columns"), nb::arg("repeats"),
        nb::arg("n_threads"),
        nb::sig("def time_columns(rows: object, kernel: object, n_columns: int, repeats: int, "
                "n_threads: int) -> float"),
        "Seconds for some kernel columns of all rows, computed together; for benchmarks.");
    m.def("time_update", &time_update, nb::arg("n"), nb::arg("repeats"), nb::arg("n_threads"),
          nb::sig("def time_update(n: int, repeats: int, n_threads: int) -> float"),
          "Seconds for one pass of OLLAWV over n scores; for benchmarks.");
}
