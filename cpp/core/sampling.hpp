// Random numbers of our own: the same on every platform, compiler and number of threads.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/problem.hpp"

namespace svmosaic {

// SplitMix64 (Steele, Lea, Flood 2014). The standard library's engines are portable, its
// distributions and std::shuffle are not. tests/twins/sampling.py draws the same.
class Sampler {
  public:
    explicit Sampler(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
        return mixed ^ (mixed >> 31);
    }

    // Uniform in 0 .. n-1, n >= 1. As many high bits as n - 1 has, again while they are too
    // large: no bias, fewer than two draws on average.
    Index below(Index n) {
        if (n == 1) return 0;
        const auto limit = static_cast<std::uint64_t>(n);
        const int shift = std::countl_zero(limit - 1);
        std::uint64_t drawn = next() >> shift;
        while (drawn >= limit) drawn = next() >> shift;
        return drawn;
    }

    // Uniform in [0, 1), a multiple of 2^-53.
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

    template <class Value>
    void shuffle(std::vector<Value>& values) {
        for (Index n = values.size(); n > 1; --n) {
            const Index drawn = below(n);
            std::swap(values[n - 1], values[drawn]);
        }
    }

  private:
    std::uint64_t state_;
};

// The numbers of one step of a run. They depend on the seed and on the number of the step alone, so
// a run can continue later without a stored state.
inline Sampler sampler_of_step(std::uint64_t seed, std::uint64_t step) {
    return Sampler(Sampler(seed).next() + step * 0xD1342543DE82EF95);
}

}  // namespace svmosaic
