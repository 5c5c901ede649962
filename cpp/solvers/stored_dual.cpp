#include "solvers/stored_dual.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/smo.hpp"

namespace svmosaic {

namespace {

// Up to here all variables are one working set. To choose smaller ones takes longer than steps over
// rows that the second-level cache does not hold any more.
constexpr Index few = 1200;
// A working set has room for this many violators beside the free variables, and is never larger
// than the most.
constexpr Index room_for_violators = 96;
constexpr Index most = 640;
// Rows that are added to the gradients together: those are read and written once for all of them.
constexpr Index rows_together = 8;
// A round need not be solved more exactly than this share of the violation it starts with.
constexpr double looseness = 0.1;
// A share of a sum of bounds that rounding may leave. A variable that it keeps from its bound would
// pass for free and set the intercept.
constexpr double rounding_of_sums = 1e-12;

}  // namespace

template <class Real>
void StoredDual<Real>::bind(const KernelMatrix<Real>& matrix, std::span<const PlaceRange> ranges,
                            const StoredVariables& variables, Loss loss) {
    matrix_ = matrix;
    variables_ = variables;
    loss_ = loss;
    epsilon_ = 0.0;
    C_ = 0.0;
    const Index n = variables.size();
    lower_.assign(n, 0.0);
    upper_.assign(n, 0.0);
    all_at_once_ = n <= few;
    if (all_at_once_) {
        working_.resize(n);
        for (Index v = 0; v < n; ++v) working_[v] = v;
        ranges_.clear();
        begin_matrix();
        return;
    }
    beta_.assign(n, 0.0);
    position_.resize(n);
    ranges_.clear();
    Index offset = 0;
    for (const auto& range : ranges) {
        ranges_.push_back({range, offset});
        offset += range.end - range.begin;
    }
    gradient_.assign(offset, 0.0);
    for (Index v = 0; v < n; ++v) {
        const Index place = variables.places[v];
        const auto range = std::find_if(ranges_.begin(), ranges_.end(), [&](const Range& r) {
            return place >= r.places.begin && place < r.places.end;
        });
        position_[v] = range->offset + place - range->places.begin;
        gradient_[position_[v]] = -variables.targets[v];
    }
}

template <class Real>
void StoredDual<Real>::set_epsilon(double epsilon) {
    epsilon_ = epsilon;
    if (all_at_once_) box_.set_epsilon(epsilon);
}

template <class Real>
void StoredDual<Real>::set_bounds(Index v, double C) {
    const double bound = C * variables_.weights[v];
    const bool two_sided = loss_ == Loss::epsilon_insensitive;
    lower_[v] = two_sided || variables_.targets[v] <= 0.0 ? -bound : 0.0;
    upper_[v] = two_sided || variables_.targets[v] > 0.0 ? bound : 0.0;
}

template <class Real>
void StoredDual<Real>::restart(std::span<const double> beta, std::span<const double> values,
                               double C) {
    C_ = C;
    for (const auto& range : ranges_) {
        std::copy(values.begin() + range.places.begin, values.begin() + range.places.end,
                  gradient_.begin() + range.offset);
    }
    for (Index v = 0; v < variables_.size(); ++v) {
        set_bounds(v, C);
        const double start = std::clamp(beta[v], lower_[v], upper_[v]);
        const double gradient = values[variables_.places[v]] - variables_.targets[v];
        if (all_at_once_) {
            box_.set(v, variables_.diagonal[v], variables_.targets[v], lower_[v], upper_[v], start,
                     gradient);
        } else {
            beta_[v] = start;
            gradient_[position_[v]] = gradient;
        }
    }
    if (all_at_once_) box_.set_epsilon(epsilon_);
}

template <class Real>
double StoredDual<Real>::objective() const {
    double sum = 0.0;
    const auto all = beta();
    for (Index v = 0; v < ssize(all); ++v) {
        const double target = variables_.targets[v];
        sum += all[v] * (target - 0.5 * (gradient(v) + target)) - epsilon_ * std::abs(all[v]);
    }
    return sum;
}

template <class Real>
void StoredDual<Real>::stretch(double C) {
    double linear = 0.0;
    double quadratic = 0.0;
    for (Index v = 0; v < ssize(beta_); ++v) {
        linear += variables_.targets[v] * beta_[v] - epsilon_ * std::abs(beta_[v]);
        quadratic += beta_[v] * (gradient(v) + variables_.targets[v]);
    }
    const double factor = C_ > 0.0 ? best_stretch(linear, quadratic, C / C_) : 1.0;
    const bool whole = C_ > 0.0 && factor == C / C_;
    for (Index v = 0; v < ssize(beta_); ++v) {
        const double target = variables_.targets[v];
        const bool at_bound = beta_[v] != 0.0 && !is_inside(v);
        set_bounds(v, C);
        // What was at its bound stays exactly there when the whole ray is used.
        beta_[v] = whole && at_bound ? (beta_[v] > 0.0 ? upper_[v] : lower_[v])
                                     : std::clamp(factor * beta_[v], lower_[v], upper_[v]);
        double& gradient = gradient_[position_[v]];
        gradient = factor * (gradient + target) - target;
    }
}

template <class Real>
void StoredDual<Real>::look() {
    standing_ = {};
    for (Index v = 0; v < ssize(beta_); ++v) {
        standing_.add({beta_[v], {lower_[v], upper_[v]}, gradient(v), epsilon_});
    }
}

// The worst first, as many as there is room for.
template <class Candidates>
static void keep_worst(Candidates& candidates, Index room) {
    if (ssize(candidates) <= room) return;
    std::nth_element(candidates.begin(), candidates.begin() + room, candidates.end(),
                     [](const auto& a, const auto& b) { return a.violation > b.violation; });
    candidates.resize(room);
}

template <class Real>
void StoredDual<Real>::choose_working_set(double tol) {
    growing_.clear();
    shrinking_.clear();
    free_.clear();
    const double slack = 0.5 * tol;
    const double middle = standing_.middle();
    for (Index v = 0; v < ssize(beta_); ++v) {
        const double up = gradient(v) + (beta_[v] >= 0.0 ? epsilon_ : -epsilon_);
        const double low = gradient(v) + (beta_[v] > 0.0 ? epsilon_ : -epsilon_);
        if (is_inside(v) && up == low) {
            free_.push_back({std::abs(up - middle), v});
        } else if (beta_[v] < upper_[v] && up < middle - slack) {
            growing_.push_back({middle - up, v});
        } else if (beta_[v] > lower_[v] && low > middle + slack) {
            shrinking_.push_back({low - middle, v});
        }
    }
    keep_worst(free_, most - room_for_violators);
    const Index half = room_for_violators / 2;
    const Index fewer = std::min(growing_.size(), shrinking_.size());
    const Index share = room_for_violators - std::min(half, fewer);
    keep_worst(growing_, share);
    keep_worst(shrinking_, share);
    working_.clear();
    for (const auto* part : {&free_, &growing_, &shrinking_}) {
        for (const auto& candidate : *part) working_.push_back(candidate.variable);
    }
    std::sort(working_.begin(), working_.end());
}

template <class Real>
void StoredDual<Real>::begin_matrix() {
    working_places_.clear();
    for (const Index v : working_) working_places_.push_back(variables_.places[v]);
    box_.resize(ssize(working_));
    is_loaded_.assign(working_.size(), 0);
}

template <class Real>
Index StoredDual<Real>::solve_working_set(double tol, Index max_updates, Monitor& monitor) {
    return box_.solve(tol, max_updates, monitor,
                      [this](Index i) { return is_loaded_[i] != 0 ? box_.matrix_row(i) : row(i); });
}

// Copies it when it is first asked for.
template <class Real>
const Real* StoredDual<Real>::row(Index i) {
    if (is_loaded_[i] == 0) {
        is_loaded_[i] = 1;
        working_places_.copy(matrix_.row(variables_.samples[working_[i]]), box_.matrix_row(i));
        box_.clear_padding(i);
    }
    return box_.matrix_row(i);
}

template <class Real>
void StoredDual<Real>::load_variables() {
    for (Index i = 0; i < ssize(working_); ++i) {
        const Index v = working_[i];
        box_.set(i, variables_.diagonal[v], variables_.targets[v], lower_[v], upper_[v], beta_[v],
                 gradient(v));
    }
    box_.set_epsilon(epsilon_);
}

template <class Real>
void StoredDual<Real>::store_variables() {
    const auto& loops = simd::loops<Real>();
    for (Index i = 0; i < ssize(working_); ++i) {
        const Index v = working_[i];
        const double change = box_.beta(i) - beta_[v];
        beta_[v] = box_.beta(i);
        if (change == 0.0) continue;
        columns_.push_back(matrix_.row(variables_.samples[v]));
        steps_.push_back(change);
    }
    for (Index begin = 0; begin < ssize(steps_); begin += rows_together) {
        const Index n = std::min(rows_together, ssize(steps_) - begin);
        for (const auto& range : ranges_) {
            loops.multiply_columns(columns_.data() + begin, range.places.begin,
                                   steps_.data() + begin, n, 1, gradient_.data() + range.offset, 0,
                                   range.places.end - range.places.begin);
        }
    }
    columns_.clear();
    steps_.clear();
}

template <class Real>
void StoredDual<Real>::start(double C) {
    for (Index v = 0; v < ssize(working_); ++v) set_bounds(v, C);
    if (loss_ != Loss::hinge || !reach_bounds()) {
        start_.assign(working_.size(), 0.0);
        start_values_.assign(box_.variables().padded(), 0.0);
    }
    for (Index v = 0; v < ssize(working_); ++v) {
        box_.set(v, variables_.diagonal[v], variables_.targets[v], lower_[v], upper_[v], start_[v],
                 start_values_[v] - variables_.targets[v]);
    }
    box_.set_epsilon(epsilon_);
}

// Returns whether the dual objective grows all the way to this start.
template <class Real>
bool StoredDual<Real>::reach_bounds() {
    const auto targets = variables_.targets;
    const auto bound = [&](Index v) { return upper_[v] - lower_[v]; };
    start_.assign(working_.size(), 0.0);
    start_values_.assign(box_.variables().padded(), 0.0);
    const auto move = [&](Index v, double size) {
        start_[v] = targets[v] * size;
        columns_.push_back(row(v));
        steps_.push_back(start_[v]);
    };
    const auto add_moves = [&] {
        simd::loops<Real>().add_all_scaled(columns_.data(), steps_.data(), ssize(steps_),
                                           start_values_.data(), ssize(start_values_));
        columns_.clear();
        steps_.clear();
    };
    double balance = 0.0;
    for (Index v = 0; v < ssize(working_); ++v) balance += targets[v] * bound(v);
    const double smaller = balance > 0.0 ? -1.0 : 1.0;
    double left = 0.0;
    for (Index v = 0; v < ssize(working_); ++v) {
        if (targets[v] != smaller) continue;
        move(v, bound(v));
        left += bound(v);
    }
    add_moves();
    const double linear = 2.0 * left;
    const double rounding = rounding_of_sums * left;
    larger_class_.clear();
    for (Index v = 0; v < ssize(working_); ++v) {
        // Sums of huge kernel values overflow, and what is not a number has no order.
        if (!std::isfinite(start_values_[v])) return false;
        if (targets[v] != smaller) larger_class_.emplace_back(-smaller * start_values_[v], v);
    }
    // The worst half of those that are still in question, if there is room for all of it.
    auto begin = larger_class_.begin();
    auto end = larger_class_.end();
    while (begin != end && left > rounding) {
        const auto middle = begin + (end - begin + 1) / 2;
        if (middle != end) std::nth_element(begin, middle, end);
        double sum = 0.0;
        for (auto it = begin; it != middle; ++it) sum += bound(it->second);
        if (sum > left + rounding && middle != end) {
            end = middle;
            continue;
        }
        for (; begin != middle && left > rounding; ++begin) {
            const double whole = bound(begin->second);
            const double size = whole <= left + rounding ? whole : left;
            if (size > 0.0) move(begin->second, size);
            left -= size;
        }
    }
    add_moves();
    double quadratic = 0.0;
    for (Index v = 0; v < ssize(working_); ++v) quadratic += start_[v] * start_values_[v];
    return linear >= quadratic;
}

template <class Real>
bool StoredDual<Real>::solve_at_once(double C, double tol, Index max_updates, Monitor& monitor) {
    if (C_ > 0.0) {
        box_.stretch(C / C_);
    } else {
        start(C);
    }
    C_ = C;
    n_updates_ = solve_working_set(tol, max_updates, monitor);
    standing_ = box_.standing();
    return !monitor.stopped();
}

template <class Real>
bool StoredDual<Real>::solve(double C, double tol, Index max_updates, Monitor& monitor) {
    if (all_at_once_) return solve_at_once(C, tol, max_updates, monitor);
    stretch(C);
    C_ = C;
    look();
    Index updates = 0;
    n_updates_ = 0;
    while (standing_.violation() > tol && updates < max_updates) {
        choose_working_set(tol);
        begin_matrix();
        load_variables();
        const double goal = std::max(tol, looseness * standing_.violation());
        const Index made = solve_working_set(goal, max_updates - updates, monitor);
        updates += made;
        store_variables();
        look();
        n_updates_ = updates;
        if (monitor.should_stop(made)) return false;
        // Nothing moves any more: rounding is all that is left of the violation.
        if (made == 0) break;
    }
    return !monitor.stopped();
}

template class StoredDual<float>;
template class StoredDual<double>;

}  // namespace svmosaic
