// The online solvers: tasks in, machines and their state out.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/convert.hpp"
#include "bindings/require.hpp"
#include "solvers/kernel_sgd.hpp"
#include "solvers/olla_l2.hpp"

namespace nb = nanobind;
using namespace svmosaic;

namespace {

VisitOrder order_of(const std::string& name) {
    if (name == "shuffled") return VisitOrder::shuffled;
    if (name == "random") return VisitOrder::random;
    if (name == "given") return VisitOrder::given;
    throw nb::value_error(("unknown order '" + name + "'").c_str());
}

KernelSgdSettings read_kernel_sgd(const nb::handle& s) {
    KernelSgdSettings settings;
    settings.C = nb::cast<double>(s.attr("C"));
    settings.epochs = nb::cast<Index>(s.attr("epochs"));
    settings.average = nb::cast<double>(s.attr("average"));
    settings.order = order_of(nb::cast<std::string>(s.attr("order")));
    settings.fit_intercept = nb::cast<bool>(s.attr("fit_intercept"));
    settings.seed = nb::cast<Index>(s.attr("seed"));
    settings.cache_mb = nb::cast<double>(s.attr("cache_mb"));
    return settings;
}

OllaL2Settings read_olla_l2(const nb::handle& s) {
    OllaL2Settings settings;
    settings.C = nb::cast<double>(s.attr("C"));
    settings.epochs = nb::cast<Index>(s.attr("epochs"));
    settings.order = order_of(nb::cast<std::string>(s.attr("order")));
    settings.beta = nb::cast<double>(s.attr("beta"));
    settings.budget = nb::cast<Index>(s.attr("budget"));
    settings.seed = nb::cast<Index>(s.attr("seed"));
    settings.cache_mb = nb::cast<double>(s.attr("cache_mb"));
    return settings;
}

// The arrays that a list of tasks borrows.
struct TaskArrays {
    ProblemArrays problem;
    Array1<Index> support;
    Array1<double> coef;
};

// What a solver goes on from: a coefficient for each support vector, or for each feature.
enum class State { of_vectors, of_features };

template <class Real>
void check_state(const Rows<Real>& rows, const TaskArrays& task, State state) {
    require_indices(span_of(task.support), count_rows(rows), "support vectors");
    if (state == State::of_vectors) {
        require(task.coef.size() == task.support.size(),
                "expected a coefficient for each support vector");
        return;
    }
    const Index n_columns = std::visit(
        [](const auto& table) -> Index {
            if constexpr (requires { table.n_columns; }) return table.n_columns;
            return -1;
        },
        rows);
    require(!std::holds_alternative<PairwiseRows<Real>>(rows) && n_columns >= 0,
            "the primal form needs samples");
    require(task.coef.size() == 0 || static_cast<Index>(task.coef.size()) == n_columns,
            "expected a weight for each feature");
}

// Reads the tasks, runs solve(rows, tasks, monitor) without the GIL, and hands the records back.
template <class Real, class Solve>
nb::list run(const nb::object& rows, const nb::list& tasks, State state, double max_time,
             const nb::object& progress, const Solve& solve) {
    const auto table = read_table<Real>(rows);
    std::vector<TaskArrays> arrays;
    std::vector<OnlineTask> views;
    for (const auto task : tasks) {
        arrays.push_back({read_problem(task.attr("problem"), count_rows(table.rows)),
                          array1<Index>(task, "support"), array1<double>(task, "coef")});
        const auto& last = arrays.back();
        check_state(table.rows, last, state);
        views.push_back({last.problem.view(), span_of(last.support), span_of(last.coef),
                         nb::cast<double>(task.attr("intercept")),
                         nb::cast<double>(task.attr("t"))});
    }
    Monitor monitor(max_time, python_poll(progress));
    std::vector<OnlineSolution> solutions;
    {
        const nb::gil_scoped_release release;
        solutions = solve(table.rows, std::span<const OnlineTask>(views), monitor);
    }
    raise_if_interrupted(monitor);
    nb::list result;
    for (auto& solution : solutions) {
        nb::dict record = to_dict(std::move(static_cast<Solution&>(solution)));
        record["state"] = to_numpy(std::move(solution.state));
        record["state_intercept"] = solution.state_intercept;
        record["t"] = solution.t;
        record["weights"] = to_numpy(std::move(solution.weights));
        result.append(record);
    }
    return result;
}

template <class Solve>
nb::list run_typed(const nb::object& rows, const nb::list& tasks, State state, double max_time,
                   const nb::object& progress, const Solve& solve) {
    return is_single(rows) ? run<float>(rows, tasks, state, max_time, progress, solve)
                           : run<double>(rows, tasks, state, max_time, progress, solve);
}

}  // namespace

void bind_online(nb::module_& m) {
    m.def(
        "solve_kernel_sgd",
        [](const nb::object& rows, const nb::object& kernel, const nb::list& tasks,
           const nb::object& settings, Index n_threads, double max_time,
           const nb::object& progress) {
            const auto spec = read_kernel(kernel);
            const auto chosen = read_kernel_sgd(settings);
            return run_typed(rows, tasks, State::of_vectors, max_time, progress,
                             [&](const auto& table, auto views, Monitor& monitor) {
                                 return solve_kernel_sgd(table, spec, views, chosen, n_threads,
                                                         monitor);
                             });
        },
        nb::arg("rows"), nb::arg("kernel"), nb::arg("tasks"), nb::arg("settings"),
        nb::arg("n_threads"), nb::arg("max_time"), nb::arg("progress").none(),
        nb::sig("def solve_kernel_sgd(rows: object, kernel: object, tasks: list[Any], settings: "
                "object, n_threads: int, max_time: float, progress: object | None) -> "
                "list[dict[str, Any]]"),
        "Run NL-SGD in kernel form.");
    m.def(
        "solve_linear_sgd",
        [](const nb::object& rows, const nb::list& tasks, const nb::object& settings,
           Index n_threads, double max_time, const nb::object& progress) {
            const auto chosen = read_kernel_sgd(settings);
            return run_typed(rows, tasks, State::of_features, max_time, progress,
                             [&](const auto& table, auto views, Monitor& monitor) {
                                 return solve_linear_sgd(table, views, chosen, n_threads, monitor);
                             });
        },
        nb::arg("rows"), nb::arg("tasks"), nb::arg("settings"), nb::arg("n_threads"),
        nb::arg("max_time"), nb::arg("progress").none(),
        nb::sig("def solve_linear_sgd(rows: object, tasks: list[Any], settings: object, "
                "n_threads: int, max_time: float, progress: object | None) -> "
                "list[dict[str, Any]]"),
        "Run NL-SGD with the linear kernel in the primal, on dense or sparse rows.");
    m.def(
        "solve_olla_l2",
        [](const nb::object& rows, const nb::object& kernel, const nb::list& tasks,
           const nb::object& settings, Index n_threads, double max_time,
           const nb::object& progress) {
            const auto spec = read_kernel(kernel);
            const auto chosen = read_olla_l2(settings);
            return run_typed(rows, tasks, State::of_vectors, max_time, progress,
                             [&](const auto& table, auto views, Monitor& monitor) {
                                 return solve_olla_l2(table, spec, views, chosen, n_threads,
                                                      monitor);
                             });
        },
        nb::arg("rows"), nb::arg("kernel"), nb::arg("tasks"), nb::arg("settings"),
        nb::arg("n_threads"), nb::arg("max_time"), nb::arg("progress").none(),
        nb::sig("def solve_olla_l2(rows: object, kernel: object, tasks: list[Any], settings: "
                "object, n_threads: int, max_time: float, progress: object | None) -> "
                "list[dict[str, Any]]"),
        "Run OLLA-L2.");
}
