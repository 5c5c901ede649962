// The hot loops for the level `baseline`; CMakeLists.txt gives this file its instruction set.
#include "simd/levels.hpp"
#include "simd/loops_of.hpp"

namespace svmosaic::simd {

constinit const Loops<float> loops_float_baseline = loops_of<Level::baseline, float>();
constinit const Loops<double> loops_double_baseline = loops_of<Level::baseline, double>();
constinit const Algebra algebra_baseline = algebra_of<Level::baseline>();

}  // namespace svmosaic::simd
