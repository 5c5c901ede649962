#include "solvers/stored_scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/infinity.hpp"
#include "simd/loops.hpp"
#include "solvers/ollawv_loop.hpp"

namespace svmosaic {

template <class Real>
void StoredScores<Real>::begin(const KernelMatrix<Real>& matrix, const TunePlan& plan,
                               const TuneProblem& problem, const TuneFold& fold,
                               std::span<const double> diagonal) {
    matrix_ = matrix;
    plan_ = &plan;
    problem_ = &problem;
    const Index length = plan.column_length;
    outputs_.assign(length, 0.0);
    blocked_.assign(length, infinity);
    position_.resize(length);

    std::vector<double> sign(plan.ranges.size(), 0.0);
    std::vector<bool> matters(plan.ranges.size(), false);
    double scale = 0.0;
    for (Index i = 0; i < ssize(problem.samples); ++i) {
        const Index sample = problem.samples[i];
        const Index place = plan.places[sample];
        blocked_[place] = 0.0;
        position_[place] = i;
        sign[plan.labels[sample]] = problem.targets[i];
        scale = std::max(scale, std::abs(diagonal[sample]));
    }
    tie_ = score_rounding * scale;
    for (const Index sample : fold.test) {
        matters[plan.labels[sample]] = true;
    }
    parts_.clear();
    for (Index c = 0; c < ssize(plan.ranges); ++c) {
        if (sign[c] != 0.0 || matters[c]) parts_.push_back({plan.ranges[c], sign[c], infinity});
    }
}

template <class Real>
void StoredScores<Real>::remove(Index i) {
    const int place = plan_->places[sample(i)];
    blocked_[place] = infinity;
}

template <class Real>
double StoredScores<Real>::update(Index i, double step, double shift) {
    const auto& loops = simd::loops<Real>();
    const Real* column = matrix_.row(sample(i));
    lowest_ = infinity;
    for (auto& part : parts_) {
        const Index begin = part.range.begin;
        const Index n = part.range.end - begin;
        if (part.sign == 0.0) {
            loops.follow(column + begin, step, shift, outputs_.data() + begin, n);
            continue;
        }
        part.lowest = loops.update_outputs(column + begin, step, shift, part.sign,
                                           blocked_.data() + begin, outputs_.data() + begin, n);
        lowest_ = std::min(lowest_, part.lowest);
    }
    return lowest_;
}

// Each class lies in canonical order, so the first of each class are compared.
template <class Real>
Index StoredScores<Real>::find_worst() const {
    const auto& loops = simd::loops<Real>();
    const double bound = lowest_ + tie_;
    Index first = std::numeric_limits<Index>::max();
    for (const auto& part : parts_) {
        if (part.sign == 0.0 || part.lowest > bound) continue;
        const Index begin = part.range.begin;
        const Index found =
            loops.first_at_most(outputs_.data() + begin, part.sign, blocked_.data() + begin, bound,
                                part.range.end - begin);
        if (found >= 0) {
            first = std::min(first, position_[begin + found]);
        }
    }
    return first;
}

template class StoredScores<float>;
template class StoredScores<double>;

}  // namespace svmosaic
