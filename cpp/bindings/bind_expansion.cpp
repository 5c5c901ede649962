// Decision values of kernel expansions.
#include <nanobind/nanobind.h>

#include "bindings/convert.hpp"
#include "expansion/decide.hpp"

namespace nb = nanobind;
using namespace svmosaic;

namespace {

template <class Real>
nb::ndarray<nb::numpy, double, nb::ndim<1>> decide_rows(
    const nb::object& rows, const nb::object& vectors, const Array1<Index>& support,
    const nb::object& kernel, const Coefficients& coefficients, const Array1<double>& intercepts,
    Index n_threads, const nb::object& progress) {
    const auto table = read_table<Real>(rows);
    const auto vector_table = read_table<Real>(vectors);
    const auto spec = read_kernel(kernel);
    std::vector<double> values(
        static_cast<std::size_t>(count_rows(table.rows) * coefficients.n_outputs));
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

}  // namespace

void bind_expansion(nb::module_& m) {
    m.def(
        "decide",
        [](const nb::object& rows, const nb::object& vectors, const Array1<Index>& support,
           const nb::object& kernel, const Array1<Index>& offsets, const Array1<Index>& outputs,
           const Array1<double>& values, const Array1<double>& intercepts, Index n_threads) {
            const Coefficients coefficients{span_of(offsets), span_of(outputs), span_of(values),
                                            static_cast<Index>(intercepts.size())};
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
}
