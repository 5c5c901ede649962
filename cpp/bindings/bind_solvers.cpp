// The solvers: each is one overload of `solve`, which the type of its settings chooses.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/convert.hpp"
#include "bindings/require.hpp"
#include "bindings/tasks.hpp"
#include "solvers/dual_descent.hpp"
#include "solvers/kernel_sgd.hpp"
#include "solvers/minimal_norm.hpp"
#include "solvers/nnisda.hpp"
#include "solvers/olla_l2.hpp"
#include "solvers/simple_smo.hpp"
#include "solvers/smo_machine.hpp"
#include "solvers/solve.hpp"
#include "solvers/solve_each.hpp"
#include "solvers/uniform.hpp"

namespace nb = nanobind;
using namespace svmosaic;

namespace svmosaic {

nb::dict to_dict(OnlineSolution&& solution) {
    nb::dict record = to_dict(std::move(static_cast<Solution&>(solution)));
    record["state"] = to_numpy(std::move(solution.state));
    record["state_intercept"] = solution.state_intercept;
    record["t"] = solution.t;
    record["weights"] = to_numpy(std::move(solution.weights));
    return record;
}

}  // namespace svmosaic

namespace {

// Reads the tasks, runs solve(rows, tasks, monitor) without the GIL, and hands the records back.
template <class Real, class Task, class Solve>
nb::list run(const nb::object& rows, const nb::list& records, double max_time,
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

// `Solve` is called with (rows, kernel, tasks, settings, n_threads, monitor) for both precisions.
template <class Settings, class Task, class Solve>
void bind_solver(nb::module_& m, const char* name, const char* doc, Solve solve) {
    static const std::string signature =
        "def solve(rows: object, kernel: object, tasks: list[Any], settings: " + std::string(name) +
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
            return is_single(rows) ? run<float, Task>(rows, tasks, max_time, progress, bound)
                                   : run<double, Task>(rows, tasks, max_time, progress, bound);
        },
        nb::arg("rows"), nb::arg("kernel"), nb::arg("tasks"), nb::arg("settings"),
        nb::arg("n_threads"), nb::arg("max_time"), nb::arg("progress").none(),
        nb::sig(signature.c_str()), doc);
}

// A solver of one problem on the columns of a kernel: problems run side by side, or large ones with
// several threads each.
template <class Settings, class Solve>
void bind_column_solver(nb::module_& m, const char* name, const char* doc, Solve solve) {
    bind_solver<Settings, Problem>(
        m, name, doc,
        [solve]<class Real>(const Rows<Real>& rows, const KernelSpec& kernel,
                            std::span<const Problem> problems, const Settings& settings,
                            Index n_threads, Monitor& monitor) {
            return solve_each(
                problems, settings.cache_mb, n_threads, monitor,
                [&](const Problem& problem, std::size_t cache_bytes, ThreadPool& pool) {
                    KernelColumns<Real> columns(rows, problem.samples, kernel, cache_bytes, pool);
                    return solve(problem, settings, columns, monitor);
                });
        });
}

void check_states(std::span<const OnlineTask> tasks) {
    for (const OnlineTask& task : tasks) {
        require(task.coef.size() == task.support.size(),
                "expected a coefficient for each support vector");
    }
}

// Of the primal form: a weight for each feature of samples.
template <class Real>
void check_weights(const Rows<Real>& rows, std::span<const OnlineTask> tasks) {
    const Index n_columns = std::visit(
        [](const auto& table) -> Index {
            if constexpr (requires { table.n_columns; }) return table.n_columns;
            return -1;
        },
        rows);
    require(n_columns >= 0 && !std::holds_alternative<PairwiseRows<Real>>(rows),
            "the primal form needs samples");
    for (const OnlineTask& task : tasks) {
        require(task.coef.empty() || static_cast<Index>(task.coef.size()) == n_columns,
                "expected a weight for each feature");
    }
}

void bind_refine(nb::module_& m) {
    m.def(
        "refine",
        [](const nb::object& rows, const nb::object& kernel, const nb::list& tasks, double cache_mb,
           Index n_threads, double max_time, const nb::object& progress) {
            const KernelSpec spec = read_kernel(kernel);
            const auto solve = [&](const auto& table, auto views, Monitor& monitor) {
                return refine_all(table, spec, views, cache_mb, n_threads, monitor);
            };
            return is_single(rows)
                       ? run<float, RefineTask>(rows, tasks, max_time, progress, solve)
                       : run<double, RefineTask>(rows, tasks, max_time, progress, solve);
        },
        nb::arg("rows"), nb::arg("kernel"), nb::arg("tasks"), nb::arg("cache_mb"),
        nb::arg("n_threads"), nb::arg("max_time"), nb::arg("progress").none(),
        nb::sig("def refine(rows: object, kernel: object, tasks: list[Any], cache_mb: float, "
                "n_threads: int, max_time: float, progress: object | None) -> "
                "list[dict[str, Any]]"),
        "Solve the L1 dual on the selected positions of each task, or from them on all samples.");
}

void bind_linear_sgd(nb::module_& m) {
    m.def(
        "solve_linear_sgd",
        [](const nb::object& rows, const nb::list& tasks, const KernelSgdSettings& settings,
           Index n_threads, double max_time, const nb::object& progress) {
            const auto solve = [&](const auto& table, auto views, Monitor& monitor) {
                check_weights(table, views);
                return solve_linear_sgd(table, views, settings, n_threads, monitor);
            };
            return is_single(rows)
                       ? run<float, OnlineTask>(rows, tasks, max_time, progress, solve)
                       : run<double, OnlineTask>(rows, tasks, max_time, progress, solve);
        },
        nb::arg("rows"), nb::arg("tasks"), nb::arg("settings"), nb::arg("n_threads"),
        nb::arg("max_time"), nb::arg("progress").none(),
        nb::sig("def solve_linear_sgd(rows: object, tasks: list[Any], settings: "
                "KernelSgdSettings, n_threads: int, max_time: float, progress: object | None) -> "
                "list[dict[str, Any]]"),
        "NL-SGD with the linear kernel in the primal, on dense or sparse rows.");
}

}  // namespace

void bind_solvers(nb::module_& m) {
    bind_solver<OllawvMachine, Problem>(
        m, "OllawvSettings", "OLLAWV, refined as the settings say.",
        [](const auto& rows, const KernelSpec& kernel, auto problems, const OllawvMachine& settings,
           Index n_threads, Monitor& monitor) {
            return solve_all(rows, kernel, problems, settings, n_threads, monitor);
        });
    bind_solver<SmoMachine, SmoTask>(
        m, "SmoSettings", "The L1-SVM or epsilon-SVR by SMO.",
        [](const auto& rows, const KernelSpec& kernel, auto tasks, const SmoMachine& settings,
           Index n_threads, Monitor& monitor) {
            return solve_smo_machines(rows, kernel, tasks, settings, n_threads, monitor);
        });
    bind_solver<MinimalNormSettings, Problem>(
        m, "MinimalNormSettings", "The L2-SVM by the minimal norm.",
        [](const auto& rows, const KernelSpec& kernel, auto problems,
           const MinimalNormSettings& settings, Index n_threads, Monitor& monitor) {
            return solve_each(
                problems, settings.cache_mb, n_threads, monitor,
                [&](const Problem& problem, std::size_t cache_bytes, ThreadPool& pool) {
                    return solve_minimal_norm(rows, kernel, problem, settings, cache_bytes, pool,
                                              monitor);
                });
        });
    bind_column_solver<NnisdaSettings>(m, "NnisdaSettings", "The L2-SVM one coordinate at a time.",
                                       [](auto&&... given) { return solve_nnisda(given...); });
    bind_column_solver<DualDescentSettings>(
        m, "DualDescentSettings", "The L1-SVM without an intercept by coordinate descent.",
        [](auto&&... given) { return solve_dual_descent(given...); });
    bind_column_solver<UniformSettings>(m, "UniformSettings",
                                        "The Uniform SVM by nearest points of hulls.",
                                        [](auto&&... given) { return solve_uniform(given...); });
    bind_column_solver<SimpleSmoSettings>(
        m, "SimpleSmoSettings", "The randomised SMO of a textbook.",
        [](auto&&... given) { return solve_simple_smo(given...); });
    bind_solver<KernelSgdSettings, OnlineTask>(
        m, "KernelSgdSettings", "NL-SGD in kernel form.",
        [](const auto& rows, const KernelSpec& kernel, auto tasks,
           const KernelSgdSettings& settings, Index n_threads, Monitor& monitor) {
            check_states(tasks);
            return solve_kernel_sgd(rows, kernel, tasks, settings, n_threads, monitor);
        });
    bind_solver<OllaL2Settings, OnlineTask>(
        m, "OllaL2Settings", "OLLA-L2.",
        [](const auto& rows, const KernelSpec& kernel, auto tasks, const OllaL2Settings& settings,
           Index n_threads, Monitor& monitor) {
            check_states(tasks);
            return solve_olla_l2(rows, kernel, tasks, settings, n_threads, monitor);
        });
    bind_refine(m);
    bind_linear_sgd(m);
}
