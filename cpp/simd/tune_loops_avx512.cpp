// The loops of parameter tuning for the level `avx512`; CMakeLists.txt gives the instruction set.
#include "simd/tune_loops_impl.hpp"

namespace svmosaic::simd {

const TuneLoops<float> tune_float_avx512 = tune_loops_of<Level::avx512, float>();
const TuneLoops<double> tune_double_avx512 = tune_loops_of<Level::avx512, double>();

}  // namespace svmosaic::simd
