// When a run ends before its own stopping rule holds.
#pragma once

#include "core/monitor.hpp"
#include "core/problem.hpp"

namespace svmosaic {

// Whether the limit on iterations is reached or the monitor says stop; the solution says which.
inline bool must_stop(Index max_iter, Monitor& monitor, Solution& solution) {
    if (solution.n_iter >= max_iter) {
        solution.status = Status::max_iter;
        return true;
    }
    if (monitor.should_stop()) {
        solution.status = monitor.reason();
        return true;
    }
    return false;
}

}  // namespace svmosaic
