// Compiled with -ffp-contract=off: the error-free sums below rely on every rounding.
#include "core/canonical.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <numeric>

namespace svmosaic {

namespace {

template <class Real>
std::strong_ordering order_of(Real a, Real b) {
    return a < b   ? std::strong_ordering::less
           : a > b ? std::strong_ordering::greater
                   : std::strong_ordering::equal;
}

template <class Real>
std::strong_ordering compare_rows(const DenseRows<Real>& table, Index a, Index b) {
    const auto x = table.row(a);
    const auto z = table.row(b);
    for (Index f = 0; f < ssize(x); ++f) {
        if (x[f] != z[f]) return order_of(x[f], z[f]);
    }
    return std::strong_ordering::equal;
}

// As dense rows would compare: a feature that is not stored is zero.
template <class Real>
std::strong_ordering compare_rows(const CsrRows<Real>& table, Index a, Index b) {
    Index p = table.offsets[a];
    Index q = table.offsets[b];
    const Index p_end = table.offsets[a + 1];
    const Index q_end = table.offsets[b + 1];
    while (p < p_end || q < q_end) {
        const Index p_column = p < p_end ? table.columns[p] : table.n_columns;
        const Index q_column = q < q_end ? table.columns[q] : table.n_columns;
        const Real x = p_column <= q_column ? table.values[p] : Real{0};
        const Real z = q_column <= p_column ? table.values[q] : Real{0};
        if (x != z) return order_of(x, z);
        if (p_column <= q_column) ++p;
        if (q_column <= p_column) ++q;
    }
    return std::strong_ordering::equal;
}

// Pairwise values and callbacks have no rows to compare: samples stay as they came.
template <class Table>
std::strong_ordering compare_rows(const Table&, Index a, Index b) {
    return order_of(a, b);
}

// A sum carried in two doubles. Its rounded value does not depend on the order of the terms
// (but for a chance of about 1e-16 per term), nor on whether w x or x + ... + x was added.
struct ExactSum {
    double high = 0.0;
    double low = 0.0;

    void add(double term) {
        const double sum = high + term;
        const double shifted = sum - high;
        low += (high - (sum - shifted)) + (term - shifted);
        high = sum;
    }
    void add_product(double a, double b) {
        const double product = a * b;
        add(product);
        low += std::fma(a, b, -product);
    }
    double value() const { return high + low; }
};

// Calls visit(feature, value) for the stored values of a row.
template <class Real, class Visit>
void for_row(const DenseRows<Real>& table, Index row, const Visit& visit) {
    const auto values = table.row(row);
    for (Index f = 0; f < ssize(values); ++f) visit(f, static_cast<double>(values[f]));
}
template <class Real, class Visit>
void for_row(const CsrRows<Real>& table, Index row, const Visit& visit) {
    for (Index p = table.offsets[row]; p < table.offsets[row + 1]; ++p) {
        visit(table.columns[p], static_cast<double>(table.values[p]));
    }
}

struct ClassWeights {
    double positive = 0.0;
    double negative = 0.0;
    double of(double target) const { return target > 0 ? positive : negative; }
};

ClassWeights class_weights(const Problem& problem) {
    ExactSum positive;
    ExactSum negative;
    for (Index i = 0; i < ssize(problem.targets); ++i) {
        (problem.targets[i] > 0 ? positive : negative).add(problem.weights[i]);
    }
    return {positive.value(), negative.value()};
}

// Squared distance of every sample of class `target` to the mean of that class.
template <class Table>
void distances_to_mean(const Table& table, const Problem& problem, double target, double weight,
                       std::vector<double>& distances) {
    std::vector<ExactSum> sums(table.n_columns);
    for (Index i = 0; i < ssize(problem.samples); ++i) {
        if (problem.targets[i] != target) continue;
        for_row(table, problem.samples[i],
                [&](Index f, double value) { sums[f].add_product(problem.weights[i], value); });
    }
    std::vector<double> mean(sums.size());
    double squares = 0.0;
    for (Index f = 0; f < ssize(sums); ++f) {
        mean[f] = sums[f].value() / weight;
        squares += mean[f] * mean[f];
    }
    for (Index i = 0; i < ssize(problem.samples); ++i) {
        if (problem.targets[i] != target) continue;
        // |x - m|^2 - |m|^2 = sum over the stored values of x (x - 2 m).
        double distance = squares;
        for_row(table, problem.samples[i],
                [&](Index f, double value) { distance += value * (value - 2.0 * mean[f]); });
        distances[i] = distance;
    }
}

// The same in feature space, from pairwise values: k(i, i) - 2 sum_j w_j k(i, j) / weight; the
// square of the mean is the same for all samples of the class and is left out.
template <class Real>
void distances_to_mean(const PairwiseRows<Real>& table, const Problem& problem, double target,
                       double weight, std::vector<double>& distances) {
    for (Index i = 0; i < ssize(problem.samples); ++i) {
        if (problem.targets[i] != target) continue;
        const Real* row = table.values + problem.samples[i] * table.n_columns;
        ExactSum sum;
        for (Index j = 0; j < ssize(problem.samples); ++j) {
            if (problem.targets[j] != target) continue;
            sum.add_product(problem.weights[j], static_cast<double>(row[problem.samples[j]]));
        }
        distances[i] = static_cast<double>(row[problem.samples[i]]) - 2.0 * sum.value() / weight;
    }
}

// A callback could tell, at the price of all its columns; the first sample has to do.
template <class Real>
void distances_to_mean(const CallbackRows<Real>&, const Problem&, double, double,
                       std::vector<double>&) {}

}  // namespace

template <class Real>
DistinctRows distinct_rows(const Rows<Real>& rows, std::span<const Index> labels,
                           std::span<const double> weights) {
    std::vector<Index> order;
    order.reserve(labels.size());
    for (Index i = 0; i < ssize(labels); ++i) {
        if (weights[i] > 0.0) order.push_back(i);
    }
    DistinctRows distinct;
    std::visit(
        [&](const auto& table) {
            const auto compare = [&](Index a, Index b) {
                const auto by_row = compare_rows(table, a, b);
                if (by_row != std::strong_ordering::equal) return by_row;
                return order_of(labels[a], labels[b]);
            };
            std::sort(order.begin(), order.end(), [&](Index a, Index b) {
                const auto by_pattern = compare(a, b);
                return by_pattern == std::strong_ordering::equal ? a < b : by_pattern < 0;
            });
            for (Index i = 0; i < ssize(order);) {
                ExactSum weight;
                Index j = i;
                for (; j < ssize(order) && compare(order[i], order[j]) == 0; ++j) {
                    weight.add(weights[order[j]]);
                }
                distinct.rows.push_back(order[i]);
                distinct.weights.push_back(weight.value());
                i = j;
            }
        },
        rows);
    return distinct;
}

template <class Real>
Index central_sample(const Rows<Real>& rows, const Problem& problem) {
    const ClassWeights weight = class_weights(problem);
    std::vector<double> distances(problem.samples.size(), 0.0);
    std::vector<double> classes;
    if (weight.positive >= weight.negative) classes.push_back(1.0);
    if (weight.negative >= weight.positive) classes.push_back(-1.0);
    for (const double target : classes) {
        std::visit(
            [&](const auto& table) {
                distances_to_mean(table, problem, target, weight.of(target), distances);
            },
            rows);
    }
    Index best = -1;
    for (Index i = 0; i < ssize(distances); ++i) {
        if (std::find(classes.begin(), classes.end(), problem.targets[i]) == classes.end())
            continue;
        if (best < 0 || distances[i] < distances[best]) {
            best = i;
        }
    }
    return best;
}

template DistinctRows distinct_rows(const Rows<float>&, std::span<const Index>,
                                    std::span<const double>);
template DistinctRows distinct_rows(const Rows<double>&, std::span<const Index>,
                                    std::span<const double>);
template Index central_sample(const Rows<float>&, const Problem&);
template Index central_sample(const Rows<double>&, const Problem&);

}  // namespace svmosaic
