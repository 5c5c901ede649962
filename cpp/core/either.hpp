// One of two numbers without a branch.
#pragma once

#include <bit>
#include <cstdint>

namespace svmosaic {

// For conditions that no processor can predict: a branch that goes the other way costs as much as
// twenty additions.
inline double either(bool condition, double yes, double no) {
    const auto mask = std::uint64_t{0} - static_cast<std::uint64_t>(condition);
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(yes) & mask) |
                                 (std::bit_cast<std::uint64_t>(no) & ~mask));
}

}  // namespace svmosaic
