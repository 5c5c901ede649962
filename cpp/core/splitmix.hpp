// A small generator of random numbers that is the same on every machine and in the NumPy twins.
#pragma once

#include <cstdint>

#include "core/problem.hpp"

namespace svmosaic {

// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). The standard library's distributions differ
// between compilers, so whole numbers are made here.
class SplitMix {
  public:
    explicit SplitMix(Index seed) : state_(static_cast<std::uint64_t>(seed)) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15u;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }

    // A number from 0 to n - 1. The remainder favours none by more than n / 2^64.
    Index below(Index n) { return static_cast<Index>(next() % static_cast<std::uint64_t>(n)); }

  private:
    std::uint64_t state_;
};

}  // namespace svmosaic
