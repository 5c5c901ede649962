// The hot loops, compiled once per SIMD level and chosen at run time.
//
// Samples lie interleaved: a block holds `lanes<Real>` samples, feature-major, so one vector
// lane is one sample and no loop ever sums across lanes. A value therefore does not depend
// on the place of its sample in the table; ties stay ties and threads cannot change a result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/problem.hpp"

namespace svmosaic::simd {

enum class Level { baseline, avx2, avx512 };

// Samples per block: one 64-byte vector.
template <class Real>
inline constexpr Index lanes = 64 / sizeof(Real);

constexpr Index round_up(Index n, Index multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

// Queries that are handled together; their values lie side by side, feature by feature:
// value f of query m at [f * max_queries + m].
inline constexpr Index max_queries = 16;

// Samples as lists of non-zeros, with what a distance needs of each: |x|^2 or |x|_1. Every list is
// filled up with zeros to whole groups.
inline constexpr Index sparse_group = 4;
template <class Real>
struct SparseRows {
    const Index* offsets;
    const std::int32_t* features;
    const Real* values;
    const double* sums;
};

// A value and its index. `index` is -1 when nothing qualified.
struct Extreme {
    double value;
    Index index;
};

struct PairExtremes {
    Extreme lowest_up;   // smallest gradient among variables that may grow
    double highest_low;  // largest gradient among variables that may shrink
};

template <class Real>
struct Loops {
    // One query of `n_features` values against `n_blocks` interleaved blocks.
    void (*squared_distances)(const Real* blocks, Index n_blocks, Index n_features,
                              const Real* query, Real* out);
    void (*dot_products)(const Real* blocks, Index n_blocks, Index n_features, const Real* query,
                         Real* out);
    void (*manhattan_distances)(const Real* blocks, Index n_blocks, Index n_features,
                                const Real* query, Real* out);

    // Up to max_queries queries against the same blocks; out[m] is the column of query m. The
    // values are those of one query at a time, to the last bit.
    void (*squared_distances_of)(const Real* blocks, Index n_blocks, Index n_features,
                                 const Real* queries, Index n_queries, Real* const* out);
    void (*dot_products_of)(const Real* blocks, Index n_blocks, Index n_features,
                            const Real* queries, Index n_queries, Real* const* out);
    void (*manhattan_distances_of)(const Real* blocks, Index n_blocks, Index n_features,
                                   const Real* queries, Index n_queries, Real* const* out);

    // |x|^2 for `lanes` samples that lie side by side, feature f at [f * stride]: rounded as the
    // dot product of x with itself, so that the distance of x to itself is zero.
    void (*squared_norms)(const Real* values, Index stride, Index n_features, Real* out);
    // The same for one sample, its features one after the other.
    Real (*squared_norm)(const Real* values, Index n_features);
    // values[i] = max(0, norms[i] + norm - 2 values[i])
    void (*distances_of_products)(Real* values, const Real* norms, double norm, Index n);

    // Up to `lanes` queries against n sparse samples from `first` on. `table` holds max_queries
    // values per feature, `query_sums` what `SparseRows::sums` is for the samples; both have
    // `lanes` entries. Sums run in the precision of the table. out[m] is padded to whole vectors.
    void (*sparse_squared_distances_short)(const SparseRows<Real>& rows, Index first, Index n,
                                           const Real* table, const Real* query_sums,
                                           Real* const* out, Index n_queries);
    void (*sparse_squared_distances)(const SparseRows<Real>& rows, Index first, Index n,
                                     const double* table, const double* query_sums,
                                     Real* const* out, Index n_queries);
    void (*sparse_dot_products)(const SparseRows<Real>& rows, Index first, Index n,
                                const double* table, const double* query_sums, Real* const* out,
                                Index n_queries);
    void (*sparse_manhattan_distances)(const SparseRows<Real>& rows, Index first, Index n,
                                       const double* table, const double* query_sums,
                                       Real* const* out, Index n_queries);

    // values[i] = exp(factor * values[i]), factor <= 0 <= values[i]; n is a multiple of lanes.
    void (*scaled_exp)(Real* values, Index n, double factor);

    // sums[i] += the sum over m of factors[m] exp(scale * values[m][i]), scale <= 0 <=
    // values[m][i]; n is a multiple of lanes.
    void (*add_exps)(Real* const* values, Index n_columns, const double* factors, double scale,
                     double* sums, Index n);

    // The same sum of the values themselves.
    void (*add_columns)(Real* const* values, Index n_columns, const double* factors, double* sums,
                        Index n);

    // The sum of x[i] y[i]; any n, and the arrays may start anywhere.
    double (*dot)(const Real* x, const double* y, Index n);

    // The smallest a[i] + b[i]; n is a positive multiple of lanes.
    Real (*smallest_sum)(const Real* a, const Real* b, Index n);

    // out[i] = row[places[i]]; any n.
    void (*gather)(const Real* row, const int* places, Real* out, Index n);

    // From here on n is a multiple of lanes, and every array but a column starts at a cache line.

    // sums[i] += step * column[i]
    void (*add_scaled)(const Real* column, double step, double* sums, Index n);
    // sums[i] += the sum over m of factors[m] columns[m][i]
    void (*add_all_scaled)(const Real* const* columns, const double* factors, Index n_columns,
                           double* sums, Index n);
    // Several such sums: sums[s * stride + i] += the sum over m of factors[m * n_sums + s]
    // columns[m][begin + i]; a column may begin anywhere.
    void (*multiply_columns)(const Real* const* columns, Index begin, const double* factors,
                             Index n_columns, Index n_sums, double* sums, Index stride, Index n);

    // OLLAWV, lines 10 and 15: scores[i] += targets[i] (step * column[i] + shift); returns the
    // smallest score. Finished samples hold +infinity.
    double (*update_scores)(const Real* column, const double* targets, double step, double shift,
                            double* scores, Index n);
    // The same for samples of one class that are predicted as well: outputs[i] += step * column[i]
    // + shift; returns the smallest score sign * outputs[i] + blocked[i]. `blocked` is +infinity
    // for finished samples.
    double (*update_outputs)(const Real* column, double step, double shift, double sign,
                             const double* blocked, double* outputs, Index n);
    // The same without scores, for samples that are only predicted.
    void (*follow)(const Real* column, double step, double shift, double* outputs, Index n);
    // The first i with sign * outputs[i] + blocked[i] <= bound, or -1.
    Index (*first_at_most)(const double* outputs, double sign, const double* blocked, double bound,
                           Index n);

    // What is added to the gradient of a variable of a dual for growing and for shrinking: the
    // slope of epsilon |beta| in that direction, or an infinity at a bound. Returns for how many
    // both are the same.
    Index (*mark_bounds)(const double* beta, const double* lower, const double* upper,
                         double epsilon, double* up, double* low, Index n);

    // SMO, the second variable: the j with the largest decrease (g_j - g_i)^2 / curvature among
    // those that may shrink (low[j] = 0, else -infinity) and have g_j > g_i.
    Extreme (*select_second)(const Real* column_i, const double* diagonal, const double* gradient,
                             const double* low, double gradient_i, double diagonal_i, Index n);

    // SMO, the gradient step fused with the choice of the next first variable:
    // gradient += step * (column_i - column_j); up[i] = 0 where i may grow, else +infinity.
    PairExtremes (*update_gradient)(const Real* column_i, const Real* column_j, double step,
                                    const double* up, const double* low, double* gradient, Index n);

    // A path of the active set, its next piece: change = the sum over m of factors[m] columns[m]
    // for the gradient, and `shift` for the intercept. Finds the variable at a bound that has to
    // leave it first, and after which part of the piece. side[i] is +1 at a lower bound, -1 at an
    // upper one and 0 elsewhere. side[i] (gradient[i] + intercept) must not become negative; where
    // it is, it must not fall below the line from here to zero at the end of the piece.
    Extreme (*next_to_leave)(const Real* const* columns, const double* factors, Index n_columns,
                             const double* side, const double* gradient, double intercept,
                             double shift, double* change, Index n);
};

// Rows of a factor that are finished together; smaller matrices are best done in one piece.
inline constexpr Index factor_panel = 32;
inline constexpr Index least_to_split = 2 * factor_panel + 1;

struct Algebra {
    // A = U'U for a symmetric n x n matrix given by the upper halves of its rows, which lie
    // `stride` apart (a multiple of 8). U replaces them, with the inverses of its diagonal; what is
    // left of the diagonal is scratch. One call finishes the rows from `begin` to `end`, which come
    // one panel after the other, and tells those below. False when a pivot is not positive.
    bool (*factorise)(double* A, Index stride, Index n, Index begin, Index end);
    // Solves U'U x = b in place for two b, with the U of `factorise`; both have room for `stride`.
    void (*solve_factored)(const double* U, Index stride, Index n, double* b, double* c);
    // Column j of the inverse of U'U in z, which is zero and has room for `stride`.
    void (*solve_for_column)(const double* U, Index stride, Index n, Index j, double* z);
    // y = A x for a symmetric n x n matrix whose rows lie `stride` apart; y and the rows have room
    // for whole vectors of 16.
    void (*multiply)(const double* A, Index stride, Index n, const double* x, double* y);
    // A += factor x x' for such a matrix.
    void (*add_square)(double* A, Index stride, Index n, double factor, const double* x);
    // A += R'R and A -= R'R, the upper halves of the rows of an n x n matrix, for the rows of R.
    // Those of A and of R lie `stride` apart, a multiple of 8, and start at a cache line.
    void (*add_squares)(double* A, Index stride, Index n, const double* R, Index n_rows);
    void (*subtract_squares)(double* A, Index stride, Index n, const double* R, Index n_rows);
};

// The loops of the best level this computer has, or of the one forced.
template <class Real>
const Loops<Real>& loops();
const Algebra& algebra();

Level best_level();
Level current_level();
// For tests and benchmarks. Throws std::invalid_argument for a level the computer lacks.
void force_level(Level level);

std::string_view name_of(Level level);

}  // namespace svmosaic::simd
