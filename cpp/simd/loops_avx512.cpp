// The hot loops for the level `avx512`; CMakeLists.txt gives this file its instruction set.
#include "simd/levels.hpp"
#include "simd/loops_of.hpp"

namespace svmosaic::simd {

constinit const Loops<float> loops_float_avx512 = loops_of<Level::avx512, float>();
constinit const Loops<double> loops_double_avx512 = loops_of<Level::avx512, double>();
constinit const Algebra algebra_avx512 = algebra_of<Level::avx512>();

}  // namespace svmosaic::simd
