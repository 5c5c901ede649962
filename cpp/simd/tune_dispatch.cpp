// The loops of parameter tuning for the level that dispatch.cpp chose.
#include "simd/tune_loops.hpp"

namespace svmosaic::simd {

template <>
const TuneLoops<float>& tune_loops<float>() {
#ifdef SVMOSAIC_X86_LEVELS
    if (current_level() == Level::avx512) return tune_float_avx512;
    if (current_level() == Level::avx2) return tune_float_avx2;
#endif
    return tune_float_baseline;
}

template <>
const TuneLoops<double>& tune_loops<double>() {
#ifdef SVMOSAIC_X86_LEVELS
    if (current_level() == Level::avx512) return tune_double_avx512;
    if (current_level() == Level::avx2) return tune_double_avx2;
#endif
    return tune_double_baseline;
}

}  // namespace svmosaic::simd
