// The solvers: problems in, solutions out.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/convert.hpp"
#include "bindings/read_machine.hpp"
#include "bindings/require.hpp"
#include "solvers/smo_machine.hpp"
#include "solvers/solve.hpp"

namespace nb = nanobind;
using namespace svmosaic;

namespace {

LearningRate rate_of(const std::string& name) {
    if (name == "2/sqrt(t)") return LearningRate::two_over_sqrt;
    if (name == "1/sqrt(t)") return LearningRate::one_over_sqrt;
    if (name == "1/t") return LearningRate::one_over;
    throw nb::value_error(("unknown learning rate '" + name + "'").c_str());
}

Refinement refinement_of(const std::string& name) {
    if (name == "none") return Refinement::none;
    if (name == "selected") return Refinement::selected;
    if (name == "full") return Refinement::full;
    throw nb::value_error(("unknown refinement '" + name + "'").c_str());
}

RefineSettings read_refine(const nb::handle& s) {
    RefineSettings settings;
    settings.refinement = refinement_of(nb::cast<std::string>(s.attr("refinement")));
    settings.C = nb::cast<double>(s.attr("C"));
    settings.smo.tol = nb::cast<double>(s.attr("tol"));
    settings.smo.max_iter = nb::cast<Index>(s.attr("max_iter"));
    settings.smo.shrinking = nb::cast<bool>(s.attr("shrinking"));
    return settings;
}

}  // namespace

OllawvMachine svmosaic::read_machine(const nb::handle& s) {
    OllawvMachine machine;
    machine.ollawv.margin = nb::cast<double>(s.attr("margin"));
    machine.ollawv.learning_rate = rate_of(nb::cast<std::string>(s.attr("learning_rate")));
    machine.ollawv.fit_intercept = nb::cast<bool>(s.attr("fit_intercept"));
    machine.ollawv.max_iter_share = nb::cast<double>(s.attr("max_iter_share"));
    machine.ollawv.max_iter = nb::cast<Index>(s.attr("max_iter"));
    machine.ollawv.max_support = nb::cast<Index>(s.attr("max_support"));
    machine.C = nb::cast<double>(s.attr("C"));
    machine.cache_mb = nb::cast<double>(s.attr("cache_mb"));
    machine.refine = read_refine(s.attr("refine"));
    return machine;
}

namespace {

template <class Real>
nb::list solve(const nb::object& rows, const nb::object& kernel, const nb::list& problems,
               const nb::object& settings, Index n_threads, double max_time,
               const nb::object& progress) {
    const auto table = read_table<Real>(rows);
    const auto spec = read_kernel(kernel);
    const auto machine = read_machine(settings);
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
        solutions = solve_all(table.rows, spec, views, machine, n_threads, monitor);
    }
    raise_if_interrupted(monitor);
    nb::list result;
    for (auto& solution : solutions) result.append(to_dict(std::move(solution)));
    return result;
}

template <class Real>
nb::list refine_tasks(const nb::object& rows, const nb::object& kernel, const nb::list& tasks,
                      double cache_mb, Index n_threads, double max_time,
                      const nb::object& progress) {
    const auto table = read_table<Real>(rows);
    const auto spec = read_kernel(kernel);
    std::vector<ProblemArrays> arrays;
    std::vector<Array1<Index>> selections;
    std::vector<RefineTask> views;
    for (const auto task : tasks) {
        arrays.push_back(read_problem(task.attr("problem"), count_rows(table.rows)));
        selections.push_back(array1<Index>(task, "selected"));
        require_indices(span_of(selections.back()),
                        static_cast<Index>(arrays.back().samples.size()), "selected samples");
        views.push_back(
            {arrays.back().view(), span_of(selections.back()), read_refine(task.attr("settings"))});
    }
    Monitor monitor(max_time, python_poll(progress));
    std::vector<Solution> solutions;
    {
        const nb::gil_scoped_release release;
        solutions = refine_all(table.rows, spec, views, cache_mb, n_threads, monitor);
    }
    raise_if_interrupted(monitor);
    nb::list result;
    for (auto& solution : solutions) result.append(to_dict(std::move(solution)));
    return result;
}

SmoMachine read_smo(const nb::handle& s) {
    SmoMachine machine;
    const auto loss = nb::cast<std::string>(s.attr("loss"));
    if (loss != "hinge" && loss != "epsilon_insensitive") {
        throw nb::value_error(("unknown loss '" + loss + "'").c_str());
    }
    machine.loss = loss == "hinge" ? Loss::hinge : Loss::epsilon_insensitive;
    machine.C = nb::cast<double>(s.attr("C"));
    machine.epsilon = nb::cast<double>(s.attr("epsilon"));
    machine.smo.tol = nb::cast<double>(s.attr("tol"));
    machine.smo.max_iter = nb::cast<Index>(s.attr("max_iter"));
    machine.smo.shrinking = nb::cast<bool>(s.attr("shrinking"));
    machine.cache_mb = nb::cast<double>(s.attr("cache_mb"));
    return machine;
}

template <class Real>
nb::list smo_tasks(const nb::object& rows, const nb::object& kernel, const nb::list& problems,
                   const nb::list& starts, const nb::object& settings, Index n_threads,
                   double max_time, const nb::object& progress) {
    const auto table = read_table<Real>(rows);
    const auto spec = read_kernel(kernel);
    const auto machine = read_smo(settings);
    std::vector<ProblemArrays> arrays;
    std::vector<Array1<double>> coefs;
    std::vector<SmoTask> tasks;
    require(nb::len(starts) == nb::len(problems), "expected a start, or None, for each problem");
    for (std::size_t p = 0; p < nb::len(problems); ++p) {
        arrays.push_back(read_problem(problems[p], count_rows(table.rows)));
        tasks.push_back({arrays.back().view(), {}});
        if (starts[p].is_none()) continue;
        coefs.push_back(nb::cast<Array1<double>>(starts[p], false));
        require(coefs.back().size() == arrays.back().samples.size(),
                "a start needs one coefficient per sample");
        tasks.back().start = span_of(coefs.back());
    }
    Monitor monitor(max_time, python_poll(progress));
    std::vector<Solution> solutions;
    {
        const nb::gil_scoped_release release;
        solutions = solve_smo_machines(table.rows, spec, tasks, machine, n_threads, monitor);
    }
    raise_if_interrupted(monitor);
    nb::list result;
    for (auto& solution : solutions) result.append(to_dict(std::move(solution)));
    return result;
}

}  // namespace

void bind_solvers(nb::module_& m) {
    m.def(
        "solve_ollawv",
        [](const nb::object& rows, const nb::object& kernel, const nb::list& problems,
           const nb::object& settings, Index n_threads, double max_time,
           const nb::object& progress) {
            return is_single(rows) ? solve<float>(rows, kernel, problems, settings, n_threads,
                                                  max_time, progress)
                                   : solve<double>(rows, kernel, problems, settings, n_threads,
                                                   max_time, progress);
        },
        nb::arg("rows"), nb::arg("kernel"), nb::arg("problems"), nb::arg("settings"),
        nb::arg("n_threads"), nb::arg("max_time"), nb::arg("progress").none(),
        nb::sig("def solve_ollawv(rows: object, kernel: object, problems: list[Any], settings: "
                "object, n_threads: int, max_time: float, progress: object | None) -> "
                "list[dict[str, Any]]"),
        "Solve binary problems by OLLAWV, refined as the settings say.");
    m.def(
        "refine",
        [](const nb::object& rows, const nb::object& kernel, const nb::list& tasks, double cache_mb,
           Index n_threads, double max_time, const nb::object& progress) {
            return is_single(rows) ? refine_tasks<float>(rows, kernel, tasks, cache_mb, n_threads,
                                                         max_time, progress)
                                   : refine_tasks<double>(rows, kernel, tasks, cache_mb, n_threads,
                                                          max_time, progress);
        },
        nb::arg("rows"), nb::arg("kernel"), nb::arg("tasks"), nb::arg("cache_mb"),
        nb::arg("n_threads"), nb::arg("max_time"), nb::arg("progress").none(),
        nb::sig("def refine(rows: object, kernel: object, tasks: list[Any], cache_mb: float, "
                "n_threads: int, max_time: float, progress: object | None) -> "
                "list[dict[str, Any]]"),
        "Solve the L1 dual on the selected positions of each task, or from them on all samples.");
    m.def(
        "solve_smo",
        [](const nb::object& rows, const nb::object& kernel, const nb::list& problems,
           const nb::list& starts, const nb::object& settings, Index n_threads, double max_time,
           const nb::object& progress) {
            return is_single(rows) ? smo_tasks<float>(rows, kernel, problems, starts, settings,
                                                      n_threads, max_time, progress)
                                   : smo_tasks<double>(rows, kernel, problems, starts, settings,
                                                       n_threads, max_time, progress);
        },
        nb::arg("rows"), nb::arg("kernel"), nb::arg("problems"), nb::arg("starts"),
        nb::arg("settings"), nb::arg("n_threads"), nb::arg("max_time"), nb::arg("progress").none(),
        nb::sig("def solve_smo(rows: object, kernel: object, problems: list[Any], starts: "
                "list[Any], settings: object, n_threads: int, max_time: float, progress: object | "
                "None) -> list[dict[str, Any]]"),
        "Solve the L1-SVM or epsilon-SVR on all samples of each problem by SMO.");
}
