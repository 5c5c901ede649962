// The type of every count and position.
#pragma once

#include <cstdint>

namespace svmosaic {

using Index = std::int64_t;

}  // namespace svmosaic
