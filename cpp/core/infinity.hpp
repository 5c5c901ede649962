// The number beyond all others, by its short name.
#pragma once

#include <limits>

namespace svmosaic {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace svmosaic
