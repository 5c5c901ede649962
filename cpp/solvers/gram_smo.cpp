#include "solvers/gram_smo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/smo.hpp"

namespace svmosaic {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Curvature of a pair of (nearly) identical samples, or of a kernel that is not positive definite.
constexpr double least_curvature = 1e-12;
// Added to the diagonal of a joint step, relative to its largest entry.
constexpr double ridge = 1e-11;
// Larger systems are left to the pairs: a joint step costs their cube and the memory of the matrix.
constexpr Index most_free = 2000;
// Rounds in which variables are set to the edge of the box.
constexpr int most_rounds = 12;
// Updates between two questions to the monitor.
constexpr Index ask_every = 256;

}  // namespace

template <class Real>
void GramSmo<Real>::bind(GramColumns<Real>& columns, Index n, std::span<const double> targets,
                         std::span<const double> weights, std::span<const double> diagonal) {
    columns_ = &columns;
    n_ = n;
    padded_ = simd::round_up(n, simd::lanes<Real>);
    C_ = 0.0;
    n_updates_ = 0;
    n_free_ = 0;
    weights_ = weights;
    const auto room = static_cast<std::size_t>(padded_);
    target_.assign(room, 0.0);
    std::copy_n(targets.begin(), n, target_.begin());
    diagonal_.assign(room, 0.0);
    std::copy_n(diagonal.begin(), n, diagonal_.begin());
    beta_.assign(room, 0.0);
    lower_.assign(room, 0.0);
    upper_.assign(room, 0.0);
    gradient_.assign(room, 0.0);
    up_.assign(room, infinity);
    low_.assign(room, -infinity);
    direction_.assign(room, 0.0);
    change_.assign(room, 0.0);
    zeros_.assign(room, Real{0});
    for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) gradient_[k] = -target_[k];
}

template <class Real>
void GramSmo<Real>::mark(std::size_t k) {
    n_free_ -= is_free(k) ? 1 : 0;
    up_[k] = beta_[k] >= upper_[k] ? infinity : 0.0;
    low_[k] = beta_[k] <= lower_[k] ? -infinity : 0.0;
    n_free_ += is_free(k) ? 1 : 0;
}

// The dual objective along s beta is s t'beta - s^2/2 beta'K beta.
template <class Real>
void GramSmo<Real>::stretch(double C) {
    const auto n = static_cast<std::size_t>(n_);
    double linear = 0.0;
    double quadratic = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
        linear += target_[k] * beta_[k];
        quadratic += beta_[k] * (gradient_[k] + target_[k]);
    }
    double factor = 1.0;
    if (C_ > 0.0 && linear > 0.0) {
        factor = C / C_;
        if (quadratic > 0.0) factor = std::clamp(linear / quadratic, 1.0, factor);
    }
    C_ = C;
    for (std::size_t k = 0; k < n; ++k) {
        const double bound = C * weights_[k];
        lower_[k] = target_[k] > 0.0 ? 0.0 : -bound;
        upper_[k] = target_[k] > 0.0 ? bound : 0.0;
        const bool at_bound = beta_[k] != 0.0 && !is_free(k);
        beta_[k] = std::clamp(factor * beta_[k], lower_[k], upper_[k]);
        // What was at its bound stays exactly there when the whole ray is used.
        if (at_bound && std::abs(beta_[k]) > bound * (1.0 - 1e-12)) {
            beta_[k] = target_[k] * bound;
        }
        gradient_[k] = factor * (gradient_[k] + target_[k]) - target_[k];
        mark(k);
    }
}

template <class Real>
void GramSmo<Real>::look() {
    extremes_ = simd::tune_loops<Real>().update_gradient(
        zeros_.data(), zeros_.data(), 0.0, up_.data(), low_.data(), gradient_.data(), padded_);
}

template <class Real>
bool GramSmo<Real>::pair_step() {
    const Index i = extremes_.lowest_up.index;
    if (i < 0) return false;
    const auto& loops = simd::tune_loops<Real>();
    const auto a = static_cast<std::size_t>(i);
    const Real* column_i = columns_->column(i);
    const Index j = loops
                        .select_second(column_i, diagonal_.data(), gradient_.data(), low_.data(),
                                       gradient_[a], diagonal_[a], padded_)
                        .index;
    if (j < 0) return false;
    const auto b = static_cast<std::size_t>(j);
    const Real* column_j = columns_->column(j);
    const double curvature = std::max(
        diagonal_[a] + diagonal_[b] - 2.0 * static_cast<double>(column_i[j]), least_curvature);
    const double room_i = upper_[a] - beta_[a];
    const double room_j = beta_[b] - lower_[b];
    const double delta = std::min({(gradient_[b] - gradient_[a]) / curvature, room_i, room_j});
    // At an end the variable is set, not added to, so that it is exactly there.
    beta_[a] = delta == room_i ? upper_[a] : beta_[a] + delta;
    beta_[b] = delta == room_j ? lower_[b] : beta_[b] - delta;
    mark(a);
    mark(b);
    extremes_ = loops.update_gradient(column_i, column_j, delta, up_.data(), low_.data(),
                                      gradient_.data(), padded_);
    return true;
}

// In units of one variable in one pair step: the triangle, the passes over it, the gradients.
template <class Real>
double GramSmo<Real>::joint_step_cost() const {
    const auto f = static_cast<double>(n_free_);
    return f * f * f / 60.0 + 3.0 * f * f + f * static_cast<double>(padded_) / 3.0 + 300.0;
}

// Solves for the free variables inside the box, given what those at its edge do:
// K d = -gradient - K_edge d_edge - lambda, sum d = -sum d_edge.
template <class Real>
bool GramSmo<Real>::solve_free() {
    const auto& loops = simd::tune_loops<Real>();
    const auto m = static_cast<Index>(inside_.size());
    const Index stride = simd::round_up(m, 8);
    const auto room = static_cast<std::size_t>(stride);
    if (factor_.size() < room * room) factor_.resize(room * room);
    rest_.assign(room, 0.0);
    ones_.assign(room, 0.0);
    places_.assign(inside_.begin(), inside_.end());
    gathered_.resize(room);
    double largest = 0.0;
    for (Index a = 0; a < m; ++a) {
        const std::size_t k = inside_[static_cast<std::size_t>(a)];
        const Real* column = columns_->column(static_cast<Index>(k));
        double* row = factor_.data() + a * stride;
        // From the start of the vector that holds the diagonal on.
        const Index from = a / 8 * 8;
        loops.gather(column, places_.data() + from, gathered_.data(), m - from);
        for (Index c = from; c < m; ++c) {
            row[c] = static_cast<double>(gathered_[static_cast<std::size_t>(c - from)]);
        }
        for (Index c = m; c < stride; ++c) row[c] = 0.0;
        row[a] = diagonal_[k];
        largest = std::max(largest, diagonal_[k]);
        double value = -gradient_[k];
        for (const std::size_t e : edge_) value -= static_cast<double>(column[e]) * direction_[e];
        rest_[static_cast<std::size_t>(a)] = value;
        ones_[static_cast<std::size_t>(a)] = 1.0;
    }
    for (Index a = 0; a < m; ++a)
        factor_[static_cast<std::size_t>(a * stride + a)] += ridge * largest;
    if (!loops.factorise(factor_.data(), stride, m)) return false;
    loops.solve_factored(factor_.data(), stride, m, rest_.data());
    loops.solve_factored(factor_.data(), stride, m, ones_.data());
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
bool GramSmo<Real>::find_direction() {
    inside_.clear();
    edge_.clear();
    for (std::size_t k = 0; k < static_cast<std::size_t>(n_); ++k) {
        if (is_free(k)) inside_.push_back(k);
    }
    for (int round = 0; round < most_rounds; ++round) {
        if (inside_.empty() || !solve_free()) return false;
        const std::size_t before = edge_.size();
        std::erase_if(inside_, [&](std::size_t k) {
            const double goal = beta_[k] + direction_[k];
            const double nearest = std::clamp(goal, lower_[k], upper_[k]);
            if (nearest == goal) return false;
            direction_[k] = nearest - beta_[k];
            edge_.push_back(k);
            return true;
        });
        if (edge_.size() == before) return true;
    }
    return false;
}

// Moves along `direction_` to the minimum of the objective. The other end is inside the box.
template <class Real>
bool GramSmo<Real>::take_direction() {
    const auto& loops = simd::tune_loops<Real>();
    const auto for_moving = [&](const auto& visit) {
        for (const std::size_t k : inside_) visit(k);
        for (const std::size_t k : edge_) visit(k);
    };
    // Rounding must not move the sum of the coefficients.
    double sum = 0.0;
    for_moving([&](std::size_t k) { sum += direction_[k]; });
    direction_[inside_.back()] -= sum;
    double slope = 0.0;
    std::fill(change_.begin(), change_.end(), 0.0);
    for_moving([&](std::size_t k) {
        slope += gradient_[k] * direction_[k];
        loops.add_scaled(columns_->column(static_cast<Index>(k)), direction_[k], change_.data(),
                         padded_);
    });
    double curvature = 0.0;
    for_moving([&](std::size_t k) { curvature += change_[k] * direction_[k]; });
    if (!(slope < 0.0)) return false;
    double length = curvature > 0.0 ? std::min(1.0, -slope / curvature) : 1.0;
    // Short of the end by rounding only: go all the way, so that edges are reached.
    if (length > 1.0 - 1e-6) length = 1.0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(padded_); ++k) {
        gradient_[k] += length * change_[k];
    }
    for_moving([&](std::size_t k) {
        beta_[k] = std::clamp(beta_[k] + length * direction_[k], lower_[k], upper_[k]);
    });
    if (length == 1.0) {
        for (const std::size_t k : edge_) {
            // The nearer bound is the one it was set to.
            beta_[k] = upper_[k] - beta_[k] < beta_[k] - lower_[k] ? upper_[k] : lower_[k];
        }
    }
    for_moving([&](std::size_t k) { mark(k); });
    return true;
}

template <class Real>
bool GramSmo<Real>::joint_step() {
    if (n_free_ < 2 || n_free_ > most_free) return false;
    if (!find_direction() || !take_direction()) return false;
    look();
    return true;
}

template <class Real>
bool GramSmo<Real>::solve(double C, double tol, Index max_updates, Monitor& monitor) {
    stretch(C);
    look();
    const auto pair_cost = static_cast<double>(padded_ + 100);
    double spent = 0.0;
    Index updates = 0;
    while (violation() > tol && updates < max_updates) {
        if (spent >= joint_step_cost()) {
            spent = 0.0;
            joint_step();
            continue;
        }
        if (!pair_step()) break;
        spent += pair_cost;
        ++updates;
        if (updates % ask_every == 0 && monitor.should_stop(ask_every)) return false;
    }
    n_updates_ += updates;
    return !monitor.stopped();
}

template <class Real>
double GramSmo<Real>::intercept() const {
    double sum = 0.0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(n_); ++k) {
        if (is_free(k)) sum += gradient_[k];
    }
    if (n_free_ > 0) return -sum / static_cast<double>(n_free_);
    return -middle_of(extremes_.lowest_up.value, extremes_.highest_low);
}

template class GramSmo<float>;
template class GramSmo<double>;

}  // namespace svmosaic
