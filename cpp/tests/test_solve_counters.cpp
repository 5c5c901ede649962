#include <vector>

#include "core/kernel_columns.hpp"
#include "core/solve_counters.hpp"
#include "solvers/cluster_start.hpp"
#include "solvers/smo_problem.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

const KernelSpec rbf{KernelKind::rbf, 1.0, 3, 0.0};

void counters_of_parts_add_up() {
    SolveCounters one;
    one.n_kernel_values = 100;
    one.n_columns = 10;
    one.n_selections = 5;
    one.n_updates = 7;
    one.n_rounds = 2;
    one.cache_bytes = 400;
    one.add_sweep(3, 0.5);
    one.add_sweep(4, 1.0);
    SolveCounters two;
    two.n_kernel_values = 50;
    two.cache_bytes = 900;
    two.add_sweep(1, 0.25);

    SolveCounters sum;
    check(sum == SolveCounters{}, "nothing was done");
    sum += one;
    check(sum == one, "adding to nothing");
    sum += two;

    check(sum.n_kernel_values == 150 && sum.n_columns == 10 && sum.n_updates == 7 &&
              sum.n_selections == 5,
          "sums");
    check(sum.n_rounds == 2 && sum.n_blocks == 8 && sum.n_sweeps == 3, "sums of blocks");
    check(sum.theta_sum == 1.75 && sum.theta_min == 0.25, "lengths of joint steps");
    check(sum.cache_bytes == 900, "the larger cache, not the sum");
}

// Values that are known are not counted again; chunks that are completed count from their start.
template <class Real>
void every_value_that_is_computed_counts_once() {
    const Index n = 5000;
    const auto table = random_samples<Real>(n, 3, 5);
    const Rows<Real> rows = table.rows();
    ThreadPool pool(2);
    const auto all = count_up(n);
    const auto first = std::span<const Index>(all).first(3000);
    KernelColumns<Real> columns(rows, first, rbf, Index{1} << 26, pool, n);
    const auto counted = [&] {
        SolveCounters counters;
        columns.add_to(counters);
        return counters;
    };
    check(counted().cache_bytes == 0, "nothing is kept yet");
    columns.column(7);
    columns.column(7);
    check(counted().n_kernel_values == 3000 && counted().n_columns == 1, "one column, read twice");
    columns.prefetch(std::vector<Index>{7, 8, 9});
    check(counted().n_kernel_values == 9000 && counted().n_columns == 3, "two more at once");
    check(counted().cache_bytes >= 3 * 3000 * static_cast<Index>(sizeof(Real)), "three are kept");
    columns.append(std::span<const Index>(all).subspan(3000));
    columns.column(8);
    const Index before = columns.computer().chunk_begin(3000 / columns.computer().chunk_end(0));
    check(counted().n_kernel_values == 9000 + n - before, "the rest of a column");
    columns.computer().stream(3, [](Index, Index, Index, const Real*) {});
    check(counted().n_kernel_values == 9000 + n - before + n, "a column that is not kept");
}

// A kernel that is a function tells how often it was called.
void counters_agree_with_what_a_callback_saw() {
    const auto table = random_samples<double>(600, 3, 6);
    const std::vector<double> diagonal(600, 1.0);
    Index n_calls = 0;
    CallbackRows<double> rows;
    rows.n_rows = 600;
    rows.diagonal = diagonal.data();
    rows.column = [&](Index j, std::span<double> out) {
        ++n_calls;
        for (Index i = 0; i < 600; ++i) out[i] = naive_kernel(rbf, table.row(i), table.row(j));
    };
    const auto problem = random_problem(table, 7, 0.1);
    SmoSettings settings;
    settings.smo.shrinking = false;
    ThreadPool pool(1);
    Monitor monitor;
    const Solution solution =
        solve_smo_problem(Rows<double>(rows), rbf, SmoTask{problem.view(), {}}, settings,
                          Index{1} << 24, pool, monitor);
    check(n_calls > 0 && solution.counters.n_columns == n_calls, "columns");
    check(solution.counters.n_kernel_values == 600 * n_calls, "values");
    check(solution.counters.n_updates == solution.n_iter && solution.n_iter > 0, "updates");
}

// Work in clusters counts, however it was spread over threads.
void work_in_clusters_counts() {
    const auto table = random_samples<float>(least_for_clusters + 200, 3, 8);
    const auto problem = random_problem(table, 9, 0.1);
    const SmoSettings settings;
    SolveCounters first;
    for (Index n_threads = 1; n_threads <= 3; ++n_threads) {
        ThreadPool pool(n_threads);
        Monitor monitor;
        const Solution solution =
            solve_smo_problem(Rows<float>(table.rows()), rbf, SmoTask{problem.view(), {}}, settings,
                              Index{1} << 30, pool, monitor);
        const auto& counters = solution.counters;
        if (n_threads == 1) first = counters;
        check(counters == first, "the same for any number of threads");
        check(counters.n_rounds > 1 && counters.n_updates == solution.n_iter, "rounds");
        check(counters.n_kernel_values > counters.n_columns, "values");
        const auto& seconds = solution.seconds;
        check(seconds.clusters > 0 && seconds.start > 0 && seconds.solving > 0 &&
                  seconds.certificate > 0 && seconds.selection == 0,
              "every phase takes time");
        check(seconds.clusters + seconds.start + seconds.solving + seconds.certificate <=
                  seconds.total,
              "phases do not overlap");
    }
}

}  // namespace

void test_solve_counters() {
    counters_of_parts_add_up();
    every_value_that_is_computed_counts_once<float>();
    every_value_that_is_computed_counts_once<double>();
    counters_agree_with_what_a_callback_saw();
    work_in_clusters_counts();
}

}  // namespace svmosaic::test
