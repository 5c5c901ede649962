// Decision values of kernel expansions, and sums of kernel rows that are kept.
#include <nanobind/nanobind.h>

#include "bindings/convert.hpp"
#include "bindings/require.hpp"
#include "expansion/bag_kernel.hpp"
#include "expansion/decide.hpp"
#include "expansion/decide_linear.hpp"
#include "expansion/kernel_matrix.hpp"
#include "expansion/stored_rows.hpp"
#include "simd/loops.hpp"

namespace nb = nanobind;
using namespace svmosaic;

namespace {

// One row of coefficients per support vector, in compressed form.
void check_coefficients(const Coefficients& coefficients, Index n_support) {
    const auto offsets = coefficients.offsets;
    const Index n_values = ssize(coefficients.values);
    require(ssize(offsets) == n_support + 1 && offsets.front() == 0 && offsets.back() == n_values &&
                std::ranges::is_sorted(offsets) &&
                coefficients.outputs.size() == coefficients.values.size(),
            "expected compressed coefficients with one row per support vector");
    require_indices(coefficients.outputs, coefficients.n_outputs, "outputs");
}

// The number of vectors that may be named: columns of pairwise values, rows of other tables.
template <class Real>
Index count_vectors(const Rows<Real>& vectors) {
    if (const auto* values = std::get_if<PairwiseRows<Real>>(&vectors)) return values->n_columns;
    return count_rows(vectors);
}

template <class Real>
nb::ndarray<nb::numpy, double, nb::ndim<1>> decide_rows(
    const nb::object& rows, const nb::object& vectors, const Array1<Index>& support,
    const nb::object& kernel, const Coefficients& coefficients, const Array1<double>& intercepts,
    Index n_threads, const nb::object& progress) {
    const auto table = read_table<Real>(rows);
    const auto vector_table = read_table<Real>(vectors);
    const auto spec = read_kernel(kernel);
    require_same_width(table.rows, vector_table.rows);
    require_indices(span_of(support), count_vectors(vector_table.rows), "support vectors");
    check_coefficients(coefficients, support.size());
    std::vector<double> values(count_rows(table.rows) * coefficients.n_outputs);
    Monitor monitor(0.0, python_poll(progress));
    {
        const nb::gil_scoped_release release;
        ThreadPool pool(n_threads);
        decide(table.rows, vector_table.rows, span_of(support), spec, coefficients,
               span_of(intercepts), std::span<double>(values), pool, monitor);
    }
    raise_if_interrupted(monitor);
    return to_numpy(std::move(values));
}

template <class Real, class Value>
nb::object matrix_of(const nb::object& rows, const nb::object& vectors, const nb::object& kernel,
                     Index n_threads) {
    const auto table = read_table<Real>(rows);
    const auto vector_table = read_table<Real>(vectors);
    const auto spec = read_kernel(kernel);
    require_same_width(table.rows, vector_table.rows);
    Monitor monitor(0.0, python_poll(nb::none()));
    UnsetVector<Value> values;
    {
        const nb::gil_scoped_release release;
        ThreadPool pool(n_threads);
        values = kernel_matrix<Real, Value>(table.rows, vector_table.rows, spec, pool, monitor);
    }
    raise_if_interrupted(monitor);
    return nb::cast(to_numpy(std::move(values)));
}

template <class Real>
nb::object linear_decisions(const nb::object& rows, const Array2<double>& weights,
                            Index n_threads) {
    const auto table = read_table<Real>(rows);
    const auto& values = dense(table);
    require(static_cast<Index>(weights.shape(1)) == values.n_columns + 1,
            "expected a weight for each column and an intercept");
    std::vector<double> decisions(values.n_rows * weights.shape(0));
    {
        const nb::gil_scoped_release release;
        ThreadPool pool(n_threads);
        decide_linear(values, {weights.data(), weights.size()}, std::span(decisions), pool);
    }
    return nb::cast(to_numpy(std::move(decisions)));
}

// The table, checked: an index out of it would read memory that is not ours.
StoredRows read_stored_rows(const Array2<double>& table, Index n_columns,
                            const Array1<Index>& places) {
    const Index n_rows = table.shape(0);
    const Index width = table.shape(1);
    if (width % simd::lanes<double> != 0 || n_columns < 0 || n_columns > width) {
        throw nb::value_error(
            "the width of the table must be a multiple of 8, with room for all "
            "columns");
    }
    for (const Index place : span_of(places)) {
        if (place < 0 || place >= n_rows) throw nb::index_error("there is no such row");
    }
    return {{table.data(), table.size()}, width, n_columns};
}

nb::object sum_stored_rows(const Array2<double>& table, Index n_columns,
                           const Array1<Index>& places, const Array1<double>& weights) {
    const auto rows = read_stored_rows(table, n_columns, places);
    if (places.size() != weights.size()) throw nb::value_error("expected a weight for each row");
    std::vector<double> sums;
    {
        const nb::gil_scoped_release release;
        sums = sum_rows(rows, span_of(places), span_of(weights));
    }
    return nb::cast(to_numpy(std::move(sums)));
}

nb::object gram_of_stored_rows(const Array2<double>& table, Index n_columns,
                               const Array1<Index>& places, const Array1<Index>& instances) {
    const auto rows = read_stored_rows(table, n_columns, places);
    if (places.size() != instances.size()) {
        throw nb::value_error("expected a row for each instance");
    }
    for (const Index instance : span_of(instances)) {
        if (instance < 0 || instance >= n_columns) throw nb::index_error("there is no such column");
    }
    std::vector<double> gram;
    {
        const nb::gil_scoped_release release;
        gram = gram_of_rows(rows, span_of(places), span_of(instances));
    }
    return nb::cast(to_numpy(std::move(gram)));
}

template <class Real>
nb::object rbf_of_bags(const nb::object& instances, const Array1<Index>& offsets,
                       const Array2<double>& weights, const Array1<double>& gammas,
                       Index n_threads) {
    const auto table = read_table<Real>(instances);
    const Index n = count_rows(table.rows);
    const WeightedBags bags{span_of(offsets), {weights.data(), weights.size()}};
    require(!bags.offsets.empty() && bags.offsets.front() == 0 && bags.offsets.back() == n &&
                std::ranges::is_sorted(bags.offsets) && n > 0,
            "the offsets of bags must ascend from 0 to the number of instances");
    require(static_cast<Index>(weights.shape(1)) == n, "expected a weight for each instance");
    require(std::ranges::all_of(span_of(gammas), [](double gamma) { return gamma > 0.0; }),
            "gamma must be positive");
    Monitor monitor(0.0, python_poll(nb::none()));
    std::vector<double> values;
    {
        const nb::gil_scoped_release release;
        ThreadPool pool(n_threads);
        values = rbf_between_bags(table.rows, bags, span_of(gammas), pool, monitor);
    }
    raise_if_interrupted(monitor);
    return nb::cast(to_numpy(std::move(values)));
}

}  // namespace

void bind_expansion(nb::module_& m) {
    m.def(
        "decide",
        [](const nb::object& rows, const nb::object& vectors, const Array1<Index>& support,
           const nb::object& kernel, const Array1<Index>& offsets, const Array1<Index>& outputs,
           const Array1<double>& values, const Array1<double>& intercepts, Index n_threads) {
            const Coefficients coefficients{span_of(offsets), span_of(outputs), span_of(values),
                                            ssize(intercepts)};
            const nb::object nobody = nb::none();
            return is_single(rows)
                       ? decide_rows<float>(rows, vectors, support, kernel, coefficients,
                                            intercepts, n_threads, nobody)
                       : decide_rows<double>(rows, vectors, support, kernel, coefficients,
                                             intercepts, n_threads, nobody);
        },
        nb::arg("rows"), nb::arg("vectors"), nb::arg("support").noconvert(), nb::arg("kernel"),
        nb::arg("offsets").noconvert(), nb::arg("outputs").noconvert(),
        nb::arg("values").noconvert(), nb::arg("intercepts").noconvert(), nb::arg("n_threads"),
        nb::sig("def decide(rows: object, vectors: object, support: IndexArray, kernel: object, "
                "offsets: IndexArray, outputs: IndexArray, values: DoubleArray, intercepts: "
                "DoubleArray, n_threads: int) -> DoubleArray"),
        "Decision values, row-major (n_rows, n_outputs), flattened.");
    m.def(
        "kernel_matrix",
        [](const nb::object& rows, const nb::object& vectors, const nb::object& kernel, bool narrow,
           Index n_threads) {
            if (!is_single(rows)) {
                return matrix_of<double, double>(rows, vectors, kernel, n_threads);
            }
            return narrow ? matrix_of<float, float>(rows, vectors, kernel, n_threads)
                          : matrix_of<float, double>(rows, vectors, kernel, n_threads);
        },
        nb::arg("rows"), nb::arg("vectors"), nb::arg("kernel"), nb::arg("narrow"),
        nb::arg("n_threads"),
        nb::sig("def kernel_matrix(rows: object, vectors: object, kernel: object, narrow: bool, "
                "n_threads: int) -> FloatArray"),
        "Kernel values of all pairs of rows and vectors, row-major and flattened; where narrow, in "
        "the precision of the rows.");
    m.def(
        "decide_linear",
        [](const nb::object& rows, const Array2<double>& weights, Index n_threads) {
            return is_single(rows) ? linear_decisions<float>(rows, weights, n_threads)
                                   : linear_decisions<double>(rows, weights, n_threads);
        },
        nb::arg("rows"), nb::arg("weights").noconvert(), nb::arg("n_threads"),
        nb::sig("def decide_linear(rows: object, weights: DoubleArray, n_threads: int) -> "
                "DoubleArray"),
        "Decision values of dense rows, flat: by rows and by rows of weights, which end with the "
        "intercept.");
    m.def("sum_rows", &sum_stored_rows, nb::arg("table").noconvert(), nb::arg("n_columns"),
          nb::arg("places").noconvert(), nb::arg("weights").noconvert(),
          nb::sig("def sum_rows(table: DoubleArray, n_columns: int, places: IndexArray, weights: "
                  "DoubleArray) -> DoubleArray"),
          "The weighted sum of some rows of a table.");
    m.def("gram_of_rows", &gram_of_stored_rows, nb::arg("table").noconvert(), nb::arg("n_columns"),
          nb::arg("places").noconvert(), nb::arg("instances").noconvert(),
          nb::sig("def gram_of_rows(table: DoubleArray, n_columns: int, places: IndexArray, "
                  "instances: IndexArray) -> DoubleArray"),
          "Kernel values between instances whose rows are in a table, flat and symmetric.");
    m.def(
        "rbf_between_bags",
        [](const nb::object& instances, const Array1<Index>& offsets, const Array2<double>& weights,
           const Array1<double>& gammas, Index n_threads) {
            return is_single(instances)
                       ? rbf_of_bags<float>(instances, offsets, weights, gammas, n_threads)
                       : rbf_of_bags<double>(instances, offsets, weights, gammas, n_threads);
        },
        nb::arg("instances"), nb::arg("offsets").noconvert(), nb::arg("weights").noconvert(),
        nb::arg("gammas").noconvert(), nb::arg("n_threads"),
        nb::sig("def rbf_between_bags(instances: object, offsets: IndexArray, weights: "
                "DoubleArray, gammas: DoubleArray, n_threads: int) -> DoubleArray"),
        "The rbf kernel between weighted sums of instances, flat: by weights, gammas and bags.");
}
