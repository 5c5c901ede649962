// How a solver is bound: its settings as a Python class (settings.hpp), and `solve`, which the type
// of the settings dispatches.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <span>
#include <string>

#include "bindings/convert.hpp"
#include "bindings/settings.hpp"
#include "bindings/tasks.hpp"
#include "core/kernel_columns.hpp"
#include "solvers/solve_each.hpp"

namespace svmosaic {

// The documentation of settings that several solvers have.
inline const char* const upper_bound_doc =
    "Upper bound of a coefficient, times the weight of its sample.";
inline const char* const tolerance_doc =
    "Largest violation of the optimality conditions that is accepted.";
inline const char* const updates_doc = "Limit on updates; 0 means max(10 million, 100 n).";
inline const char* const cache_doc = "Memory in MB for kernel columns that are read again.";
inline const char* const seed_doc = "Seed of the draws.";

// Reads the tasks, runs solve(rows, tasks, monitor) without the GIL, and hands the records back.
template <class Real, class Task, class Solve>
nb::list run_on(const nb::object& rows, const nb::list& records, double max_time,
                const nb::object& progress, const Solve& solve) {
    const auto table = read_table<Real>(rows);
    const Tasks<Task> tasks(records, count_rows(table.rows));
    Monitor monitor(max_time, python_poll(progress));
    auto solutions = [&] {
        const nb::gil_scoped_release release;
        return solve(table.rows, tasks.span(), monitor);
    }();
    raise_if_interrupted(monitor);
    nb::list result;
    for (auto& solution : solutions) result.append(to_dict(std::move(solution)));
    return result;
}

// The same in the precision of the rows.
template <class Task, class Solve>
nb::list run_solver(const nb::object& rows, const nb::list& records, double max_time,
                    const nb::object& progress, const Solve& solve) {
    return is_single(rows) ? run_on<float, Task>(rows, records, max_time, progress, solve)
                           : run_on<double, Task>(rows, records, max_time, progress, solve);
}

// `Solve` is called with (rows, kernel, tasks, settings, n_threads, monitor) for both precisions.
template <class Settings, class Task, class Solve>
void bind_solver(nb::module_& m, const char* doc, Solve solve) {
    static const std::string signature =
        "def solve(rows: object, kernel: object, tasks: list[Any], settings: " +
        nb::cast<std::string>(nb::type<Settings>().attr("__name__")) +
        ", n_threads: int, max_time: float, progress: object | None) -> list[dict[str, Any]]";
    m.def(
        "solve",
        [solve](const nb::object& rows, const nb::object& kernel, const nb::list& tasks,
                const Settings& settings, Index n_threads, double max_time,
                const nb::object& progress) {
            const KernelSpec spec = read_kernel(kernel);
            const auto bound = [&](const auto& table, auto views, Monitor& monitor) {
                return solve(table, spec, views, settings, n_threads, monitor);
            };
            return run_solver<Task>(rows, tasks, max_time, progress, bound);
        },
        nb::arg("rows"), nb::arg("kernel"), nb::arg("tasks"), nb::arg("settings"),
        nb::arg("n_threads"), nb::arg("max_time"), nb::arg("progress").none(),
        nb::sig(signature.c_str()), doc);
}

// A solver of one problem on the columns of a kernel: problems run side by side, or large ones with
// several threads each.
template <class Settings, class Solve>
void bind_column_solver(nb::module_& m, const char* doc, Solve solve) {
    bind_solver<Settings, Problem>(
        m, doc,
        [solve]<class Real>(const Rows<Real>& rows, const KernelSpec& kernel,
                            std::span<const Problem> problems, const Settings& settings,
                            Index n_threads, Monitor& monitor) {
            return solve_each(problems, settings.cache_mb, n_threads, monitor,
                              [&](const Problem& problem, Index cache_bytes, ThreadPool& pool) {
                                  KernelColumns<Real> columns(rows, problem.samples, kernel,
                                                              cache_bytes, pool);
                                  return solve(problem, settings, columns, monitor);
                              });
        });
}

}  // namespace svmosaic
