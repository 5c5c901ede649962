// The tables of loops that the level files define and dispatch.cpp chooses from.
#pragma once

#include "simd/loops.hpp"

namespace svmosaic::simd {

extern const Loops<float> loops_float_baseline;
extern const Loops<double> loops_double_baseline;
extern const Algebra algebra_baseline;
extern const Loops<float> loops_float_avx2;
extern const Loops<double> loops_double_avx2;
extern const Algebra algebra_avx2;
extern const Loops<float> loops_float_avx512;
extern const Loops<double> loops_double_avx512;
extern const Algebra algebra_avx512;

}  // namespace svmosaic::simd
