// The loops of parameter tuning for the level `avx2`; CMakeLists.txt gives the instruction set.
#include "simd/tune_loops_impl.hpp"

namespace svmosaic::simd {

const TuneLoops<float> tune_float_avx2 = tune_loops_of<Level::avx2, float>();
const TuneLoops<double> tune_double_avx2 = tune_loops_of<Level::avx2, double>();

}  // namespace svmosaic::simd
