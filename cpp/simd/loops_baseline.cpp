// The hot loops for the level `baseline`; CMakeLists.txt gives this file its instruction set.
#include "simd/levels.hpp"
#include "simd/loops_of.hpp"

namespace svmosaic::simd {

const Loops<float> loops_float_baseline = loops_of<Level::baseline, float>();
const Loops<double> loops_double_baseline = loops_of<Level::baseline, double>();

}  // namespace svmosaic::simd
