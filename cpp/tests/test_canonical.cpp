#include <map>
#include <utility>
#include <vector>

#include "core/canonical.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

// Few different values, so that rows repeat.
template <class Real>
Samples<Real> coarse_samples(Index n_rows, Index n_columns, std::uint64_t seed) {
    Random random(seed);
    Samples<Real> samples{n_rows, n_columns, std::vector<Real>(n_rows * n_columns)};
    for (Real& value : samples.values) value = static_cast<Real>(random.below(3) - 1);
    return samples;
}

ThreadPool one(1);

template <class Real>
Samples<Real> take(const Samples<Real>& table, const std::vector<Index>& order) {
    Samples<Real> taken{ssize(order), table.n_columns, {}};
    for (const Index i : order) {
        const auto row = table.row(i);
        taken.values.insert(taken.values.end(), row.begin(), row.end());
    }
    return taken;
}

template <class T>
std::vector<T> take(const std::vector<T>& values, const std::vector<Index>& order) {
    std::vector<T> taken;
    for (const Index i : order) taken.push_back(values[i]);
    return taken;
}

template <class Real>
std::vector<Real> pattern(const Samples<Real>& table, const std::vector<Index>& labels, Index i) {
    const auto row = table.row(i);
    std::vector<Real> values(row.begin(), row.end());
    values.push_back(static_cast<Real>(labels[i]));
    return values;
}

template <class Real>
std::vector<std::vector<Real>> patterns(const Samples<Real>& table,
                                        const std::vector<Index>& labels,
                                        const std::vector<Index>& rows) {
    std::vector<std::vector<Real>> found;
    for (const Index i : rows) found.push_back(pattern(table, labels, i));
    return found;
}

struct Labelled {
    std::vector<Index> labels;
    std::vector<double> weights;
};

Labelled random_labels(Index n, std::uint64_t seed) {
    Random random(seed);
    Labelled result;
    for (Index i = 0; i < n; ++i) {
        result.labels.push_back(random.below(2));
        result.weights.push_back(random.below(10) == 0 ? 0.0 : random.uniform(0.1, 2.0));
    }
    return result;
}

// The oracle: a map orders its keys by value, first feature first.
template <class Real>
void distinct_rows_are_sorted_first_copies() {
    const auto table = coarse_samples<Real>(300, 4, 1);
    const auto [labels, weights] = random_labels(300, 2);
    std::map<std::vector<Real>, std::pair<Index, double>> expected;
    for (Index i = 0; i < 300; ++i) {
        if (weights[i] == 0.0) continue;
        const auto entry = expected.try_emplace(pattern(table, labels, i), i, 0.0).first;
        entry->second.second += weights[i];
    }

    const auto distinct = distinct_rows<Real>(table.rows(), labels, weights, one);

    check(distinct.rows.size() == expected.size(), "number of patterns");
    check(distinct.weights.size() == expected.size(), "one weight each");
    Index k = 0;
    for (const auto& [key, value] : expected) {
        if (k == ssize(distinct.rows)) break;
        check(distinct.rows[k] == value.first, "first copy, in the order of the values");
        check_near(distinct.weights[k], value.second, 1e-14, "summed weight");
        ++k;
    }
}

template <class Real>
void row_order_does_not_matter() {
    const auto table = coarse_samples<Real>(300, 4, 3);
    const auto [labels, weights] = random_labels(300, 4);
    const auto distinct = distinct_rows<Real>(table.rows(), labels, weights, one);
    const auto expected = patterns(table, labels, distinct.rows);
    Random random(5);
    for (int round = 0; round < 10; ++round) {
        auto order = count_up(300);
        random.shuffle(order);
        const auto shuffled = take(table, order);
        const auto shuffled_labels = take(labels, order);

        const auto found =
            distinct_rows<Real>(shuffled.rows(), shuffled_labels, take(weights, order), one);

        check(patterns(shuffled, shuffled_labels, found.rows) == expected, "the same patterns");
        check(found.weights == distinct.weights, "the same weights to the last bit");
    }
}

template <class Real>
void sparse_rows_compare_as_dense_rows() {
    const auto table = coarse_samples<Real>(300, 6, 6);
    const auto sparse = sparse_copy(table);
    const auto [labels, weights] = random_labels(300, 7);

    const auto dense = distinct_rows<Real>(table.rows(), labels, weights, one);
    const auto found = distinct_rows<Real>(sparse.rows(), labels, weights, one);

    check(found.rows == dense.rows && found.weights == dense.weights, "CSR = dense");
}

// [0 (stored), 1] and [1] in feature 1 are the same row.
template <class Real>
void threads_do_not_matter() {
    const auto table = coarse_samples<Real>(9000, 6, 5);
    Random random(6);
    std::vector<Index> labels(table.n_rows);
    std::vector<double> weights(table.n_rows);
    for (auto& label : labels) label = random.below(2);
    for (auto& weight : weights) weight = static_cast<double>(random.below(4));
    const auto expected = distinct_rows<Real>(table.rows(), labels, weights, one);
    for (const Index n_threads : {2, 3, 16}) {
        ThreadPool pool(n_threads);
        const auto found = distinct_rows<Real>(table.rows(), labels, weights, pool);
        check(found.rows == expected.rows, "the same rows");
        check(found.weights == expected.weights, "the same weights");
    }
}

void stored_zeros_are_zeros() {
    const std::vector<double> values = {0.0, 1.0, 1.0, 0.0, 1.0};
    const std::vector<std::int32_t> columns = {0, 1, 1, 0, 1};
    const std::vector<std::int64_t> offsets = {0, 2, 3, 3, 5};
    const Rows<double> rows =
        CsrRows<double>{values.data(), IndexView(columns), IndexView(offsets), 4, 2};

    const auto distinct =
        distinct_rows<double>(rows, std::vector<Index>(4, 0), std::vector<double>(4, 1.0), one);

    check(distinct.rows == std::vector<Index>{2, 0}, "the empty row, then [0, 1]");
    check(distinct.weights == std::vector<double>{1.0, 3.0}, "three copies of [0, 1]");
}

void samples_without_rows_stay_as_they_came() {
    const std::vector<double> pairs(9, 1.0);
    const Rows<double> rows = PairwiseRows<double>{pairs.data(), 3, 3, true};

    const auto distinct = distinct_rows<double>(rows, std::vector<Index>(3, 0),
                                                std::vector<double>{1.0, 0.0, 2.0}, one);

    check(distinct.rows == std::vector<Index>{0, 2}, "all but weight 0");
    check(distinct.weights == std::vector<double>{1.0, 2.0}, "their weights");
}

// One feature: +1 at 0, 1, 5 (mean 2, nearest 1) and -1 at 10, 20 (mean 15).
void the_central_sample_is_nearest_to_its_mean() {
    const std::vector<double> values = {0.0, 5.0, 1.0, 10.0, 20.0};
    const Rows<double> rows = DenseRows<double>{values.data(), 5, 1};
    ProblemArrays problem{
        count_up(5), {1.0, 1.0, 1.0, -1.0, -1.0}, std::vector<double>(5, 1.0), -1};
    check(central_sample(rows, problem.view()) == 2, "in the larger class");

    // -1 now weighs 4 in all, with mean (10 + 3 * 20) / 4 = 17.5: 20 is nearer.
    problem.weights = {1.0, 1.0, 1.0, 1.0, 3.0};
    check(central_sample(rows, problem.view()) == 4, "weights count as copies");

    // Both classes weigh 3; the mean of -1 is (10 + 2 * 20) / 3, 3.3 from 20; +1 is 1 away.
    problem.weights = {1.0, 1.0, 1.0, 1.0, 2.0};
    check(central_sample(rows, problem.view()) == 2, "in either class when they weigh the same");

    // +1 at 1, 3 and -1 at 10, 12: all are 1 away from their mean.
    const std::vector<double> ties = {12.0, 1.0, 3.0, 10.0};
    const Rows<double> tied = DenseRows<double>{ties.data(), 4, 1};
    problem = {count_up(4), {-1.0, 1.0, 1.0, -1.0}, std::vector<double>(4, 1.0), -1};
    check(central_sample(tied, problem.view()) == 0, "the first of equals");

    // A position among the problem's samples, not a row of the table.
    problem = {{3, 2, 1}, {-1.0, 1.0, 1.0}, std::vector<double>(3, 1.0), -1};
    check(central_sample(tied, problem.view()) == 1, "position in samples");
}

template <class Real>
void the_central_sample_does_not_depend_on_form_or_order() {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const auto table = random_samples<Real>(101, 5, 100 + seed, 0.6);
        const auto sparse = sparse_copy(table);
        const auto problem = random_problem(table, seed, 0.2);
        std::vector<Real> products;
        for (Index i = 0; i < 101; ++i) {
            for (Index j = 0; j < 101; ++j) {
                products.push_back(
                    static_cast<Real>(naive_base(KernelKind::linear, table.row(i), table.row(j))));
            }
        }
        const Rows<Real> pairs = PairwiseRows<Real>{products.data(), 101, 101, true};

        const Index central = central_sample<Real>(table.rows(), problem.view());

        check(central_sample<Real>(sparse.rows(), problem.view()) == central, "CSR = dense");
        check(central_sample(pairs, problem.view()) == central, "dot products = dense");
        auto order = count_up(101);
        Random(seed).shuffle(order);
        const ProblemArrays shuffled{take(problem.samples, order), take(problem.targets, order),
                                     take(problem.weights, order), -1};
        const Index found = central_sample<Real>(table.rows(), shuffled.view());
        check(shuffled.samples[found] == problem.samples[central], "any order");
    }
}

}  // namespace

void test_canonical() {
    distinct_rows_are_sorted_first_copies<float>();
    distinct_rows_are_sorted_first_copies<double>();
    row_order_does_not_matter<float>();
    row_order_does_not_matter<double>();
    sparse_rows_compare_as_dense_rows<float>();
    sparse_rows_compare_as_dense_rows<double>();
    threads_do_not_matter<float>();
    threads_do_not_matter<double>();
    stored_zeros_are_zeros();
    samples_without_rows_stay_as_they_came();
    the_central_sample_is_nearest_to_its_mean();
    the_central_sample_does_not_depend_on_form_or_order<float>();
    the_central_sample_does_not_depend_on_form_or_order<double>();
}

}  // namespace svmosaic::test
