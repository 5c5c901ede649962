// Python records to C++ views and back. The records are the dataclasses of svmosaic.engine.problem
// and svmosaic.engine.tasks; they are read by field name, without conversion of any array.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "core/rows.hpp"

namespace svmosaic {

namespace nb = nanobind;

template <class T>
using Array1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The array in record.field, which must have exactly this type: a forgotten conversion is an
// error here, not a silent copy.
template <class T>
Array1<T> array1(const nb::handle& record, const char* field) {
    Array1<T> array;
    if (!nb::try_cast<Array1<T>>(record.attr(field), array, false)) {
        throw nb::type_error(("field '" + std::string(field) +
                              "' is not a contiguous one-dimensional array of the expected type")
                                 .c_str());
    }
    return array;
}

template <class T>
std::span<const T> span_of(const Array1<T>& array) {
    return {array.data(), array.size()};
}

template <class T, class Allocator>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T, Allocator>&& values) {
    using Vector = std::vector<T, Allocator>;
    auto* owned = new Vector(std::move(values));
    const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Vector*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(owned->data(), {owned->size()}, owner);
}

KernelSpec read_kernel(const nb::handle& record);

// The borrowed table and the Python arrays that keep it alive.
template <class Real>
struct Table {
    Rows<Real> rows;
    std::vector<nb::object> keep;
};

template <class Real>
Table<Real> read_table(const nb::handle& record);

// The rows of a table that must be dense.
template <class Real>
const DenseRows<Real>& dense(const Table<Real>& table) {
    if (const auto* rows = std::get_if<DenseRows<Real>>(&table.rows)) return *rows;
    throw nb::type_error("expected dense rows");
}

// True for float32 tables, false for float64 ones; throws for any other.
bool is_single(const nb::handle& record);

struct ProblemArrays {
    Array1<Index> samples;
    Array1<double> targets;
    Array1<double> weights;
    Index start;

    Problem view() const { return {span_of(samples), span_of(targets), span_of(weights), start}; }
};

// A problem over a table of `n_rows` rows.
ProblemArrays read_problem(const nb::handle& record, Index n_rows);

// A dict with the fields of svmosaic.engine.problem.Solution.
nb::dict to_dict(Solution&& solution);

// Asks Python for signals and calls progress(done, total, steps), if it is not None.
std::function<bool(const Progress&)> python_poll(const nb::object& progress);

// After a run: raises what the poll left behind (KeyboardInterrupt, an error of the callback).
void raise_if_interrupted(const Monitor& monitor);

}  // namespace svmosaic
