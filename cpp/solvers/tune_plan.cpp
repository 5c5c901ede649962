#include "solvers/tune_plan.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "core/canonical.hpp"
#include "simd/loops.hpp"

namespace svmosaic {

namespace {

// All rows of positive weight in canonical order. With a label of its own no row is a copy.
template <class Real>
std::vector<Index> canonical_order(const Rows<Real>& rows, std::span<const double> weights,
                                   ThreadPool& pool) {
    std::vector<Index> own = count_up(weights.size());
    return distinct_rows(rows, own, weights, pool).rows;
}

// The first split that tests each row, or their number.
std::vector<Index> tested_first(Index n_rows, std::span<const Split> splits) {
    std::vector<Index> first(n_rows, splits.size());
    for (Index s = ssize(splits) - 1; s >= 0; --s) {
        for (const Index row : splits[s].test) first[row] = s;
    }
    return first;
}

// Numbers the samples by class and, inside a class, in canonical order, which decides between equal
// scores of a selection. Without one, samples that are tested together come first.
template <class Real>
void lay_out(const Rows<Real>& rows, std::span<const Index> labels, std::span<const double> weights,
             std::span<const Split> splits, bool selects, ThreadPool& pool, TunePlan& plan) {
    auto order = canonical_order(rows, weights, pool);
    if (!selects) {
        const auto first = tested_first(weights.size(), splits);
        std::stable_sort(order.begin(), order.end(),
                         [&](Index a, Index b) { return first[a] < first[b]; });
    }
    plan.n_classes = 1 + *std::max_element(labels.begin(), labels.end());
    std::vector<std::vector<Index>> rows_of(plan.n_classes);
    for (const Index row : order) rows_of[labels[row]].push_back(row);
    Index place = 0;
    for (Index c = 0; c < plan.n_classes; ++c) {
        const Index begin = place;
        for (const Index row : rows_of[c]) {
            plan.rows.push_back(row);
            plan.labels.push_back(c);
            plan.weights.push_back(weights[row]);
            plan.places.push_back(static_cast<int>(place++));
        }
        place = simd::round_up(place, simd::lanes<Real>);
        plan.ranges.push_back({begin, place});
    }
    plan.column_length = place;
}

std::vector<std::pair<Index, Index>> class_pairs(Index n_classes, bool one_vs_rest) {
    if (n_classes == 2) return {{1, 0}};
    std::vector<std::pair<Index, Index>> pairs;
    for (Index i = 0; i < n_classes; ++i) {
        if (one_vs_rest) pairs.emplace_back(i, -1);
        for (Index j = i + 1; j < n_classes && !one_vs_rest; ++j) pairs.emplace_back(i, j);
    }
    return pairs;
}

// The distinct rows of the training part of a fold. Some of them are given by their numbers.
struct TrainingPart {
    DistinctRows distinct;
    std::vector<Index> samples;
    // For each class of the fold its numbers, ascending, and in the order of their places.
    std::vector<std::vector<Index>> of_class, by_place;

    TrainingPart(DistinctRows rows, std::span<const Index> labels, std::span<const Index> sample_of,
                 TuneFold& fold)
        : distinct(std::move(rows)) {
        for (const Index row : distinct.rows) {
            samples.push_back(sample_of[row]);
            fold.classes.push_back(labels[row]);
        }
        std::sort(fold.classes.begin(), fold.classes.end());
        const auto doubles = std::ranges::unique(fold.classes);
        fold.classes.erase(doubles.begin(), doubles.end());
        of_class.resize(fold.classes.size());
        for (Index i = 0; i < ssize(samples); ++i) {
            const Index label = labels[distinct.rows[i]];
            const auto found = std::ranges::lower_bound(fold.classes, label);
            of_class[found - fold.classes.begin()].push_back(i);
        }
        by_place = of_class;
        for (auto& numbers : by_place) {
            // Samples are numbered in the order of their places.
            std::ranges::sort(numbers, {}, [&](Index i) { return samples[i]; });
        }
    }
};

// The classes of a problem, numbered as in the fold, ascending.
std::vector<Index> classes_of(std::pair<Index, Index> pair, Index n_classes) {
    if (pair.second < 0) return count_up(n_classes);
    return {std::min(pair.first, pair.second), std::max(pair.first, pair.second)};
}

// The problem on those of the rows whose class takes part. `position` has room for a number per
// row.
template <class Real>
TuneProblem make_problem(const Rows<Real>& rows, const TrainingPart& part, const TuneFold& fold,
                         std::pair<Index, Index> pair, bool selects, std::vector<Index>& position) {
    TuneProblem problem;
    problem.positive = pair.first;
    problem.negative = pair.second;
    const auto classes = classes_of(pair, ssize(fold.classes));
    for (const Index c : classes) problem.labels.push_back(fold.classes[c]);
    std::vector<Index> taken;
    if (pair.second < 0) {
        taken = count_up(part.samples.size());
    } else {
        std::ranges::merge(part.of_class[classes[0]], part.of_class[classes[1]],
                           std::back_inserter(taken));
    }
    for (const Index i : taken) {
        position[i] = ssize(problem.samples);
        problem.samples.push_back(part.samples[i]);
        problem.targets.push_back(-1.0);
        problem.weights.push_back(part.distinct.weights[i]);
    }
    for (const Index i : part.of_class[pair.first]) problem.targets[position[i]] = 1.0;
    if (!selects) {
        for (const Index c : classes) {
            for (const Index i : part.by_place[c]) problem.by_place.push_back(position[i]);
        }
    } else {
        for (Index& i : taken) i = part.distinct.rows[i];
        problem.start = central_sample(rows, Problem{taken, problem.targets, problem.weights});
    }
    return problem;
}

template <class Real>
TuneFold make_fold(const Rows<Real>& rows, std::span<const Index> labels,
                   std::span<const double> weights, const Split& split,
                   std::span<const Index> sample_of, const TunePlan& plan, const PlanKind& kind,
                   ThreadPool& pool, Monitor& monitor) {
    // A row that is drawn twice counts twice.
    std::vector<double> in_training(weights.size(), 0.0);
    for (const Index row : split.train) in_training[row] += weights[row];
    TuneFold fold;
    const TrainingPart part(distinct_rows(rows, labels, in_training, pool), labels, sample_of,
                            fold);
    if (fold.classes.size() < 2) {
        throw std::invalid_argument(
            "There is a training fold with one class only. Use fewer or stratified folds.");
    }
    std::vector<Index> position(part.samples.size());
    for (const auto& pair : class_pairs(ssize(fold.classes), kind.one_vs_rest)) {
        // Hundreds of classes have tens of thousands of pairs.
        if (monitor.should_stop(0)) break;
        fold.problems.push_back(make_problem(rows, part, fold, pair, kind.selects, position));
    }
    for (const Index row : split.test) {
        if (sample_of[row] >= 0) fold.test.push_back(sample_of[row]);
    }
    std::sort(fold.test.begin(), fold.test.end());
    for (const Index sample : fold.test) fold.test_places.push_back(plan.places[sample]);
    return fold;
}

}  // namespace

std::vector<Index> ascending(std::span<const double> values) {
    std::vector<Index> order = count_up(values.size());
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return values[a] < values[b]; });
    return order;
}

Index largest_problem(const TunePlan& plan) {
    Index largest = 0;
    for (const auto& fold : plan.folds) {
        for (const auto& problem : fold.problems) {
            largest = std::max(largest, ssize(problem.samples));
        }
    }
    return largest;
}

template <class Real>
TunePlan make_plan(const Rows<Real>& rows, std::span<const Index> labels,
                   std::span<const double> weights, std::span<const Split> splits,
                   const PlanKind& kind, ThreadPool& pool, Monitor& monitor) {
    TunePlan plan;
    lay_out(rows, labels, weights, splits, kind.selects, pool, plan);
    std::vector<Index> sample_of(labels.size(), -1);
    for (Index s = 0; s < ssize(plan.rows); ++s) {
        sample_of[plan.rows[s]] = s;
    }
    for (const auto& split : splits) {
        plan.folds.push_back(
            make_fold(rows, labels, weights, split, sample_of, plan, kind, pool, monitor));
    }
    return plan;
}

template TunePlan make_plan(const Rows<float>&, std::span<const Index>, std::span<const double>,
                            std::span<const Split>, const PlanKind&, ThreadPool&, Monitor&);
template TunePlan make_plan(const Rows<double>&, std::span<const Index>, std::span<const double>,
                            std::span<const Split>, const PlanKind&, ThreadPool&, Monitor&);

}  // namespace svmosaic
