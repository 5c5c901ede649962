// Parameter tuning: a table, its folds and a grid in, counts of predictions out.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/convert.hpp"
#include "bindings/read_machine.hpp"
#include "bindings/require.hpp"
#include "solvers/tune_ollawv.hpp"

namespace nb = nanobind;
using namespace svmosaic;

namespace {

MultiClass multi_class_of(const std::string& name) {
    if (name == "ovo") return MultiClass::ovo;
    if (name == "ovr") return MultiClass::ovr;
    throw nb::value_error(("unknown multi-class scheme '" + name + "'").c_str());
}

// The arrays that the settings borrow.
struct TuneArrays {
    Array1<double> gammas;
    Array1<double> margins;
    Array1<double> Cs;
    TuneSettings settings;
};

TuneArrays read_tune(const nb::handle& s) {
    TuneArrays arrays{array1<double>(s, "gammas"), array1<double>(s, "margins"),
                      array1<double>(s, "Cs"), TuneSettings{}};
    arrays.settings.gammas = span_of(arrays.gammas);
    arrays.settings.margins = span_of(arrays.margins);
    arrays.settings.Cs = span_of(arrays.Cs);
    arrays.settings.multi_class = multi_class_of(nb::cast<std::string>(s.attr("multi_class")));
    arrays.settings.machine = read_machine(s.attr("machine"));
    arrays.settings.memory_mb = nb::cast<double>(s.attr("memory_mb"));
    return arrays;
}

template <class Real>
nb::tuple tune(const nb::object& rows, const nb::object& kernel, const Array1<Index>& labels,
               const Array1<double>& weights, const nb::list& splits, const nb::object& settings,
               Index n_threads, double max_time, const nb::object& progress) {
    const auto table = read_table<Real>(rows);
    const auto spec = read_kernel(kernel);
    const auto grid = read_tune(settings);
    const Index n_rows = count_rows(table.rows);
    require(
        static_cast<Index>(labels.size()) == n_rows && static_cast<Index>(weights.size()) == n_rows,
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
        result = tune_ollawv(table.rows, spec, span_of(labels), span_of(weights), views,
                             grid.settings, n_threads, monitor);
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
           const Array1<double>& weights, const nb::list& splits, const nb::object& settings,
           Index n_threads, double max_time, const nb::object& progress) {
            return is_single(rows) ? tune<float>(rows, kernel, labels, weights, splits, settings,
                                                 n_threads, max_time, progress)
                                   : tune<double>(rows, kernel, labels, weights, splits, settings,
                                                  n_threads, max_time, progress);
        },
        nb::arg("rows"), nb::arg("kernel"), nb::arg("labels").noconvert(),
        nb::arg("weights").noconvert(), nb::arg("splits"), nb::arg("settings"),
        nb::arg("n_threads"), nb::arg("max_time"), nb::arg("progress").none(),
        nb::sig(
            "def tune_ollawv(rows: object, kernel: object, labels: IndexArray, weights: "
            "DoubleArray, splits: list[Any], settings: object, n_threads: int, max_time: float, "
            "progress: object | None) -> tuple[DoubleArray, DoubleArray]"),
        "Try all candidates of a grid on all folds: confusion matrices and support vectors.");
}
