// Parameter tuning: a table, its folds and a grid in, counts of predictions out.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/convert.hpp"
#include "bindings/require.hpp"
#include "solvers/left_out_scores.hpp"
#include "solvers/tune_ollawv.hpp"

namespace nb = nanobind;
using namespace svmosaic;

namespace {

// Splits of the rows of a table, and the Python arrays that keep them alive.
struct Splits {
    std::vector<Array1<Index>> arrays;
    std::vector<Split> views;

    Splits(const nb::list& splits, Index n_rows) {
        for (const auto split : splits) {
            arrays.push_back(nb::cast<Array1<Index>>(split[0], false));
            arrays.push_back(nb::cast<Array1<Index>>(split[1], false));
            views.push_back({span_of(arrays[arrays.size() - 2]), span_of(arrays.back())});
            require_indices(views.back().train, n_rows, "training rows");
            require_indices(views.back().test, n_rows, "test rows");
        }
    }
};

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
    const Splits parts(splits, n_rows);
    Monitor monitor(max_time, python_poll(progress));
    TuneResult result;
    {
        const nb::gil_scoped_release release;
        result = tune_ollawv(table.rows, spec, span_of(labels), span_of(weights), parts.views,
                             settings, n_threads, monitor);
    }
    raise_if_interrupted(monitor);
    return nb::make_tuple(to_numpy(std::move(result.confusion)),
                          to_numpy(std::move(result.n_support)));
}

nb::object score_splits(const Array2<double>& gram, const Array1<double>& signs,
                        const nb::list& splits, const Array1<double>& Cs,
                        const SmoSettings& settings) {
    const Index n = gram.shape(0);
    require(ssize(signs) == n && static_cast<Index>(gram.shape(1)) == n,
            "expected a square kernel matrix and a sign for each of its rows");
    require(std::ranges::is_sorted(span_of(Cs)), "expected ascending penalties");
    const Splits parts(splits, n);
    for (const auto& part : parts.views) {
        require(std::ranges::is_sorted(part.train), "expected ascending training rows");
    }
    Monitor monitor(0.0, python_poll(nb::none()));
    std::vector<double> scores;
    {
        const nb::gil_scoped_release release;
        scores = score_left_out({gram.data(), n, n}, span_of(signs), parts.views, span_of(Cs),
                                settings, monitor);
    }
    raise_if_interrupted(monitor);
    return nb::cast(to_numpy(std::move(scores)));
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
    m.def("score_left_out", &score_splits, nb::arg("gram").noconvert(),
          nb::arg("signs").noconvert(), nb::arg("splits"), nb::arg("Cs").noconvert(),
          nb::arg("settings"),
          nb::sig("def score_left_out(gram: DoubleArray, signs: DoubleArray, splits: list[Any], "
                  "Cs: DoubleArray, settings: SmoSettings) -> DoubleArray"),
          "Decision values of the L1-SVM where splits of a kernel matrix leave rows out, by C.");
}
