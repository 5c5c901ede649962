// Compiled with -ffp-contract=off: the error-free sums below rely on every rounding.
#include "core/canonical.hpp"

#include <algorithm>
#include <cmath>
#include <compare>

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

// Numbers that are worth a thread of their own when they are sorted.
constexpr Index least_to_sort = 2048;

// Sorts pieces side by side and merges them two by two. The order must be total, so that the result
// does not depend on how many pieces there were.
template <class Less>
void sort_in_parallel(std::vector<Index>& numbers, ThreadPool& pool, const Less& less) {
    const Index n = ssize(numbers);
    const Index n_pieces = threads_to_sort(n, pool.n_threads());
    const auto piece = [&](Index k) {
        return numbers.begin() + n * std::min(k, n_pieces) / n_pieces;
    };
    pool.run(n_pieces, [&](Index k) { std::sort(piece(k), piece(k + 1), less); });
    for (Index width = 1; width < n_pieces; width *= 2) {
        pool.run((n_pieces + 2 * width - 1) / (2 * width), [&](Index pair) {
            const Index first = 2 * width * pair;
            std::inplace_merge(piece(first), piece(first + width), piece(first + 2 * width), less);
        });
    }
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

Index threads_to_sort(Index n_rows, Index n_threads) {
    return std::clamp<Index>(n_rows / least_to_sort, 1, n_threads);
}

template <class Real>
DistinctRows distinct_rows(const Rows<Real>& rows, std::span<const Index> labels,
                           std::span<const double> weights, ThreadPool& pool) {
    std::vector<Index> order;
    order.reserve(labels.size());
    for (Index i = 0; i < ssize(labels); ++i) {
        if (weights[i] > 0.0) order.push_back(i);
    }
    // Whether a place in the order has another pattern than the one before. A byte each, because
    // threads write side by side.
    std::vector<char> is_first(order.size(), 1);
    std::visit(
        [&](const auto& table) {
            const auto compare = [&](Index a, Index b) {
                const auto by_row = compare_rows(table, a, b);
                if (by_row != std::strong_ordering::equal) return by_row;
                return order_of(labels[a], labels[b]);
            };
            sort_in_parallel(order, pool, [&](Index a, Index b) {
                const auto by_pattern = compare(a, b);
                return by_pattern == std::strong_ordering::equal ? a < b : by_pattern < 0;
            });
            const Index n = ssize(order);
            pool.run((n + least_to_sort - 1) / least_to_sort, [&](Index range) {
                const Index end = std::min(n, (range + 1) * least_to_sort);
                for (Index i = std::max<Index>(1, range * least_to_sort); i < end; ++i) {
                    is_first[i] = compare(order[i - 1], order[i]) != 0 ? 1 : 0;
                }
            });
        },
        rows);
    DistinctRows distinct;
    for (Index i = 0; i < ssize(order);) {
        distinct.rows.push_back(order[i]);
        ExactSum weight;
        do {
            weight.add(weights[order[i++]]);
        } while (i < ssize(order) && is_first[i] == 0);
        distinct.weights.push_back(weight.value());
    }
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
                                    std::span<const double>, ThreadPool&);
template DistinctRows distinct_rows(const Rows<double>&, std::span<const Index>,
                                    std::span<const double>, ThreadPool&);
template Index central_sample(const Rows<float>&, const Problem&);
template Index central_sample(const Rows<double>&, const Problem&);

}  // namespace svmosaic
