// Solvers that work with weights of the features, not with support vectors.
#include <nanobind/nanobind.h>

#include "bindings/convert.hpp"
#include "bindings/require.hpp"
#include "solvers/primal_newton.hpp"
#include "solvers/ridge.hpp"

namespace nb = nanobind;
using namespace svmosaic;

namespace {

template <class Real>
nb::object newton(const nb::object& rows, const Array1<double>& targets, const Array2<double>& norm,
                  double C, const Array1<double>& weights, const Array1<double>& decisions,
                  const PrimalStopping& stopping, Index n_threads) {
    const auto table = read_table<Real>(rows);
    const auto& values = dense(table);
    const Index n_columns = values.n_columns;
    const Index side = norm.shape(0);
    require(ssize(targets) == values.n_rows, "expected a target for each row");
    require((side == 0 || side == n_columns) && norm.shape(1) == norm.shape(0),
            "expected a norm for each pair of columns");
    require(weights.size() == 0 || ssize(weights) == n_columns + 1,
            "expected a weight for each column and an intercept");
    require(decisions.size() == 0 || ssize(decisions) == values.n_rows,
            "expected a decision for each row");
    Monitor monitor(0.0, python_poll(nb::none()));
    std::vector<double> found;
    {
        const nb::gil_scoped_release release;
        ThreadPool pool(n_threads);
        found = solve_primal(
            PrimalProblem<Real>{values, span_of(targets), {norm.data(), norm.size()}, C},
            {span_of(weights), span_of(decisions)}, stopping, pool, monitor);
    }
    raise_if_interrupted(monitor);
    return nb::cast(to_numpy(std::move(found)));
}

template <class Real>
nb::object ridge(const nb::object& rows, const Array2<double>& targets,
                 const Array2<double>& penalty, Index n_threads) {
    const auto table = read_table<Real>(rows);
    const auto& values = dense(table);
    const Index side = values.n_columns + 1;
    require(static_cast<Index>(targets.shape(0)) == values.n_rows,
            "expected a row of targets for each row");
    require(static_cast<Index>(penalty.shape(0)) == side &&
                static_cast<Index>(penalty.shape(1)) == side,
            "expected a penalty for each pair of columns, the intercept last");
    Monitor monitor(0.0, python_poll(nb::none()));
    std::vector<double> found;
    {
        const nb::gil_scoped_release release;
        ThreadPool pool(n_threads);
        found = solve_ridge(RidgeProblem<Real>{values,
                                               {targets.data(), targets.size()},
                                               static_cast<Index>(targets.shape(1)),
                                               {penalty.data(), penalty.size()}},
                            pool, monitor);
    }
    raise_if_interrupted(monitor);
    return nb::cast(to_numpy(std::move(found)));
}

}  // namespace

void bind_primal(nb::module_& m) {
    m.def(
        "solve_primal",
        [](const nb::object& rows, const Array1<double>& targets, const Array2<double>& norm,
           double C, const Array1<double>& weights, const Array1<double>& decisions, double gain,
           Index max_steps, Index n_threads) {
            const PrimalStopping stopping{gain, max_steps};
            return is_single(rows) ? newton<float>(rows, targets, norm, C, weights, decisions,
                                                   stopping, n_threads)
                                   : newton<double>(rows, targets, norm, C, weights, decisions,
                                                    stopping, n_threads);
        },
        nb::arg("rows"), nb::arg("targets").noconvert(), nb::arg("norm").noconvert(), nb::arg("C"),
        nb::arg("weights").noconvert(), nb::arg("decisions").noconvert(), nb::arg("gain"),
        nb::arg("max_steps"), nb::arg("n_threads"),
        nb::sig("def solve_primal(rows: object, targets: DoubleArray, norm: DoubleArray, C: float, "
                "weights: DoubleArray, decisions: DoubleArray, gain: float, max_steps: int, "
                "n_threads: int) -> DoubleArray"),
        "The weights of the L2-SVM, the intercept last.");
    m.def(
        "solve_ridge",
        [](const nb::object& rows, const Array2<double>& targets, const Array2<double>& penalty,
           Index n_threads) {
            return is_single(rows) ? ridge<float>(rows, targets, penalty, n_threads)
                                   : ridge<double>(rows, targets, penalty, n_threads);
        },
        nb::arg("rows"), nb::arg("targets").noconvert(), nb::arg("penalty").noconvert(),
        nb::arg("n_threads"),
        nb::sig("def solve_ridge(rows: object, targets: DoubleArray, penalty: DoubleArray, "
                "n_threads: int) -> DoubleArray"),
        "The weights of ridge regressions, flat: by targets and columns, the intercept last.");
}
