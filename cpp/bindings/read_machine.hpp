// The settings of an OLLAWV machine, which solving and tuning both read.
#pragma once

#include "bindings/convert.hpp"
#include "solvers/solve.hpp"

namespace svmosaic {

// From a svmosaic.solvers.ollawv.OllawvSettings.
OllawvMachine read_machine(const nb::handle& record);

}  // namespace svmosaic
