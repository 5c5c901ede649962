#include "solvers/online.hpp"

#include <cmath>
#include <numeric>

namespace svmosaic {

namespace {

// A remaining weight below this is a rounding error, not a fraction of a sample.
constexpr double least_weight = 1e-12;

std::uint32_t n_visits(double weight) {
    return std::max(std::uint32_t{1}, static_cast<std::uint32_t>(std::ceil(weight - least_weight)));
}

}  // namespace

Visits::Visits(const Problem& problem, VisitOrder order, Index epochs, Index seed)
    : weights_(problem.weights),
      drawn_(order == VisitOrder::random),
      epochs_(epochs),
      total_(static_cast<double>(epochs) * std::accumulate(weights_.begin(), weights_.end(), 0.0)),
      revisits_(drawn_ || epochs > 1 ||
                std::any_of(weights_.begin(), weights_.end(), [](double w) { return w > 1.0; })),
      sampler_(static_cast<std::uint64_t>(seed)) {
    if (drawn_) {
        packing_.resize(weights_.size());
        std::iota(packing_.begin(), packing_.end(), Index{0});
        sums_.resize(weights_.size());
        std::partial_sum(weights_.begin(), weights_.end(), sums_.begin());
    } else {
        list_cycle(order);
    }
}

void Visits::list_cycle(VisitOrder order) {
    for (Index i = 0; i < ssize(weights_); ++i) {
        cycle_.insert(cycle_.end(), n_visits(weights_[i]), static_cast<std::uint32_t>(i));
    }
    if (order == VisitOrder::shuffled) sampler_.shuffle(cycle_);
    last_visit_.resize(weights_.size());
    for (Index v = 0; v < ssize(cycle_); ++v) {
        last_visit_[cycle_[v]] = static_cast<std::uint32_t>(v);
    }
    packing_.reserve(weights_.size());
    for (Index v = 0; v < ssize(cycle_); ++v) {
        if (last_visit_[cycle_[v]] == v) packing_.push_back(cycle_[v]);
    }
    remaining_.assign(weights_.begin(), weights_.end());
}

bool Visits::next(Visit& visit) {
    if (drawn_) return next_drawn(visit);
    if (at_ == ssize(cycle_)) {
        at_ = 0;
        ++epoch_;
        std::copy(weights_.begin(), weights_.end(), remaining_.begin());
    }
    if (epoch_ >= epochs_ || cycle_.empty()) return false;
    const std::uint32_t i = cycle_[at_];
    visit.sample = i;
    visit.share = std::min(1.0, remaining_[i]);
    remaining_[i] -= visit.share;
    if (epoch_ + 1 == epochs_ && last_visit_[i] == at_) ++n_finished_;
    visit.needed = n_finished_;
    ++at_;
    return true;
}

bool Visits::next_drawn(Visit& visit) {
    const double left = total_ - done_;
    if (left < least_weight || sums_.empty()) return false;
    const double drawn = sampler_.unit() * sums_.back();
    const auto found = std::upper_bound(sums_.begin(), sums_.end() - 1, drawn);
    visit.sample = found - sums_.begin();
    visit.share = std::min(1.0, left);
    visit.needed = 0;
    done_ += visit.share;
    return true;
}

void list_support(const OnlineTask& task, std::span<const double> raw, OnlineSolution& solution) {
    const Index n_earlier = task.support.size();
    for (Index j = 0; j < ssize(raw); ++j) {
        if (raw[j] == 0.0) continue;
        solution.support.push_back(j < n_earlier ? task.support[j]
                                                 : task.problem.samples[j - n_earlier]);
        solution.state.push_back(raw[j]);
    }
}

void close(const Monitor& monitor, bool stopped, Monitor::Clock::time_point began,
           OnlineSolution& solution) {
    solution.status = stopped ? monitor.reason() : Status::exhausted;
    solution.seconds.total = std::chrono::duration<double>(Monitor::Clock::now() - began).count();
}

}  // namespace svmosaic
