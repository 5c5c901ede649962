// svmosaic._core: the table of contents of the compiled core.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "solvers/block_steps.hpp"
#include "solvers/run_all.hpp"

namespace nb = nanobind;

void bind_rows(nb::module_& m);
void bind_l1(nb::module_& m);
void bind_l2(nb::module_& m);
void bind_primal(nb::module_& m);
void bind_online(nb::module_& m);
void bind_expansion(nb::module_& m);
void bind_io(nb::module_& m);
void bind_tune(nb::module_& m);
void bind_boundary(nb::module_& m);
void bind_tune_regression(nb::module_& m);
void bind_measure(nb::module_& m);

NB_MODULE(_core, m) {
#ifdef NDEBUG
    // Objects that something outside keeps beyond the interpreter's last collection count as
    // leaked, and Hypothesis, for one, keeps what its strategies mention by a function in
    // gc.callbacks. A leak of ours shows in a debug build.
    nb::set_leak_warnings(false);
#endif
    m.doc() = "The compiled core of svmosaic. Private: use the estimators.";
    bind_rows(m);
    bind_l1(m);
    bind_l2(m);
    bind_primal(m);
    bind_online(m);
    bind_expansion(m);
    bind_io(m);
    bind_tune(m);
    bind_boundary(m);
    bind_tune_regression(m);
    bind_measure(m);
    // What estimates of memory have to know (svmosaic.engine.memory).
    m.attr("LARGE_PROBLEM") = svmosaic::large_problem;
    m.def("values_in_blocks", &svmosaic::values_in_blocks, nb::arg("n_samples"),
          nb::arg("n_threads"),
          "Kernel values that the exact solver keeps for blocks of samples, at most.");
    m.def(
        "compiler", [] { return std::string(__VERSION__); },
        "The version of the compiler that built the core.");
}
