// One step of all free variables of a dual together.
#pragma once

#include <algorithm>
#include <cmath>
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
        direction_.resize(v.beta.size());
        goal_.resize(v.beta.size());
        return find_direction(v, column, sum) && move(v, column, sum);
    }

    // Steps without edges, each to the first bound on the way, where its variable stays: small
    // steps that always succeed. They suit callers that try rarely; where the matrix is hardly
    // definite, `take` fails, because its direction is so long that all variables would end at
    // edges.
    //
    // A step of length t along d = -K^-1 (g + lambda) leaves (1 - t) g of the gradient of the free
    // variables, but for a constant that lambda takes up. So nothing is computed again until the
    // last bound, and the gradient of all variables changes once.
    template <class Column>
    void take_to_bounds(DualVariables& v, const Column& column) {
        if (v.n_free < 2) return;
        direction_.resize(v.beta.size());
        goal_.resize(v.beta.size());
        gather_free(v);
        write_system(v, column);
        if (!equations_.begin(system_)) return;
        const Index m = equations_.size();
        moved_.assign(m, 0.0);
        double rest = 1.0;
        for (Index n_bounds = 0; n_bounds < most_bounds && equations_.n_left() > 1; ++n_bounds) {
            const auto [length, first] = next_bound(v, rest);
            if (!std::isfinite(length)) break;
            for (Index a = 0; a < m; ++a) moved_[a] += length * step_[a];
            if (first == m) break;
            const Index k = inside_[first];
            moved_[first] = v.end_of(k, step_[first] > 0.0) - v.beta[k];
            equations_.fix(first);
            rest *= 1.0 - length;
        }
        const auto moving = std::exchange(inside_, {});
        for (Index a = 0; a < m; ++a) {
            const Index k = moving[a];
            direction_[k] = moved_[a];
            goal_[k] = v.beta[k] + moved_[a];
            (equations_.is_fixed(a) ? edge_ : inside_).push_back(k);
        }
        move(v, column, SumOfBeta::fixed);
    }

    // What these steps take, about, in updates of a pair over the same variables.
    Index cost(const DualVariables& v) const {
        const auto m = static_cast<double>(v.n_free);
        return static_cast<Index>((0.012 * m + 0.1 * most_bounds) * m * m /
                                  static_cast<double>(v.size));
    }

  private:
    // Bounds that are reached with one factor.
    static constexpr Index most_bounds = 64;
    // Rounds in which variables are set to the edge of the box.
    static constexpr int most_rounds = 10;

    template <class Visit>
    void for_moving(const Visit& visit) {
        for (const Index k : inside_) visit(k);
        for (const Index k : edge_) visit(k);
    }

    void gather_free(const DualVariables& v) {
        inside_.clear();
        edge_.clear();
        for (Index k = 0; k < v.size; ++k) {
            if (v.is_free(k)) inside_.push_back(k);
        }
    }

    // Rounding must not move the sum of the coefficients.
    void keep_sum() {
        double sum = 0.0;
        for_moving([&](Index k) { sum += direction_[k]; });
        direction_[inside_.back()] -= sum;
    }

    // Finds the next step to the bounds, and which part of it ends at the first one; that is all of
    // it, and the number of variables, when there is none.
    std::pair<double, Index> next_bound(const DualVariables& v, double rest) {
        const Index m = equations_.size();
        double sum = 0.0;
        double sum_of_ones = 0.0;
        for (Index a = 0; a < m; ++a) {
            sum += equations_.x(a);
            sum_of_ones += equations_.y(a);
        }
        const double lambda = sum / sum_of_ones;
        if (!std::isfinite(lambda)) return {lambda, m};
        step_.resize(m);
        double length = 1.0;
        Index first = m;
        for (Index a = 0; a < m; ++a) {
            const double step = rest * (equations_.x(a) - lambda * equations_.y(a));
            step_[a] = step;
            if (equations_.is_fixed(a)) continue;
            const Index k = inside_[a];
            const double room = std::abs(v.end_of(k, step > 0.0) - v.beta[k] - moved_[a]);
            if (std::abs(step) * length > room) {
                length = room / std::abs(step);
                first = a;
            }
        }
        return {length, first};
    }

    // The matrix of the variables inside the box, and the right-hand side.
    template <class Column>
    void write_system(const DualVariables& v, const Column& column) {
        const Index m = inside_.size();
        system_.resize(m);
        places_.assign(inside_.begin(), inside_.end());
        gathered_.resize(m);
        for (Index a = 0; a < m; ++a) {
            const Index k = inside_[a];
            const Real* values = column(k);
            double* row = system_.row(a);
            const Index from = NewtonSystem::first_column(a);
            simd::loops<Real>().gather(values, places_.data() + from, gathered_.data(), m - from);
            for (Index c = from; c < m; ++c) row[c] = static_cast<double>(gathered_[c - from]);
            row[a] = v.diagonal[k];
            double b = -(v.gradient[k] + v.up[k]);
            for (const Index e : edge_) b -= static_cast<double>(values[e]) * direction_[e];
            system_.b(a) = b;
        }
        system_.add_ridge();
    }

    // Solves for the variables inside the box, given what those at its edge do:
    // K d = -gradient - K_edge d_edge - lambda, sum d = -sum d_edge.
    template <class Column>
    bool solve_inside(const DualVariables& v, const Column& column, SumOfBeta sum_of_beta) {
        write_system(v, column);
        if (!system_.solve()) return false;
        const auto d = system_.solution();
        const auto ones = system_.solution_for_ones();
        double lambda = 0.0;
        if (sum_of_beta == SumOfBeta::fixed) {
            double sum = 0.0;
            double sum_of_ones = 0.0;
            for (Index a = 0; a < ssize(inside_); ++a) {
                sum += d[a];
                sum_of_ones += ones[a];
            }
            for (const Index e : edge_) sum += direction_[e];
            lambda = sum / sum_of_ones;
        }
        if (!std::isfinite(lambda)) return false;
        for (Index a = 0; a < ssize(inside_); ++a) {
            direction_[inside_[a]] = d[a] - lambda * ones[a];
        }
        return true;
    }

    template <class Column>
    bool find_direction(const DualVariables& v, const Column& column, SumOfBeta sum) {
        gather_free(v);
        for (int round = 0; round < most_rounds; ++round) {
            if (inside_.empty() || !solve_inside(v, column, sum)) return false;
            const Index before = edge_.size();
            std::erase_if(inside_, [&](Index k) {
                const double goal = v.beta[k] + direction_[k];
                const double nearest = std::clamp(goal, v.end_of(k, false), v.end_of(k, true));
                if (nearest == goal) return false;
                direction_[k] = nearest - v.beta[k];
                goal_[k] = nearest;
                edge_.push_back(k);
                return true;
            });
            if (ssize(edge_) == before) return true;
        }
        return false;
    }

    // Moves along the direction to the minimum of the objective. Its end is inside the box.
    template <class Column>
    bool move(DualVariables& v, const Column& column, SumOfBeta sum_of_beta) {
        if (sum_of_beta == SumOfBeta::fixed) keep_sum();
        double slope = 0.0;
        change_.assign(v.beta.size(), 0.0);
        for_moving([&](Index k) {
            slope += (v.gradient[k] + v.up[k]) * direction_[k];
            simd::loops<Real>().add_scaled(column(k), direction_[k], change_.data(), v.padded());
        });
        if (!(slope < 0.0)) return false;
        double curvature = 0.0;
        for_moving([&](Index k) { curvature += change_[k] * direction_[k]; });
        double length = curvature > 0.0 ? std::min(1.0, -slope / curvature) : 1.0;
        // Short of the end by rounding only: go all the way, so that edges are reached.
        if (length > 1.0 - 1e-6) length = 1.0;
        for (Index k = 0; k < v.size; ++k) v.gradient[k] += length * change_[k];
        for_moving([&](Index k) {
            v.beta[k] = std::clamp(v.beta[k] + length * direction_[k], v.end_of(k, false),
                                   v.end_of(k, true));
        });
        if (length == 1.0) {
            for (const Index k : edge_) v.beta[k] = goal_[k];
        }
        for_moving([&](Index k) { v.mark(k); });
        return true;
    }

    // The free variables still inside the box, those set to its edge, the direction of both and
    // where the edge is.
    std::vector<Index> inside_, edge_;
    std::vector<double> direction_, goal_;
    AlignedVector<double> change_;
    NewtonSystem system_;
    ShrinkingSystem equations_;
    std::vector<double> step_, moved_;  // by the numbers of the equations
    std::vector<int> places_;
    std::vector<Real> gathered_;
};

}  // namespace svmosaic
