// Parameter tuning: a table, its folds and a grid in, counts of predictions out.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/convert.hpp"
#include "bindings/require.hpp"
#include "solvers/tune_ollawv.hpp"

namespace nb = nanobind;
using namespace svmosaic;

namespace {

template <class Real>
nb::tuple tune(const nb::object& rows, const nb::object& kernel, const Array1<Index>& labels,
               const Array1<double>& weights, const nb::list& splits, const Array1<double>& gammas,
               const Array1<double>& margins, const Array1<double>& Cs,
               const std::string& multi_class, const OllawvSettings& solver, double memory_mb,
               Index n_threads, double max_time, const nb::object& progress) {
    const auto table = read_table<Real>(rows);
    const auto spec = read_kernel(kernel);
    require(multi_class == "ovo" || multi_class == "ovr", "multi_class must be 'ovo' or 'ovr'");
    const TuneSettings settings{
        span_of(gammas), span_of(margins),
        span_of(Cs),     multi_class == "ovo" ? MultiClass::ovo : MultiClass::ovr,
        solver,          memory_mb};
    const Index n_rows = count_rows(table.rows);
    require(ssize(labels) == n_rows && ssize(weights) == n_rows,
            "expected a label and a weight for each row");
    require(std::ranges::all_of(span_of(labels), [](Index label) { return label >= 0; }),
            "labels are class numbers from 0");
    std::vector<Array1<Index>> arrays;
    std::vector<Split> views;
    for (const auto split : splits) {
        arrays.push_back(nb::cast<Array1<Index>>(split[0], false));
        arrays.push_back(nb::cast<Array1<Index>>(split[1], false));
        views.push_back({span_of(arrays[arrays.size() - 2]), span_of(arrays.back())});
        require_indices(views.back().train, n_rows, "training rows");
        require_indices(views.back().test, n_rows, "test rows");
    }
    Monitor monitor(max_time, python_poll(progress));
    TuneResult result;
    {
        const nb::gil_scoped_release release;
        result = tune_ollawv(table.rows, spec, span_of(labels), span_of(weights), views, settings,
                             n_threads, monitor);
    }
    raise_if_interrupted(monitor);
    return nb::make_tuple(to_numpy(std::move(result.confusion)),
                          to_numpy(std::move(result.n_support)));
}

}  // namespace

void bind_tune(nb::module_& m) {
    m.def(
        "tune_ollawv",
        [](const nb::object& rows, const nb::object& kernel, const Array1<Index>& labels,
           const Array1<double>& weights, const nb::list& splits, const Array1<double>& gammas,
           const Array1<double>& margins, const Array1<double>& Cs, const std::string& multi_class,
           const OllawvSettings& solver, double memory_mb, Index n_threads, double max_time,
           const nb::object& progress) {
            const auto run = is_single(rows) ? tune<float> : tune<double>;
            return run(rows, kernel, labels, weights, splits, gammas, margins, Cs, multi_class,
                       solver, memory_mb, n_threads, max_time, progress);
        },
        nb::arg("rows"), nb::arg("kernel"), nb::arg("labels").noconvert(),
        nb::arg("weights").noconvert(), nb::arg("splits"), nb::arg("gammas").noconvert(),
        nb::arg("margins").noconvert(), nb::arg("Cs").noconvert(), nb::arg("multi_class"),
        nb::arg("solver"), nb::arg("memory_mb"), nb::arg("n_threads"), nb::arg("max_time"),
        nb::arg("progress").none(),
        nb::sig("def tune_ollawv(rows: object, kernel: object, labels: IndexArray, weights: "
                "DoubleArray, splits: list[Any], gammas: DoubleArray, margins: DoubleArray, Cs: "
                "DoubleArray, multi_class: str, solver: OllawvSettings, memory_mb: float, "
                "n_threads: int, max_time: float, progress: "
                "object | None) -> tuple[DoubleArray, DoubleArray]"),
        "Try all candidates of a grid on all folds: confusion matrices and support vectors.");
}
