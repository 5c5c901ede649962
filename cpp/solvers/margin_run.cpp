#include "solvers/margin_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace svmosaic {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// As in ollawv.cpp: what counts as equal scores, and as a weight that is used up.
constexpr double rounding = 1e-12;
constexpr double least_weight = 1e-12;

double learning_rate(LearningRate rate, std::size_t t) {
    const auto step = static_cast<double>(t);
    switch (rate) {
        case LearningRate::two_over_sqrt:
            return 2.0 / std::sqrt(step);
        case LearningRate::one_over_sqrt:
            return 1.0 / std::sqrt(step);
        case LearningRate::one_over:
            break;
    }
    return 1.0 / step;
}

Index step_limit(const OllawvSettings& settings, double total_weight) {
    if (settings.max_iter > 0) return settings.max_iter;
    // Kept below what an Index holds.
    const double steps = std::min(settings.max_iter_share * total_weight, 1e15);
    return std::max<Index>(1, static_cast<Index>(steps));
}

}  // namespace

template <class Real>
void MarginRun<Real>::prepare(const TunePlan& plan, const TuneMachine& machine,
                              const TuneFold& fold, std::span<const double> diagonal,
                              const OllawvSettings& settings) {
    const auto length = static_cast<std::size_t>(plan.column_length);
    outputs_.assign(length, 0.0);
    blocked_.assign(length, infinity);
    position_.resize(length);
    remaining_ = machine.weights;
    path_.clear();
    total_weight_ = std::accumulate(machine.weights.begin(), machine.weights.end(), 0.0);
    max_iter_ = step_limit(settings, total_weight_);
    n_support_ = 0;
    next_ = machine.start;
    worst_ = 0.0;

    std::vector<double> sign(plan.ranges.size(), 0.0);
    std::vector<bool> matters(plan.ranges.size(), false);
    double scale = 0.0;
    for (std::size_t i = 0; i < machine.samples.size(); ++i) {
        const auto sample = static_cast<std::size_t>(machine.samples[i]);
        const auto place = static_cast<std::size_t>(plan.places[sample]);
        blocked_[place] = 0.0;
        position_[place] = static_cast<Index>(i);
        sign[static_cast<std::size_t>(plan.labels[sample])] = machine.targets[i];
        scale = std::max(scale, std::abs(diagonal[sample]));
    }
    tie_ = rounding * scale;
    for (const Index sample : fold.test) {
        matters[static_cast<std::size_t>(plan.labels[static_cast<std::size_t>(sample)])] = true;
    }
    parts_.clear();
    for (std::size_t c = 0; c < plan.ranges.size(); ++c) {
        if (sign[c] != 0.0 || matters[c]) parts_.push_back({plan.ranges[c], sign[c], infinity});
    }
}

// Lines 10 and 15 of Algorithm 5.1.
template <class Real>
void MarginRun<Real>::update(const Real* column, double step, double shift) {
    const auto& loops = simd::loops<Real>();
    worst_ = infinity;
    for (auto& part : parts_) {
        const Index begin = part.range.begin;
        const Index n = part.range.end - begin;
        if (part.sign == 0.0) {
            loops.follow(column + begin, step, shift, outputs_.data() + begin, n);
            continue;
        }
        part.lowest = loops.update_outputs(column + begin, step, shift, part.sign,
                                           blocked_.data() + begin, outputs_.data() + begin, n);
        worst_ = std::min(worst_, part.lowest);
    }
}

// The first sample, in canonical order, whose score is the lowest up to rounding. Each class lies
// in that order, so the first of each class are compared.
template <class Real>
Index MarginRun<Real>::find_worst() const {
    const auto& loops = simd::loops<Real>();
    const double bound = worst_ + tie_;
    Index first = std::numeric_limits<Index>::max();
    for (const auto& part : parts_) {
        if (part.sign == 0.0 || part.lowest > bound) continue;
        const Index begin = part.range.begin;
        const Index found =
            loops.first_at_most(outputs_.data() + begin, part.sign, blocked_.data() + begin, bound,
                                part.range.end - begin);
        if (found >= 0) {
            first = std::min(first, position_[static_cast<std::size_t>(begin + found)]);
        }
    }
    return first;
}

template <class Real>
bool MarginRun<Real>::step(const KernelMatrix<Real>& matrix, const TunePlan& plan,
                           const TuneMachine& machine, const OllawvSettings& settings) {
    const auto taken = static_cast<std::size_t>(next_);
    const bool is_new = remaining_[taken] == machine.weights[taken];
    if (is_new && settings.max_support > 0 && n_support_ == settings.max_support) return false;
    n_support_ += is_new ? 1 : 0;
    path_.push_back(next_);

    const double share = std::min(1.0, remaining_[taken]);
    const double lambda =
        learning_rate(settings.learning_rate, path_.size()) * machine.targets[taken] * share;
    const double bias = settings.fit_intercept ? lambda / total_weight_ : 0.0;
    const Index sample = machine.samples[taken];
    remaining_[taken] -= share;
    if (remaining_[taken] < least_weight) {
        const int place = plan.places[static_cast<std::size_t>(sample)];
        blocked_[static_cast<std::size_t>(place)] = infinity;
    }
    update(matrix.row(sample), lambda, bias);
    if (worst_ == infinity || static_cast<Index>(path_.size()) >= max_iter_) return false;
    next_ = find_worst();
    return true;
}

template class MarginRun<float>;
template class MarginRun<double>;

}  // namespace svmosaic
