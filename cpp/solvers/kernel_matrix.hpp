// A stored kernel matrix, as the solvers of parameter tuning see it.
#pragma once

#include "core/problem.hpp"

namespace svmosaic {

// Row s holds k(sample s, sample at place p) at p; rows start at cache lines.
template <class Real>
struct KernelMatrix {
    const Real* values = nullptr;
    Index stride = 0;

    const Real* row(Index sample) const { return values + sample * stride; }
};

}  // namespace svmosaic
