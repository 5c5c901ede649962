// Samples in canonical order, scaled features, and the SIMD level.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/convert.hpp"
#include "bindings/require.hpp"
#include "core/canonical.hpp"
#include "core/feature_scaling.hpp"
#include "simd/loops.hpp"

namespace nb = nanobind;
using namespace svmosaic;

namespace {

template <class Real>
nb::tuple find_distinct(const nb::object& rows, const Array1<Index>& labels,
                        const Array1<double>& weights, Index n_threads) {
    const auto table = read_table<Real>(rows);
    const Index size = count_rows(table.rows);
    require(ssize(labels) == size && ssize(weights) == size,
            "expected a label and a weight for each row");
    DistinctRows distinct;
    {
        const nb::gil_scoped_release release;
        ThreadPool pool(threads_to_sort(size, n_threads));
        distinct = distinct_rows(table.rows, span_of(labels), span_of(weights), pool);
    }
    return nb::make_tuple(to_numpy(std::move(distinct.rows)),
                          to_numpy(std::move(distinct.weights)));
}

template <class Real>
Index find_central(const nb::object& rows, const nb::object& problem) {
    const auto table = read_table<Real>(rows);
    const auto arrays = read_problem(problem, count_rows(table.rows));
    const nb::gil_scoped_release release;
    return central_sample(table.rows, arrays.view());
}

template <class Real>
nb::tuple moments_of(const nb::object& rows) {
    const auto table = read_table<Real>(rows);
    const auto& values = dense(table);
    FeatureMoments moments;
    {
        const nb::gil_scoped_release release;
        moments = feature_moments(values);
    }
    return nb::make_tuple(to_numpy(std::move(moments.means)),
                          to_numpy(std::move(moments.deviations)));
}

template <class Real>
nb::object scaled(const nb::object& rows, const Array1<double>& offset,
                  const Array1<double>& scale) {
    const auto table = read_table<Real>(rows);
    const auto& values = dense(table);
    require(ssize(offset) == values.n_columns && ssize(scale) == values.n_columns,
            "expected an offset and a scale for each column");
    std::vector<float> result(values.n_rows * values.n_columns);
    {
        const nb::gil_scoped_release release;
        scale_features(values, span_of(offset), span_of(scale), std::span(result));
    }
    return nb::cast(to_numpy(std::move(result)));
}

simd::Level level_of(const std::string& name) {
    for (const auto level : {simd::Level::baseline, simd::Level::avx2, simd::Level::avx512}) {
        if (name == simd::name_of(level)) return level;
    }
    throw nb::value_error(("unknown SIMD level '" + name + "'").c_str());
}

}  // namespace

void bind_rows(nb::module_& m) {
    m.def(
        "distinct_rows",
        [](const nb::object& rows, const Array1<Index>& labels, const Array1<double>& weights,
           Index n_threads) {
            return is_single(rows) ? find_distinct<float>(rows, labels, weights, n_threads)
                                   : find_distinct<double>(rows, labels, weights, n_threads);
        },
        nb::arg("rows"), nb::arg("labels").noconvert(), nb::arg("weights").noconvert(),
        nb::arg("n_threads"),
        nb::sig("def distinct_rows(rows: object, labels: IndexArray, weights: DoubleArray, "
                "n_threads: int) -> tuple[IndexArray, DoubleArray]"),
        "First copies of the distinct (row, label) patterns in canonical order, and their "
        "weights.");
    m.def(
        "central_sample",
        [](const nb::object& rows, const nb::object& problem) {
            return is_single(rows) ? find_central<float>(rows, problem)
                                   : find_central<double>(rows, problem);
        },
        nb::arg("rows"), nb::arg("problem"),
        nb::sig("def central_sample(rows: object, problem: object) -> int"),
        "Position of the sample nearest to its class mean, in the class of larger weight.");
    m.def(
        "feature_moments",
        [](const nb::object& rows) {
            return is_single(rows) ? moments_of<float>(rows) : moments_of<double>(rows);
        },
        nb::arg("rows"),
        nb::sig("def feature_moments(rows: object) -> tuple[DoubleArray, DoubleArray]"),
        "Means and standard deviations of the columns of dense rows.");
    m.def(
        "scale_features",
        [](const nb::object& rows, const Array1<double>& offset, const Array1<double>& scale) {
            return is_single(rows) ? scaled<float>(rows, offset, scale)
                                   : scaled<double>(rows, offset, scale);
        },
        nb::arg("rows"), nb::arg("offset").noconvert(), nb::arg("scale").noconvert(),
        nb::sig("def scale_features(rows: object, offset: DoubleArray, scale: DoubleArray) -> "
                "SingleArray"),
        "The columns of dense rows, less an offset and divided by a scale, as float32.");
    m.def(
        "simd_level", [] { return std::string(simd::name_of(simd::current_level())); },
        "The SIMD level in use: baseline, avx2 or avx512.");
    m.def(
        "best_simd_level", [] { return std::string(simd::name_of(simd::best_level())); },
        "The best SIMD level of this computer.");
    m.def(
        "force_simd_level", [](const std::string& name) { simd::force_level(level_of(name)); },
        nb::arg("name"), "Use another SIMD level, for tests and benchmarks.");
}
