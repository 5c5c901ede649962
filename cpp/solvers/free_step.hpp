// One step of all free variables of a dual together.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "core/aligned.hpp"
#include "simd/loops.hpp"
#include "solvers/dual_variables.hpp"
#include "solvers/newton_system.hpp"
#include "solvers/shrinking_system.hpp"

namespace svmosaic {

// Whether a step has to keep the sum of the variables.
enum class SumOfBeta { fixed, free };

// Solves       min  1/2 d' K d + gradient' d   over the variables that are not at a bound (and not
//              at zero, with epsilon), subject to the box and to sum d = 0 unless the sum is free.
// Method       a Newton step on the equality constrained quadratic. Variables that would leave the
//              box are set to its edge and the rest is solved again; then all move along the
//              direction found, to the minimum of the objective on it. The slope of epsilon |beta|
//              changes at zero, so a variable's box ends there.
// Cost         two columns per variable, and the cube of their number. Pairs crawl where the kernel
//              has few dimensions and the bounds are wide; this does not.
template <class Real>
class FreeStep {
  public:
    // column(k) gives column k of the kernel matrix of the variables. Returns false when there is
    // no such step; the variables are then as they were. The caller has to look for extremes.
    template <class Column>
    bool take(DualVariables& v, const Column& column, SumOfBeta sum = SumOfBeta::fixed) {
        if (v.n_free < 2) return false;
        return find_direction(v, column, sum) && move(v, column, sum);
    }

    // Steps without edges, each to the first bound on the way, where its variable stays: small
    // steps for callers that try rarely. Where the matrix is hardly definite, `take` fails, because
    // its direction is so long that all variables would end at edges.
    //
    // A step of length t along d = -K^-1 (g + lambda) leaves (1 - t) g of the gradient of the free
    // variables, but for a constant that lambda takes up. So nothing is computed again until the
    // last bound, and the gradient of all variables changes once.
    //
    // column(k) may be null, which ends the attempt. Returns how many updates of pairs are to come
    // before the next one: they take about as long as this one did, and twice as long with each
    // failure in a row.
    template <class Column>
    Index take_to_bounds(DualVariables& v, const Column& column) {
        if (v.n_free < 2 || v.n_free > most_free) return 0;
        const Index cost = cost_to_bounds(v);
        patience_ = go_to_bounds(v, column) ? 1 : 2 * patience_;
        return patience_ * cost;
    }

  private:
    // More free variables than this are left to the pairs: a factor costs their cube.
    static constexpr Index most_free = 1000;
    // Bounds that are reached with one factor.
    static constexpr Index most_bounds = 64;
    // Rounds in which variables are set to the edge of the box.
    static constexpr int most_rounds = 10;

    template <class Visit>
    void for_moving(const Visit& visit) {
        for (const Index k : inside_) visit(k);
        for (const Index k : edge_) visit(k);
    }

    // What a series of steps to bounds takes, in updates of pairs over all variables: a factor, the
    // bounds, and each column twice. The shares were measured.
    static Index cost_to_bounds(const DualVariables& v) {
        const auto m = static_cast<double>(v.n_free);
        const double updates = (0.012 * m + 0.1 * most_bounds) * m * m;
        return v.n_free + static_cast<Index>(updates / static_cast<double>(v.size));
    }

    void gather_free(const DualVariables& v, SumOfBeta sum_of_beta) {
        direction_.resize(v.beta.size());
        inside_.clear();
        edge_.clear();
        double sum = 0.0;
        for (Index k = 0; k < v.size; ++k) {
            if (!v.is_free(k)) continue;
            inside_.push_back(k);
            sum += v.gradient[k] + v.up[k];
        }
        level_ = sum_of_beta == SumOfBeta::fixed ? sum / static_cast<double>(inside_.size()) : 0.0;
    }

    // The slope of the objective along variable k, above the level.
    double slope(const DualVariables& v, Index k) const { return v.gradient[k] + v.up[k] - level_; }

    // Rounding must not move the sum of the variables: the one with most room takes what is left.
    // Returns false when that is more than rounding and more than its room.
    bool keep_sum(const DualVariables& v) {
        double sum = 0.0;
        double size = 0.0;
        for_moving([&](Index k) {
            sum += direction_[k];
            size += std::abs(direction_[k]);
        });
        const bool grows = sum < 0.0;
        double most_room = 0.0;
        Index roomiest = inside_.front();
        for (const Index k : inside_) {
            const double way = v.end_of(k, grows) - (v.beta[k] + direction_[k]);
            const double room = grows ? way : -way;
            if (room > most_room) {
                most_room = room;
                roomiest = k;
            }
        }
        const double taken = std::min(std::abs(sum), most_room);
        direction_[roomiest] -= std::copysign(taken, sum);
        return std::abs(sum) - taken <= 1e-13 * size;
    }

    template <class Column>
    bool go_to_bounds(DualVariables& v, const Column& column) {
        gather_free(v, SumOfBeta::fixed);
        if (!write_system(v, column) || !equations_.begin(system_)) return false;
        // Equation a is that of variable inside_[a].
        const Index m = equations_.size();
        moved_.assign(m, 0.0);
        double gradient_left = 1.0;
        for (Index n_bounds = 0; n_bounds < most_bounds && equations_.n_left() > 1; ++n_bounds) {
            if (!find_step(gradient_left)) break;
            const auto [length, first] = way_to_bound(v);
            for (Index a = 0; a < m; ++a) moved_[a] += length * step_[a];
            if (first < 0) break;
            const Index k = inside_[first];
            moved_[first] = v.end_of(k, step_[first] > 0.0) - v.beta[k];
            if (!equations_.fix(first)) break;
            gradient_left *= 1.0 - length;
        }
        const auto moving = std::exchange(inside_, {});
        for (Index a = 0; a < m; ++a) {
            direction_[moving[a]] = moved_[a];
            (equations_.is_fixed(a) ? edge_ : inside_).push_back(moving[a]);
        }
        return move(v, column, SumOfBeta::fixed);
    }

    // The step that would end at the minimum if there were no bounds. Returns false when there is
    // none.
    bool find_step(double gradient_left) {
        const Index m = equations_.size();
        step_.resize(m);
        for (Index a = 0; a < m; ++a) step_[a] = equations_.x(a);
        if (!make_sum_zero(0.0, [&](Index a) { return equations_.y(a); })) return false;
        for (double& step : step_) step *= gradient_left;
        return true;
    }

    // Subtracts lambda y from x in `step_`, so that it sums to `- others`. Returns false when there
    // is no such lambda. Once more brings the digits back that cancel where y is very long: where
    // ones are hardly in the range of K.
    template <class Ones>
    bool make_sum_zero(double others, const Ones& y) {
        double sum_of_ones = 0.0;
        for (Index a = 0; a < ssize(step_); ++a) sum_of_ones += y(a);
        for (int pass = 0; pass < 3; ++pass) {
            const double sum = std::reduce(step_.begin(), step_.end(), others);
            const double lambda = sum / sum_of_ones;
            if (!std::isfinite(lambda)) return false;
            for (Index a = 0; a < ssize(step_); ++a) step_[a] -= lambda * y(a);
        }
        return true;
    }

    // The share of the step that ends at the first bound on the way, and whose bound it is: -1 if
    // all of it can be gone.
    struct WayToBound {
        double length;
        Index first;
    };
    WayToBound way_to_bound(const DualVariables& v) const {
        WayToBound way{1.0, -1};
        for (Index a = 0; a < ssize(step_); ++a) {
            if (equations_.is_fixed(a)) continue;
            const Index k = inside_[a];
            const double room = std::abs(v.end_of(k, step_[a] > 0.0) - v.beta[k] - moved_[a]);
            if (std::abs(step_[a]) * way.length > room) way = {room / std::abs(step_[a]), a};
        }
        return way;
    }

    // The matrix of the variables inside the box, and the right-hand side. Returns false when a
    // column is null.
    template <class Column>
    bool write_system(const DualVariables& v, const Column& column) {
        const Index m = inside_.size();
        system_.resize(m);
        places_.assign(inside_.begin(), inside_.end());
        gathered_.resize(m);
        for (Index a = 0; a < m; ++a) {
            const Index k = inside_[a];
            const Real* values = column(k);
            if (!values) return false;
            double* row = system_.row(a);
            const Index from = NewtonSystem::first_column(a);
            simd::loops<Real>().gather(values, places_.data() + from, gathered_.data(), m - from);
            for (Index c = from; c < m; ++c) row[c] = static_cast<double>(gathered_[c - from]);
            row[a] = v.diagonal[k];
            double b = -slope(v, k);
            for (const Index e : edge_) b -= static_cast<double>(values[e]) * direction_[e];
            system_.b(a) = b;
        }
        system_.add_ridge();
        return true;
    }

    // Solves for the variables inside the box, given what those at its edge do:
    // K d = -gradient - K_edge d_edge - lambda, sum d = -sum d_edge.
    template <class Column>
    bool solve_inside(const DualVariables& v, const Column& column, SumOfBeta sum_of_beta) {
        if (!write_system(v, column) || !system_.solve()) return false;
        const auto x = system_.solution();
        const auto y = system_.solution_for_ones();
        step_.assign(x.begin(), x.end());
        if (sum_of_beta == SumOfBeta::fixed) {
            double others = 0.0;
            for (const Index e : edge_) others += direction_[e];
            if (!make_sum_zero(others, [&](Index a) { return y[a]; })) return false;
        }
        for (Index a = 0; a < ssize(inside_); ++a) direction_[inside_[a]] = step_[a];
        return std::isfinite(std::reduce(step_.begin(), step_.end()));
    }

    template <class Column>
    bool find_direction(const DualVariables& v, const Column& column, SumOfBeta sum) {
        gather_free(v, sum);
        for (int round = 0; round < most_rounds; ++round) {
            if (inside_.empty() || !solve_inside(v, column, sum)) return false;
            const Index before = edge_.size();
            std::erase_if(inside_, [&](Index k) {
                const double goal = v.beta[k] + direction_[k];
                const double nearest = std::clamp(goal, v.end_of(k, false), v.end_of(k, true));
                if (nearest == goal) return false;
                direction_[k] = nearest - v.beta[k];
                edge_.push_back(k);
                return true;
            });
            if (ssize(edge_) == before) return true;
        }
        return false;
    }

    // Moves along the direction, whose end is inside the box, to the minimum of the objective.
    template <class Column>
    bool move(DualVariables& v, const Column& column, SumOfBeta sum_of_beta) {
        if (sum_of_beta == SumOfBeta::fixed && !keep_sum(v)) return false;
        double descent = 0.0;
        bool has_all = true;
        change_.assign(v.beta.size(), 0.0);
        for_moving([&](Index k) {
            const Real* values = has_all ? column(k) : nullptr;
            has_all = values != nullptr;
            if (!has_all) return;
            descent += slope(v, k) * direction_[k];
            simd::loops<Real>().add_scaled(values, direction_[k], change_.data(), v.padded());
        });
        if (!has_all || !(descent < 0.0)) return false;
        double curvature = 0.0;
        for_moving([&](Index k) { curvature += change_[k] * direction_[k]; });
        double length = curvature > 0.0 ? std::min(1.0, -descent / curvature) : 1.0;
        // Short of the end by rounding only: go all the way, so that edges are reached.
        if (length > 1.0 - 1e-6) length = 1.0;
        for (Index k = 0; k < v.size; ++k) v.gradient[k] += length * change_[k];
        for_moving([&](Index k) {
            const double step = length * direction_[k];
            const double goal = v.beta[k] + step;
            const double end = v.end_of(k, step > 0.0);
            const double nearly = v.nearly(k, step);
            const bool is_there = step > 0.0 ? goal >= end - nearly : goal <= end + nearly;
            v.beta[k] = is_there ? end : goal;
            v.mark(k);
        });
        return true;
    }

    // The free variables still inside the box, those set to its edge, and the direction of both.
    std::vector<Index> inside_, edge_;
    std::vector<double> direction_;
    AlignedVector<double> change_;
    NewtonSystem system_;
    ShrinkingSystem equations_;
    std::vector<double> step_, moved_;  // by the numbers of the equations
    // The mean slope, where a constant makes no difference: if it is large, digits would be lost.
    double level_ = 0.0;
    Index patience_ = 1;
    std::vector<int> places_;
    std::vector<Real> gathered_;
};

}  // namespace svmosaic
