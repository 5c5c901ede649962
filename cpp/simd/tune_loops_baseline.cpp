// The loops of parameter tuning for the level `baseline`; CMakeLists.txt gives the instruction set.
#include "simd/tune_loops_impl.hpp"

namespace svmosaic::simd {

const TuneLoops<float> tune_float_baseline = tune_loops_of<Level::baseline, float>();
const TuneLoops<double> tune_double_baseline = tune_loops_of<Level::baseline, double>();

}  // namespace svmosaic::simd
