// The exact solvers of the L2-SVM, of the Uniform SVM and of the L1-SVM without an intercept, and
// the simple SMO.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/convert.hpp"
#include "solvers/dual_descent.hpp"
#include "solvers/minimal_norm.hpp"
#include "solvers/nnisda.hpp"
#include "solvers/simple_smo.hpp"
#include "solvers/solve_each.hpp"
#include "solvers/uniform.hpp"

namespace nb = nanobind;
using namespace svmosaic;

namespace {

template <class T>
void read(const nb::handle& record, const char* field, T& value) {
    value = nb::cast<T>(record.attr(field));
}

void read(const nb::handle& record, const char* field, Bounds& value) {
    const auto name = nb::cast<std::string>(record.attr(field));
    if (name == "per_sample") {
        value = Bounds::per_sample;
    } else if (name == "uniform_feasible") {
        value = Bounds::uniform_feasible;
    } else if (name == "uniform_printed") {
        value = Bounds::uniform_printed;
    } else {
        throw nb::value_error(("unknown bounds '" + name + "'").c_str());
    }
}

// What all records of settings here have.
template <class Settings>
Settings read_common(const nb::handle& record) {
    Settings settings;
    read(record, "C", settings.C);
    read(record, "tol", settings.tol);
    read(record, "max_iter", settings.max_iter);
    read(record, "cache_mb", settings.cache_mb);
    return settings;
}

MinimalNormSettings read_settings(const nb::handle& record, MinimalNormSettings*) {
    auto settings = read_common<MinimalNormSettings>(record);
    read(record, "draw", settings.draw);
    read(record, "seed", settings.seed);
    read(record, "joint_steps", settings.joint_steps);
    return settings;
}

NnisdaSettings read_settings(const nb::handle& record, NnisdaSettings*) {
    auto settings = read_common<NnisdaSettings>(record);
    read(record, "joint_steps", settings.joint_steps);
    return settings;
}

DualDescentSettings read_settings(const nb::handle& record, DualDescentSettings*) {
    return read_common<DualDescentSettings>(record);
}

UniformSettings read_settings(const nb::handle& record, UniformSettings*) {
    return read_common<UniformSettings>(record);
}

SimpleSmoSettings read_settings(const nb::handle& record, SimpleSmoSettings*) {
    auto settings = read_common<SimpleSmoSettings>(record);
    read(record, "bounds", settings.bounds);
    read(record, "seed", settings.seed);
    return settings;
}

// Where a problem with its table goes, by the type of the settings.
template <class Real>
struct Task {
    const Rows<Real>& rows;
    const KernelSpec& kernel;
    const Problem& problem;
    std::size_t cache_bytes;
    ThreadPool& pool;
    Monitor& monitor;

    KernelColumns<Real> columns() const {
        return {rows, problem.samples, kernel, cache_bytes, pool};
    }
};

template <class Real>
Solution solve_task(const Task<Real>& task, const MinimalNormSettings& settings) {
    return solve_minimal_norm(task.rows, task.kernel, task.problem, settings, task.cache_bytes,
                              task.pool, task.monitor);
}

template <class Real>
Solution solve_task(const Task<Real>& task, const NnisdaSettings& settings) {
    auto columns = task.columns();
    return solve_nnisda(task.problem, settings, columns, task.monitor);
}

template <class Real>
Solution solve_task(const Task<Real>& task, const DualDescentSettings& settings) {
    auto columns = task.columns();
    return solve_dual_descent(task.problem, settings, columns, task.monitor);
}

template <class Real>
Solution solve_task(const Task<Real>& task, const UniformSettings& settings) {
    auto columns = task.columns();
    return solve_uniform(task.problem, settings, columns, task.monitor);
}

template <class Real>
Solution solve_task(const Task<Real>& task, const SimpleSmoSettings& settings) {
    auto columns = task.columns();
    return solve_simple_smo(task.problem, settings, columns, task.monitor);
}

template <class Settings, class Real>
nb::list solve(const nb::object& rows, const nb::object& kernel, const nb::list& problems,
               const nb::object& record, Index n_threads, double max_time,
               const nb::object& progress) {
    const auto table = read_table<Real>(rows);
    const auto spec = read_kernel(kernel);
    const auto settings = read_settings(record, static_cast<Settings*>(nullptr));
    std::vector<ProblemArrays> arrays;
    std::vector<Problem> views;
    for (const auto problem : problems) {
        arrays.push_back(read_problem(problem, count_rows(table.rows)));
        views.push_back(arrays.back().view());
    }
    Monitor monitor(max_time, python_poll(progress));
    std::vector<Solution> solutions;
    {
        const nb::gil_scoped_release release;
        solutions = solve_each(
            views, settings.cache_mb, n_threads, monitor,
            [&](const Problem& problem, std::size_t cache_bytes, ThreadPool& pool) {
                return solve_task(Task<Real>{table.rows, spec, problem, cache_bytes, pool, monitor},
                                  settings);
            });
    }
    raise_if_interrupted(monitor);
    nb::list result;
    for (auto& solution : solutions) result.append(to_dict(std::move(solution)));
    return result;
}

template <class Settings>
void bind(nb::module_& m, const char* name, const char* signature, const char* doc) {
    m.def(
        name,
        [](const nb::object& rows, const nb::object& kernel, const nb::list& problems,
           const nb::object& settings, Index n_threads, double max_time,
           const nb::object& progress) {
            return is_single(rows) ? solve<Settings, float>(rows, kernel, problems, settings,
                                                            n_threads, max_time, progress)
                                   : solve<Settings, double>(rows, kernel, problems, settings,
                                                             n_threads, max_time, progress);
        },
        nb::arg("rows"), nb::arg("kernel"), nb::arg("problems"), nb::arg("settings"),
        nb::arg("n_threads"), nb::arg("max_time"), nb::arg("progress").none(), nb::sig(signature),
        doc);
}

}  // namespace

void bind_l2(nb::module_& m) {
    bind<MinimalNormSettings>(
        m, "solve_minimal_norm",
        "def solve_minimal_norm(rows: object, kernel: object, problems: list[Any], settings: "
        "object, n_threads: int, max_time: float, progress: object | None) -> "
        "list[dict[str, Any]]",
        "Solve the L2-SVM of each problem by the minimal norm.");
    bind<NnisdaSettings>(
        m, "solve_nnisda",
        "def solve_nnisda(rows: object, kernel: object, problems: list[Any], settings: object, "
        "n_threads: int, max_time: float, progress: object | None) -> list[dict[str, Any]]",
        "Solve the L2-SVM of each problem one coordinate at a time.");
    bind<DualDescentSettings>(
        m, "solve_dual_descent",
        "def solve_dual_descent(rows: object, kernel: object, problems: list[Any], settings: "
        "object, n_threads: int, max_time: float, progress: object | None) -> "
        "list[dict[str, Any]]",
        "Solve the L1-SVM without an intercept of each problem by coordinate descent.");
    bind<UniformSettings>(
        m, "solve_uniform",
        "def solve_uniform(rows: object, kernel: object, problems: list[Any], settings: object, "
        "n_threads: int, max_time: float, progress: object | None) -> list[dict[str, Any]]",
        "Solve the Uniform SVM of each problem by nearest points of hulls.");
    bind<SimpleSmoSettings>(
        m, "solve_simple_smo",
        "def solve_simple_smo(rows: object, kernel: object, problems: list[Any], settings: "
        "object, n_threads: int, max_time: float, progress: object | None) -> "
        "list[dict[str, Any]]",
        "Run the randomised SMO of a textbook on each problem.");
}
