// Characteristic boundary points, and the on-line SVM that uses them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/convert.hpp"
#include "bindings/require.hpp"
#include "bindings/settings.hpp"
#include "core/boundary_pairs.hpp"
#include "solvers/online_svm.hpp"

namespace nb = nanobind;
using namespace svmosaic;

namespace {

template <class Real>
nb::tuple find_pairs(const nb::object& rows, const Array1<Index>& first,
                     const Array1<Index>& second, Index n_threads, double max_time,
                     const nb::object& progress) {
    const auto table = read_table<Real>(rows);
    const auto& values = dense(table);
    require_indices(span_of(first), values.n_rows, "rows of the first class");
    require_indices(span_of(second), values.n_rows, "rows of the second class");
    Monitor monitor(max_time, python_poll(progress));
    BoundaryPairs pairs;
    {
        const nb::gil_scoped_release release;
        ThreadPool pool(n_threads);
        pairs = boundary_pairs(values, span_of(first), span_of(second), pool, monitor);
    }
    raise_if_interrupted(monitor);
    return nb::make_tuple(to_numpy(std::move(pairs.first)), to_numpy(std::move(pairs.second)));
}

template <class Real>
nb::tuple find_midpoints(const nb::object& rows, const Array1<Index>& first,
                         const Array1<Index>& second, Index n_threads) {
    const auto table = read_table<Real>(rows);
    const auto& values = dense(table);
    require(first.size() == second.size(), "expected as many first as second rows");
    require_indices(span_of(first), values.n_rows, "first rows");
    require_indices(span_of(second), values.n_rows, "second rows");
    Midpoints<Real> found;
    {
        const nb::gil_scoped_release release;
        ThreadPool pool(n_threads);
        found = midpoints(values, span_of(first), span_of(second), pool);
    }
    return nb::make_tuple(to_numpy(std::move(found.points)), to_numpy(std::move(found.radii)));
}

// The arrays that a list of tasks borrows.
struct TaskArrays {
    ProblemArrays problem;
    Array1<Index> support;
    Array1<double> coef;
    Array1<Index> boundary;
};

template <class Real>
nb::list run_online_svm(const nb::object& rows, const nb::object& points, double gamma,
                        const nb::list& tasks, const OnlineSvmSettings& settings, Index n_threads,
                        double max_time, const nb::object& progress) {
    const auto table = read_table<Real>(rows);
    const auto boundary = read_table<Real>(points);
    const auto& values = dense(table);
    const auto& points_table = dense(boundary);
    require_same_width(table.rows, boundary.rows);
    std::vector<TaskArrays> arrays;
    std::vector<OnlineSvmTask> views;
    for (const auto task : tasks) {
        arrays.push_back({read_problem(task.attr("problem"), values.n_rows),
                          array1<Index>(task, "support"), array1<double>(task, "coef"),
                          array1<Index>(task, "boundary")});
        const auto& last = arrays.back();
        require(last.support.size() == last.coef.size(),
                "expected a coefficient for each support vector");
        require_indices(span_of(last.support), values.n_rows, "support vectors");
        require_indices(span_of(last.boundary), points_table.n_rows, "boundary points");
        views.push_back({{last.problem.view(), span_of(last.support), span_of(last.coef), 0.0,
                          nb::cast<double>(task.attr("t"))},
                         span_of(last.boundary)});
    }
    Monitor monitor(max_time, python_poll(progress));
    std::vector<OnlineSvmSolution> solutions;
    {
        const nb::gil_scoped_release release;
        solutions =
            solve_online_svm(values, points_table, gamma, std::span<const OnlineSvmTask>(views),
                             settings, n_threads, monitor);
    }
    raise_if_interrupted(monitor);
    nb::list result;
    for (auto& solution : solutions) {
        nb::dict item = to_dict(std::move(static_cast<Solution&>(solution)));
        item["state"] = to_numpy(std::move(solution.state));
        item["t"] = solution.t;
        item["norm"] = solution.norm;
        result.append(item);
    }
    return result;
}

}  // namespace

void bind_boundary(nb::module_& m) {
    SettingsClass<OnlineSvmSettings>(m, "OnlineSvmSettings",
                                     "The on-line SVM, plain and with boundary points.")
        .field("lam", &OnlineSvmSettings::lam, "lambda of the thesis; a step is 1 / (lam t).")
        .field("max_iter", &OnlineSvmSettings::max_iter, "Visits, when they are drawn at random.")
        .choice("order", &OnlineSvmSettings::order,
                Names<VisitOrder>{{"random", VisitOrder::random}, {"given", VisitOrder::given}},
                "Drawn by weight, or one pass over the samples as they come.")
        .choice("update", &OnlineSvmSettings::update,
                Names<Shrinking>{{"gradient", Shrinking::gradient},
                                 {"printed", Shrinking::printed},
                                 {"clipped", Shrinking::clipped}},
                "A step along the gradient of the norm, or coefficients that shrink by a factor, "
                "as printed or cut to [0, 1].")
        .field("seed", &OnlineSvmSettings::seed, "Seed of the draws.");
    m.def(
        "boundary_pairs",
        [](const nb::object& rows, const Array1<Index>& first, const Array1<Index>& second,
           Index n_threads, double max_time, const nb::object& progress) {
            const auto find = is_single(rows) ? find_pairs<float> : find_pairs<double>;
            return find(rows, first, second, n_threads, max_time, progress);
        },
        nb::arg("rows"), nb::arg("first").noconvert(), nb::arg("second").noconvert(),
        nb::arg("n_threads"), nb::arg("max_time"), nb::arg("progress").none(),
        nb::sig("def boundary_pairs(rows: object, first: IndexArray, second: IndexArray, "
                "n_threads: int, max_time: float, progress: object | None) -> tuple[IndexArray, "
                "IndexArray]"),
        "Pairs of rows of two classes with no sample inside the ball between them.");
    m.def(
        "midpoints",
        [](const nb::object& rows, const Array1<Index>& first, const Array1<Index>& second,
           Index n_threads) {
            return is_single(rows) ? find_midpoints<float>(rows, first, second, n_threads)
                                   : find_midpoints<double>(rows, first, second, n_threads);
        },
        nb::arg("rows"), nb::arg("first").noconvert(), nb::arg("second").noconvert(),
        nb::arg("n_threads"),
        nb::sig("def midpoints(rows: object, first: IndexArray, second: IndexArray, n_threads: "
                "int) -> tuple[FloatArray, DoubleArray]"),
        "Midpoints of pairs of rows, flat, and half their distances.");
    m.def(
        "solve_online_svm",
        [](const nb::object& rows, const nb::object& boundary, double gamma, const nb::list& tasks,
           const OnlineSvmSettings& settings, Index n_threads, double max_time,
           const nb::object& progress) {
            return is_single(rows) ? run_online_svm<float>(rows, boundary, gamma, tasks, settings,
                                                           n_threads, max_time, progress)
                                   : run_online_svm<double>(rows, boundary, gamma, tasks, settings,
                                                            n_threads, max_time, progress);
        },
        nb::arg("rows"), nb::arg("boundary"), nb::arg("gamma"), nb::arg("tasks"),
        nb::arg("settings"), nb::arg("n_threads"), nb::arg("max_time"), nb::arg("progress").none(),
        nb::sig("def solve_online_svm(rows: object, boundary: object, gamma: float, tasks: "
                "list[Any], settings: OnlineSvmSettings, n_threads: int, max_time: float, "
                "progress: object | "
                "None) -> list[dict[str, Any]]"),
        "Run the on-line SVM, with boundary points where a task has some.");
}
