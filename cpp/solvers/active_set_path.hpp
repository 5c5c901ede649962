// From any point of a dual to its solution, one change of the active set after the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/aligned.hpp"
#include "core/infinity.hpp"
#include "simd/loops.hpp"
#include "solvers/bordered_inverse.hpp"
#include "solvers/dual_variables.hpp"

namespace svmosaic {

// Solves       min  1/2 beta' K beta - t' beta   subject to  a fixed sum of beta and
//              lower <= beta <= upper.
// Method       a parametric active-set method (Ferreau, Bock and Diehl, 2008). The point where the
//              variables are solves the problem for another t, which differs by what violates the
//              conditions here. While that difference is taken back the solution moves along
//              straight pieces: the free variables keep their conditions, and a piece ends where
//              one of them reaches a bound or one at a bound has to leave it.
// Cost         for each piece, a column per free variable and twice the square of their number.
//              There are about as many pieces as variables on the wrong side, however wide the
//              bounds are and however flat the kernel is.
template <class Real>
class ActiveSetPath {
  public:
    // Forgets the free variables. To be called before the first path with another matrix.
    void clear() {
        free_.clear();
        inverse_.clear();
    }

    // Follows the path for at most `most_pieces`. row(k) gives row k of the kernel matrix of the
    // variables. Returns whether it came to the end; otherwise all violations have shrunk, or
    // nothing has changed. The caller has to look for extremes.
    template <class Row>
    bool follow(DualVariables& v, Index most_pieces, const Row& row) {
        n_pieces_ = 0;
        const bool arrived = begin(v, row) && go(v, most_pieces, row);
        for (const Index k : free_) {
            v.beta[k] = std::clamp(v.beta[k], v.lower[k], v.upper[k]);
            v.mark(k);
        }
        // The inverse may be the reason why not.
        if (!arrived) clear();
        return arrived;
    }

    // Of the last path.
    Index n_pieces() const { return n_pieces_; }
    // Free variables at its end: for these the next path has what it needs.
    Index n_free() const { return ssize(free_); }

  private:
    // Pieces after which rounding is taken back.
    static constexpr Index solve_every = 16;
    // The ridge, as a share of the diagonal: less than that would be rounding.
    static constexpr double ridge = std::is_same_v<Real, float> ? 1e-6 : 1e-9;

    // Where a piece ends: at a variable that reaches a bound or has to leave it, or at the end.
    struct End {
        double part = 1.0;  // of all that is left of the path
        Index variable = -1;
        Index place = -1;  // among the free variables
        bool at_upper = false;
    };

    // Finds out which variables are free, and on which side the others are.
    template <class Row>
    bool begin(const DualVariables& v, const Row& row) {
        for (Index a = ssize(free_) - 1; a >= 0; --a) {
            if (!v.is_free(free_[a]) && !remove(a)) return false;
        }
        is_known_.assign(v.padded(), 0);
        for (const Index k : free_) is_known_[k] = 1;
        side_.assign(v.padded(), 0.0);
        change_.resize(v.padded());
        double sum = 0.0;
        for (Index k = 0; k < v.size; ++k) {
            if (v.is_free(k)) {
                sum += v.gradient[k];
                if (is_known_[k] == 0 && !add(v, k, row)) return false;
            } else if (v.lower[k] < v.upper[k]) {
                side_[k] = v.beta[k] < v.upper[k] ? 1.0 : -1.0;
            }
        }
        intercept_ = free_.empty() ? 0.0 : -sum / static_cast<double>(free_.size());
        just_stopped_ = -1;
        is_solved_ = false;
        return true;
    }

    template <class Row>
    bool go(DualVariables& v, Index most_pieces, const Row& row) {
        while (n_pieces_ < most_pieces) {
            if (free_.empty()) {
                const WorstPair pair = worst_pair(v);
                if (!pair.violates()) return true;
                if (!free_pair(v, pair, row)) return false;
            }
            if (!find_direction(v, row)) return false;
            const End end = next_end(v);
            move(v, end.part);
            ++n_pieces_;
            if (end.variable < 0) return true;
            if (!(end.place >= 0 ? stop(v, end) : release(v, end.variable, row))) return false;
        }
        return false;
    }

    // K d + shift = -(gradient + intercept) for the free variables, and sum d = 0.
    // Returns false when that is beyond the numbers there are.
    template <class Row>
    bool find_direction(const DualVariables& v, const Row& row) {
        const Index n = ssize(free_);
        if (!is_solved_ || n_pieces_ % solve_every == 0) {
            right_.assign(1, 0.0);
            for (const Index k : free_) right_.push_back(-(v.gradient[k] + intercept_));
            inverse_.solve(right_);
            is_solved_ = true;
        }
        // Rounding must not move the sum of the variables.
        double sum = 0.0;
        for (Index a = 0; a < n; ++a) sum += inverse_.solution(a);
        if (!std::isfinite(sum) || !std::isfinite(inverse_.multiplier())) return false;
        inverse_.solution(n - 1) -= sum;
        rows_.clear();
        direction_.clear();
        for (Index a = 0; a < n; ++a) {
            rows_.push_back(row(free_[a]));
            direction_.push_back(inverse_.solution(a));
        }
        return true;
    }

    End next_end(const DualVariables& v) {
        End end;
        for (Index a = 0; a < ssize(free_); ++a) {
            const Index k = free_[a];
            const bool grows = direction_[a] > 0.0;
            const double room = grows ? v.upper[k] - v.beta[k] : v.beta[k] - v.lower[k];
            const double speed = std::abs(direction_[a]);
            if (room < end.part * speed) end = {std::max(0.0, room / speed), k, a, grows};
        }
        // A variable that has just reached a bound stays there for a piece, whatever rounding says.
        double its_side = 0.0;
        if (just_stopped_ >= 0) its_side = std::exchange(side_[just_stopped_], 0.0);
        const simd::Extreme first = simd::loops<Real>().next_to_leave(
            rows_.data(), direction_.data(), ssize(rows_), side_.data(), v.gradient.data(),
            intercept_, inverse_.multiplier(), change_.data(), v.padded());
        if (just_stopped_ >= 0) side_[just_stopped_] = its_side;
        if (first.value < end.part) end = {first.value, first.index, -1, false};
        return end;
    }

    void move(DualVariables& v, double part) {
        simd::loops<double>().add_scaled(change_.data(), part, v.gradient.data(), v.padded());
        intercept_ += part * inverse_.multiplier();
        for (Index a = 0; a < ssize(free_); ++a) v.beta[free_[a]] += part * direction_[a];
        inverse_.scale_solution(1.0 - part);
        just_stopped_ = -1;
    }

    // A free variable has reached its bound.
    bool stop(DualVariables& v, const End& end) {
        const Index k = end.variable;
        v.beta[k] = end.at_upper ? v.upper[k] : v.lower[k];
        v.mark(k);
        side_[k] = end.at_upper ? -1.0 : 1.0;
        just_stopped_ = k;
        return remove(end.place);
    }

    // A variable leaves its bound.
    template <class Row>
    bool release(const DualVariables& v, Index k, const Row& row) {
        if (!add(v, k, row)) return false;
        side_[k] = 0.0;
        return true;
    }

    // Of the variables at bounds, the one that should grow first and the one that should shrink.
    struct WorstPair {
        double lowest = infinity;
        double highest = -infinity;
        Index growing = -1;
        Index shrinking = -1;
        bool violates() const { return lowest < highest; }
    };

    WorstPair worst_pair(const DualVariables& v) const {
        WorstPair pair;
        for (Index k = 0; k < v.size; ++k) {
            const double g = v.gradient[k];
            if (side_[k] > 0.0 && g < pair.lowest) pair.lowest = g, pair.growing = k;
            if (side_[k] < 0.0 && g > pair.highest) pair.highest = g, pair.shrinking = k;
        }
        return pair;
    }

    // All are at bounds: the worst two leave them.
    template <class Row>
    bool free_pair(const DualVariables& v, const WorstPair& pair, const Row& row) {
        intercept_ = -0.5 * (pair.lowest + pair.highest);
        is_solved_ = false;
        return release(v, pair.growing, row) && release(v, pair.shrinking, row);
    }

    // The inverse, and its solution, with one variable more or fewer.
    template <class Row>
    bool add(const DualVariables& v, Index k, const Row& row) {
        const Real* values = row(k);
        with_free_.clear();
        for (const Index f : free_) with_free_.push_back(static_cast<double>(values[f]));
        const double diagonal = v.diagonal[k] * (1.0 + ridge);
        if (!inverse_.add(with_free_, diagonal, -(v.gradient[k] + intercept_),
                          0.1 * ridge * std::abs(v.diagonal[k]))) {
            return false;
        }
        free_.push_back(k);
        return true;
    }
    bool remove(Index place) {
        if (!inverse_.remove(place)) return false;
        free_[place] = free_.back();
        free_.pop_back();
        return true;
    }

    std::vector<Index> free_;  // in the order of the inverse
    std::vector<std::uint8_t> is_known_;
    BorderedInverse inverse_;  // of their kernel matrix
    bool is_solved_ = false;
    double intercept_ = 0.0;
    Index just_stopped_ = -1;
    Index n_pieces_ = 0;
    // By variable: +1 at the lower bound, -1 at the upper one, 0 for all others; and how the
    // gradient changes on the rest of the path.
    AlignedVector<double> side_, change_;
    // Of the free variables.
    std::vector<double> direction_, right_, with_free_;
    std::vector<const Real*> rows_;
};

}  // namespace svmosaic
