#include <limits>
#include <vector>

#include "expansion/stored_rows.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

constexpr Index n_rows = 7;

// Rows of which no more than the columns may be read into a result: the rest is not a number.
std::vector<double> random_table(Index width, Index n_columns) {
    Random random(5);
    std::vector<double> table(n_rows * width, std::numeric_limits<double>::quiet_NaN());
    for (Index i = 0; i < n_rows; ++i) {
        for (Index x = 0; x < n_columns; ++x) {
            table[i * width + x] = random.uniform(-1.0, 1.0);
        }
    }
    return table;
}

void sums_are_those_of_a_plain_loop() {
    for (const Index n_columns : {1, 8, 13, 2048, 4100}) {
        const Index width = (n_columns + 7) / 8 * 8;
        const auto table = random_table(width, n_columns);
        const std::vector<Index> places{6, 0, 6, 3};
        const std::vector<double> weights{0.5, -2.0, 1.0, 0.25};
        const auto sums = sum_rows({table, width, n_columns}, places, weights);
        check(ssize(sums) == n_columns, "a sum for each column");
        for (Index x = 0; x < n_columns; ++x) {
            double expected = 0.0;
            for (Index j = 0; j < ssize(places); ++j) {
                expected += weights[j] * table[places[j] * width + x];
            }
            check_near(sums[x], expected, 1e-12, "the sum of a column");
        }
    }
}

void a_gram_matrix_is_symmetric() {
    const Index width = 16;
    const auto table = random_table(width, 11);
    const std::vector<Index> places{4, 2, 0};
    const std::vector<Index> instances{10, 1, 1};
    const auto gram = gram_of_rows({table, width, 11}, places, instances);
    for (Index i = 0; i < 3; ++i) {
        for (Index j = 0; j < 3; ++j) {
            const double there = table[places[i] * width + instances[j]];
            const double back = table[places[j] * width + instances[i]];
            check(gram[i * 3 + j] == (there + back) / 2.0, "the mean of both ways");
        }
    }
}

}  // namespace

void test_stored_rows() {
    sums_are_those_of_a_plain_loop();
    a_gram_matrix_is_symmetric();
}

}  // namespace svmosaic::test
