#include "solvers/box_dual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/smo.hpp"

namespace svmosaic {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Curvature of a pair of (nearly) identical samples, or of a kernel that is not positive definite.
constexpr double least_curvature = 1e-12;
// A share of the distance between bounds that only rounding leaves.
constexpr double rounding = 1e-14;
// Added to the diagonal of a joint step, relative to its largest entry.
constexpr double ridge = 1e-11;
// Rounds in which variables are set to the edge of the box.
constexpr int most_rounds = 10;
// Updates between two questions to the monitor.
constexpr Index ask_every = 256;

}  // namespace

double Standing::intercept() const {
    if (n_free > 0) return -sum_free / static_cast<double>(n_free);
    return -middle_of(lowest_up, highest_low);
}

double best_stretch(double linear, double quadratic, double ratio) {
    if (!(linear > 0.0)) return 1.0;
    return quadratic > 0.0 ? std::clamp(linear / quadratic, 1.0, ratio) : ratio;
}

template <class Real>
void BoxDual<Real>::resize(Index n) {
    n_ = n;
    padded_ = simd::round_up(n, simd::lanes<Real>);
    const auto room = static_cast<std::size_t>(padded_);
    const std::size_t cells = room * static_cast<std::size_t>(n);
    if (matrix_.size() < cells) matrix_.resize(cells);
    // Padding must not hold what is not a number.
    for (Index i = 0; i < n; ++i) std::fill(matrix_row(i) + n, matrix_row(i) + padded_, Real{0});
    for (auto* values : {&target_, &beta_, &lower_, &upper_, &gradient_, &diagonal_, &direction_,
                         &change_, &goal_}) {
        values->assign(room, 0.0);
    }
    up_.assign(room, infinity);
    low_.assign(room, -infinity);
    zeros_.assign(room, Real{0});
    n_free_ = 0;
    epsilon_ = 0.0;
}

template <class Real>
void BoxDual<Real>::set_epsilon(double epsilon) {
    epsilon_ = epsilon;
    for (std::size_t k = 0; k < static_cast<std::size_t>(n_); ++k) mark(k);
}

template <class Real>
void BoxDual<Real>::set(Index i, double diagonal, double target, double lower, double upper,
                        double beta, double gradient) {
    const auto k = static_cast<std::size_t>(i);
    diagonal_[k] = diagonal;
    target_[k] = target;
    lower_[k] = lower;
    upper_[k] = upper;
    beta_[k] = beta;
    gradient_[k] = gradient;
    mark(k);
}

template <class Real>
void BoxDual<Real>::stretch(double ratio) {
    const auto n = static_cast<std::size_t>(n_);
    double linear = 0.0;
    double quadratic = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
        linear += target_[k] * beta_[k] - epsilon_ * std::abs(beta_[k]);
        quadratic += beta_[k] * (gradient_[k] + target_[k]);
    }
    const double factor = best_stretch(linear, quadratic, ratio);
    for (std::size_t k = 0; k < n; ++k) {
        lower_[k] *= ratio;
        upper_[k] *= ratio;
        beta_[k] = std::clamp(factor * beta_[k], lower_[k], upper_[k]);
        gradient_[k] = factor * (gradient_[k] + target_[k]) - target_[k];
        mark(k);
    }
}

template <class Real>
Standing BoxDual<Real>::standing() const {
    Standing standing;
    for (std::size_t k = 0; k < static_cast<std::size_t>(n_); ++k) {
        standing.add(beta_[k], lower_[k], upper_[k], gradient_[k], epsilon_);
    }
    return standing;
}

template <class Real>
void BoxDual<Real>::mark(std::size_t k) {
    n_free_ -= is_free(k) ? 1 : 0;
    up_[k] = beta_[k] >= upper_[k] ? infinity : beta_[k] >= 0.0 ? epsilon_ : -epsilon_;
    low_[k] = beta_[k] <= lower_[k] ? -infinity : beta_[k] > 0.0 ? epsilon_ : -epsilon_;
    n_free_ += is_free(k) ? 1 : 0;
}

template <class Real>
void BoxDual<Real>::look() {
    extremes_ = simd::loops<Real>().update_gradient(zeros_.data(), zeros_.data(), 0.0, up_.data(),
                                                    low_.data(), gradient_.data(), padded_);
}

template <class Real>
bool BoxDual<Real>::pair_step() {
    const Index i = extremes_.lowest_up.index;
    if (i < 0) return false;
    const auto& loops = simd::loops<Real>();
    const auto a = static_cast<std::size_t>(i);
    const Real* column_i = matrix_row(i);
    const double slope_i = gradient_[a] + up_[a];
    const auto second = loops.select_second(column_i, diagonal_.data(), gradient_.data(),
                                            low_.data(), slope_i, diagonal_[a], padded_);
    if (second.index < 0) return false;
    const auto b = static_cast<std::size_t>(second.index);
    const double curvature = std::max(
        diagonal_[a] + diagonal_[b] - 2.0 * static_cast<double>(column_i[b]), least_curvature);
    const double end_i = highest(a);
    const double end_j = lowest(b);
    const double room_i = end_i - beta_[a];
    const double room_j = beta_[b] - end_j;
    const double slope = gradient_[b] + low_[b] - slope_i;
    const double delta = std::min({slope / curvature, room_i, room_j});
    // At an end the variable is set, not added to, so that it is exactly there. Both get there
    // together where the others are at bounds; short of it by rounding, one would pass for free.
    beta_[a] = room_i - delta <= rounding * (upper_[a] - lower_[a]) ? end_i : beta_[a] + delta;
    beta_[b] = room_j - delta <= rounding * (upper_[b] - lower_[b]) ? end_j : beta_[b] - delta;
    mark(a);
    mark(b);
    extremes_ = loops.update_gradient(column_i, matrix_row(second.index), delta, up_.data(),
                                      low_.data(), gradient_.data(), padded_);
    return true;
}

// In units of one variable in one pair step, as measured: what a round costs anyway, the passes
// over the system, its triangle. Two rounds are usual.
template <class Real>
double BoxDual<Real>::joint_step_cost() const {
    const auto f = static_cast<double>(n_free_);
    return 4.0 * (300.0 + 10.0 * f + 3.0 * f * f + f * f * f / 60.0) +
           f * static_cast<double>(padded_) / 3.0;
}

// The matrix of the variables inside the box, and the right-hand sides.
template <class Real>
void BoxDual<Real>::write_system(Index stride) {
    const auto& loops = simd::loops<Real>();
    const auto m = static_cast<Index>(inside_.size());
    double largest = 0.0;
    for (const std::size_t k : inside_) largest = std::max(largest, diagonal_[k]);
    places_.assign(inside_.begin(), inside_.end());
    gathered_.resize(static_cast<std::size_t>(stride));
    for (Index a = 0; a < m; ++a) {
        const std::size_t k = inside_[static_cast<std::size_t>(a)];
        const Real* column = matrix_row(static_cast<Index>(k));
        double* row = factor_.data() + a * stride;
        // From the start of the vector that holds the diagonal on.
        const Index from = a / 8 * 8;
        loops.gather(column, places_.data() + from, gathered_.data(), m - from);
        for (Index c = from; c < m; ++c) {
            row[c] = static_cast<double>(gathered_[static_cast<std::size_t>(c - from)]);
        }
        std::fill(row + m, row + stride, 0.0);
        row[a] = diagonal_[k] + ridge * largest;
        double value = -(gradient_[k] + up_[k]);
        for (const std::size_t e : edge_) value -= static_cast<double>(column[e]) * direction_[e];
        rest_[static_cast<std::size_t>(a)] = value;
        ones_[static_cast<std::size_t>(a)] = 1.0;
    }
}

// Solves for the free variables inside the box, given what those at its edge do:
// K d = -gradient - K_edge d_edge - lambda, sum d = -sum d_edge.
template <class Real>
bool BoxDual<Real>::solve_inside() {
    const auto m = static_cast<Index>(inside_.size());
    const Index stride = simd::round_up(m, 8);
    const auto room = static_cast<std::size_t>(stride);
    if (factor_.size() < room * room) factor_.resize(room * room);
    rest_.assign(room, 0.0);
    ones_.assign(room, 0.0);
    write_system(stride);
    if (!simd::algebra().factorise(factor_.data(), stride, m)) return false;
    simd::algebra().solve_factored(factor_.data(), stride, m, rest_.data(), ones_.data());
    double sum = 0.0;
    double sum_of_ones = 0.0;
    for (std::size_t a = 0; a < inside_.size(); ++a) {
        sum += rest_[a];
        sum_of_ones += ones_[a];
    }
    for (const std::size_t e : edge_) sum += direction_[e];
    const double lambda = sum / sum_of_ones;
    if (!std::isfinite(lambda)) return false;
    for (std::size_t a = 0; a < inside_.size(); ++a) {
        direction_[inside_[a]] = rest_[a] - lambda * ones_[a];
    }
    return true;
}

// The direction of all free variables, in `direction_`. Returns false when there is none.
template <class Real>
bool BoxDual<Real>::find_direction() {
    inside_.clear();
    edge_.clear();
    for (std::size_t k = 0; k < static_cast<std::size_t>(n_); ++k) {
        if (is_free(k)) inside_.push_back(k);
    }
    for (int round = 0; round < most_rounds; ++round) {
        if (inside_.empty() || !solve_inside()) return false;
        const std::size_t before = edge_.size();
        std::erase_if(inside_, [&](std::size_t k) {
            const double goal = beta_[k] + direction_[k];
            const double nearest = std::clamp(goal, lowest(k), highest(k));
            if (nearest == goal) return false;
            direction_[k] = nearest - beta_[k];
            goal_[k] = nearest;
            edge_.push_back(k);
            return true;
        });
        if (edge_.size() == before) return true;
    }
    return false;
}

// Moves along `direction_` to the minimum of the objective. The other end is inside the box.
template <class Real>
bool BoxDual<Real>::take_direction() {
    const auto& loops = simd::loops<Real>();
    // Rounding must not move the sum of the coefficients.
    double sum = 0.0;
    for_moving([&](std::size_t k) { sum += direction_[k]; });
    direction_[inside_.back()] -= sum;
    double slope = 0.0;
    std::fill(change_.begin(), change_.end(), 0.0);
    for_moving([&](std::size_t k) {
        slope += (gradient_[k] + up_[k]) * direction_[k];
        loops.add_scaled(matrix_row(static_cast<Index>(k)), direction_[k], change_.data(), padded_);
    });
    if (!(slope < 0.0)) return false;
    double curvature = 0.0;
    for_moving([&](std::size_t k) { curvature += change_[k] * direction_[k]; });
    double length = curvature > 0.0 ? std::min(1.0, -slope / curvature) : 1.0;
    // Short of the end by rounding only: go all the way, so that edges are reached.
    if (length > 1.0 - 1e-6) length = 1.0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(n_); ++k) {
        gradient_[k] += length * change_[k];
    }
    for_moving([&](std::size_t k) {
        beta_[k] = std::clamp(beta_[k] + length * direction_[k], lowest(k), highest(k));
    });
    if (length == 1.0) {
        for (const std::size_t k : edge_) beta_[k] = goal_[k];
    }
    for_moving([&](std::size_t k) { mark(k); });
    return true;
}

template <class Real>
bool BoxDual<Real>::joint_step() {
    if (n_free_ < 2 || !find_direction() || !take_direction()) return false;
    look();
    return true;
}

template <class Real>
Index BoxDual<Real>::solve(double tol, Index max_updates, Monitor& monitor) {
    look();
    const auto pair_cost = static_cast<double>(padded_ + 100);
    double spent = 0.0;
    double patience = 1.0;
    Index updates = 0;
    while (violation() > tol && updates < max_updates) {
        if (spent >= patience * joint_step_cost()) {
            spent = 0.0;
            patience = joint_step() ? 1.0 : 2.0 * patience;
            continue;
        }
        if (!pair_step()) break;
        spent += pair_cost;
        ++updates;
        if (updates % ask_every == 0 && monitor.should_stop(ask_every)) break;
    }
    return updates;
}

template class BoxDual<float>;
template class BoxDual<double>;

}  // namespace svmosaic
