#include "solvers/box_dual.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/smo.hpp"

namespace svmosaic {

namespace {

// With more free variables their inverse costs more than joint steps.
constexpr Index most_free_of_path = 80;
// Pieces that are expected: of the first path, and of later ones beyond those of the last path.
constexpr Index pieces_of_first = 16;
constexpr Index extra_pieces = 4;
constexpr Index most_expected = 30;

}  // namespace

double best_stretch(double linear, double quadratic, double ratio) {
    if (!(linear > 0.0)) return 1.0;
    return quadratic > 0.0 ? std::clamp(linear / quadratic, 1.0, ratio) : ratio;
}

template <class Real>
void BoxDual<Real>::resize(Index n) {
    const Index padded = simd::round_up(n, simd::lanes<Real>);
    const Index cells = padded * n;
    v_.resize(n, padded);
    v_.epsilon = 0.0;
    path_.clear();
    was_solved_ = false;
    usual_pieces_ = pieces_of_first;
    target_.assign(padded, 0.0);
    if (ssize(matrix_) < cells) matrix_.resize(cells);
}

template <class Real>
void BoxDual<Real>::set_epsilon(double epsilon) {
    v_.epsilon = epsilon;
    v_.mark_all();
    was_solved_ = false;
}

template <class Real>
void BoxDual<Real>::set(Index i, double diagonal, double target, double lower, double upper,
                        double beta, double gradient) {
    v_.diagonal[i] = diagonal;
    target_[i] = target;
    v_.lower[i] = lower;
    v_.upper[i] = upper;
    v_.beta[i] = beta;
    v_.gradient[i] = gradient;
}

template <class Real>
void BoxDual<Real>::stretch(double ratio) {
    double linear = 0.0;
    double quadratic = 0.0;
    for (Index k = 0; k < v_.size; ++k) {
        linear += target_[k] * v_.beta[k] - v_.epsilon * std::abs(v_.beta[k]);
        quadratic += v_.beta[k] * (v_.gradient[k] + target_[k]);
    }
    const double factor = best_stretch(linear, quadratic, ratio);
    v_.stretch(ratio, factor, target_);
}

template <class Real>
Standing BoxDual<Real>::standing() const {
    Standing standing;
    standing.lowest_up = v_.extremes.lowest_up.value;
    standing.highest_low = v_.extremes.highest_low;
    standing.n_free = v_.n_free;
    for (Index k = 0; k < v_.size; ++k) {
        const bool is_free = v_.is_free(k);
        standing.sum_free += either(is_free, v_.gradient[k] + v_.up[k], 0.0);
        standing.n_at_bound += static_cast<Index>(v_.beta[k] != 0.0) & static_cast<Index>(!is_free);
    }
    return standing;
}

template <class Real>
bool BoxDual<Real>::follows_path() const {
    return may_follow_ && v_.n_free <= most_free_of_path;
}

// In units of one variable in one pair step, as measured.
template <class Real>
double BoxDual<Real>::finish_cost() const {
    return follows_path() ? path_cost() : joint_step_cost();
}

// The free variables that the path does not know yet, and the pieces.
template <class Real>
double BoxDual<Real>::path_cost() const {
    const auto f = static_cast<double>(v_.n_free);
    const auto n = static_cast<double>(v_.padded());
    const double piece = 150.0 + n * (f + 12.0) / 8.0 + f * f / 4.0;
    const auto n_new = static_cast<double>(std::abs(v_.n_free - path_.n_free()));
    const Index pieces = std::min(most_expected, extra_pieces + usual_pieces_);
    return n_new * (60.0 + f * f / 2.0) + static_cast<double>(pieces) * piece;
}

// What a round costs anyway, the passes over the system, its triangle. Two rounds are usual.
template <class Real>
double BoxDual<Real>::joint_step_cost() const {
    const auto f = static_cast<double>(v_.n_free);
    return 4.0 * (300.0 + 10.0 * f + 3.0 * f * f + f * f * f / 60.0) +
           f * static_cast<double>(v_.padded()) / 3.0;
}

template class BoxDual<float>;
template class BoxDual<double>;

}  // namespace svmosaic
