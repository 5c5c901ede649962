#include "solvers/tune_plan.hpp"

#include <algorithm>
#include <stdexcept>

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
    Index place = 0;
    for (Index c = 0; c < plan.n_classes; ++c) {
        const Index begin = place;
        for (const Index row : order) {
            if (labels[row] != c) continue;
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

// The problem on those of the fold's distinct rows whose class takes part.
template <class Real>
TuneProblem make_problem(const Rows<Real>& rows, const DistinctRows& distinct,
                         std::span<const Index> classes, std::span<const Index> sample_of,
                         const TuneFold& fold, std::pair<Index, Index> pair, bool selects) {
    TuneProblem problem;
    problem.positive = pair.first;
    problem.negative = pair.second;
    const Index positive = fold.classes[pair.first];
    std::vector<Index> taken;
    for (Index i = 0; i < ssize(distinct.rows); ++i) {
        const bool is_positive = classes[i] == positive;
        const bool takes_part = is_positive || pair.second < 0 ||
                                classes[i] == fold.classes[std::max<Index>(pair.second, 0)];
        if (!takes_part) continue;
        taken.push_back(distinct.rows[i]);
        problem.samples.push_back(sample_of[distinct.rows[i]]);
        problem.targets.push_back(is_positive ? 1.0 : -1.0);
        problem.weights.push_back(distinct.weights[i]);
    }
    for (const Index label : fold.classes) {
        const bool takes_part =
            pair.second < 0 || label == positive || label == fold.classes[pair.second];
        if (takes_part) problem.labels.push_back(label);
    }
    if (!selects) {
        // Samples are numbered in the order of their places.
        problem.by_place = count_up(problem.samples.size());
        std::sort(problem.by_place.begin(), problem.by_place.end(),
                  [&](Index a, Index b) { return problem.samples[a] < problem.samples[b]; });
    } else {
        problem.start = central_sample(rows, Problem{taken, problem.targets, problem.weights});
    }
    return problem;
}

template <class Real>
TuneFold make_fold(const Rows<Real>& rows, std::span<const Index> labels,
                   std::span<const double> weights, const Split& split,
                   std::span<const Index> sample_of, const TunePlan& plan, const PlanKind& kind,
                   ThreadPool& pool) {
    std::vector<double> in_training(weights.size(), 0.0);
    for (const Index row : split.train) in_training[row] = weights[row];
    const DistinctRows distinct = distinct_rows(rows, labels, in_training, pool);
    std::vector<Index> classes;
    for (const Index row : distinct.rows) classes.push_back(labels[row]);

    TuneFold fold;
    fold.classes = classes;
    std::sort(fold.classes.begin(), fold.classes.end());
    fold.classes.erase(std::unique(fold.classes.begin(), fold.classes.end()), fold.classes.end());
    if (fold.classes.size() < 2) {
        throw std::invalid_argument(
            "There is a training fold with one class only. Use fewer or stratified folds.");
    }
    for (const auto& pair : class_pairs(ssize(fold.classes), kind.one_vs_rest)) {
        fold.problems.push_back(
            make_problem(rows, distinct, classes, sample_of, fold, pair, kind.selects));
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
                   const PlanKind& kind, ThreadPool& pool) {
    TunePlan plan;
    lay_out(rows, labels, weights, splits, kind.selects, pool, plan);
    std::vector<Index> sample_of(labels.size(), -1);
    for (Index s = 0; s < ssize(plan.rows); ++s) {
        sample_of[plan.rows[s]] = s;
    }
    for (const auto& split : splits) {
        plan.folds.push_back(make_fold(rows, labels, weights, split, sample_of, plan, kind, pool));
    }
    return plan;
}

template TunePlan make_plan(const Rows<float>&, std::span<const Index>, std::span<const double>,
                            std::span<const Split>, const PlanKind&, ThreadPool&);
template TunePlan make_plan(const Rows<double>&, std::span<const Index>, std::span<const double>,
                            std::span<const Split>, const PlanKind&, ThreadPool&);

}  // namespace svmosaic
