// svmosaic._core: the table of contents of the compiled core.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

namespace nb = nanobind;

void bind_rows(nb::module_& m);
void bind_solvers(nb::module_& m);
void bind_expansion(nb::module_& m);
void bind_io(nb::module_& m);
void bind_settings(nb::module_& m);
void bind_tune(nb::module_& m);
void bind_boundary(nb::module_& m);
void bind_tune_regression(nb::module_& m);
void bind_measure(nb::module_& m);

NB_MODULE(_core, m) {
    m.doc() = "The compiled core of svmosaic. Private: use the estimators.";
    bind_settings(m);
    bind_rows(m);
    bind_solvers(m);
    bind_expansion(m);
    bind_io(m);
    bind_tune(m);
    bind_boundary(m);
    bind_tune_regression(m);
    bind_measure(m);
    m.def(
        "compiler", [] { return std::string(__VERSION__); },
        "The version of the compiler that built the core.");
}
