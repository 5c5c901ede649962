// The hot loops for the level `avx512`; CMakeLists.txt gives this file its instruction set.
#include "simd/levels.hpp"
#include "simd/loops_of.hpp"

namespace svmosaic::simd {

const Loops<float> loops_float_avx512 = loops_of<Level::avx512, float>();
const Loops<double> loops_double_avx512 = loops_of<Level::avx512, double>();

}  // namespace svmosaic::simd
