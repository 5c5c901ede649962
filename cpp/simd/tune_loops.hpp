// The hot loops of parameter tuning: small problems on a stored kernel matrix.
//
// Compiled per SIMD level like loops.hpp and chosen with it. Every array starts at a cache line and
// every n is a multiple of lanes<Real>, unless a comment says otherwise.
#pragma once

#include "simd/loops.hpp"

namespace svmosaic::simd {

template <class Real>
struct TuneLoops {
    // OLLAWV on the samples of one class: outputs[i] += step * column[i] + shift; returns the
    // smallest sign * outputs[i] + blocked[i]. `blocked` is +infinity where nothing can be chosen.
    double (*advance)(const Real* column, double step, double shift, double sign,
                      const double* blocked, double* outputs, Index n);
    // The same without a minimum, for samples that are only predicted.
    void (*follow)(const Real* column, double step, double shift, double* outputs, Index n);
    // The first i with sign * outputs[i] + blocked[i] <= bound, or -1.
    Index (*first_at_most)(const double* outputs, double sign, const double* blocked, double bound,
                           Index n);

    // out[i] = row[places[i]]; any n.
    void (*gather)(const Real* row, const int* places, Real* out, Index n);
    // sums[i] += step * column[i]
    void (*add_scaled)(const Real* column, double step, double* sums, Index n);

    // SMO, the second variable; see Loops::select_second. No division: gains are compared as
    // fractions.
    Extreme (*select_second)(const Real* column_i, const double* diagonal, const double* gradient,
                             const double* low, double gradient_i, double diagonal_i, Index n);
    // SMO, the gradient step and the next first variable; see Loops::update_gradient.
    PairExtremes (*update_gradient)(const Real* column_i, const Real* column_j, double step,
                                    const double* up, const double* low, double* gradient, Index n);

    // A = U'U for a symmetric n x n matrix given by the upper halves of its rows, which lie
    // `stride` apart (a multiple of 8). U replaces them, with the inverses of its diagonal; what is
    // left of the diagonal is scratch. Any n. False when a pivot is not positive.
    bool (*factorise)(double* A, Index stride, Index n);
    // Solves U'U x = b in place for two b, with the U of `factorise`; both have room for `stride`.
    void (*solve_factored)(const double* U, Index stride, Index n, double* b, double* c);
};

// The loops of the level in use.
template <class Real>
const TuneLoops<Real>& tune_loops();

extern const TuneLoops<float> tune_float_baseline;
extern const TuneLoops<double> tune_double_baseline;
extern const TuneLoops<float> tune_float_avx2;
extern const TuneLoops<double> tune_double_avx2;
extern const TuneLoops<float> tune_float_avx512;
extern const TuneLoops<double> tune_double_avx512;

}  // namespace svmosaic::simd
