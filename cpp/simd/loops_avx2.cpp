// The hot loops for the level `avx2`; CMakeLists.txt gives this file its instruction set.
#include "simd/levels.hpp"
#include "simd/loops_of.hpp"

namespace svmosaic::simd {

constinit const Loops<float> loops_float_avx2 = loops_of<Level::avx2, float>();
constinit const Loops<double> loops_double_avx2 = loops_of<Level::avx2, double>();
constinit const Algebra algebra_avx2 = algebra_of<Level::avx2>();

}  // namespace svmosaic::simd
