// Clusters have the same size, lie close together and do not depend on the threads.
#include <algorithm>
#include <vector>

#include "core/even_clusters.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

Monitor monitor;
constexpr int depth = 3;

// The sum of squared distances of some samples from their mean.
double scatter(const Samples<double>& samples, std::span<const Index> numbers) {
    double total = 0.0;
    for (Index f = 0; f < samples.n_columns; ++f) {
        double sum = 0.0;
        double squares = 0.0;
        for (const Index i : numbers) {
            const double x = samples.row(i)[f];
            sum += x;
            squares += x * x;
        }
        total += squares - sum * sum / static_cast<double>(ssize(numbers));
    }
    return total;
}

void every_sample_is_in_one_cluster() {
    const auto samples = random_samples<double>(10'007, 5, 1);
    const auto numbers = count_up(samples.n_rows);
    ThreadPool pool(2);
    const auto order =
        order_by_clusters(Rows<double>(samples.rows()), numbers, depth, pool, monitor);
    auto sorted = order;
    std::sort(sorted.begin(), sorted.end());
    check(sorted == numbers, "an order of all samples");

    Index n = 0;
    double within = 0.0;
    for (Index p = 0; p < (Index{1} << depth); ++p) {
        const auto cluster = cluster_of(order, p, depth);
        check(std::abs(ssize(cluster) - samples.n_rows / (1 << depth)) <= 1, "even sizes");
        check(std::is_sorted(cluster.begin(), cluster.end()), "ascending");
        within += scatter(samples, cluster);
        n += ssize(cluster);
    }
    check(n == samples.n_rows, "clusters cover all samples");
    // Three cuts through the middle of a cube of five dimensions leave about half.
    check(within < 0.7 * scatter(samples, numbers), "samples of a cluster lie close together");
}

void threads_and_form_do_not_matter() {
    const auto samples = random_samples<float>(9000, 40, 2, 0.2);
    const auto sparse = sparse_copy(samples);
    const auto numbers = count_up(samples.n_rows);
    ThreadPool one(1);
    ThreadPool three(3);
    const Rows<float> dense_rows = samples.rows();
    const auto order = order_by_clusters(dense_rows, numbers, depth, one, monitor);
    check(order == order_by_clusters(dense_rows, numbers, depth, three, monitor),
          "any number of threads");
    check(
        ssize(order_by_clusters(Rows<float>(sparse.rows()), numbers, depth, one, monitor)) == 9000,
        "sparse rows have clusters");
}

void equal_samples_are_split_evenly() {
    const Samples<double> samples{100, 2, std::vector<double>(200, 0.5)};
    ThreadPool pool(1);
    const auto numbers = count_up(100);
    const auto order = order_by_clusters(Rows<double>(samples.rows()), numbers, 2, pool, monitor);
    check(order == numbers, "ties go by number");
}

void stopped_work_has_no_clusters() {
    const auto samples = random_samples<double>(9000, 5, 3);
    ThreadPool pool(2);
    Monitor stopped;
    stopped.stop(Status::interrupted);
    check(order_by_clusters(Rows<double>(samples.rows()), count_up(9000), depth, pool, stopped)
              .empty(),
          "nothing is returned when the work is stopped");
}

void tables_without_features_have_none() {
    const std::vector<double> matrix(9, 1.0);
    const Rows<double> rows = PairwiseRows<double>{matrix.data(), 3, 3, true};
    ThreadPool pool(1);
    check(order_by_clusters(rows, count_up(3), 1, pool, monitor).empty(),
          "a kernel matrix has no clusters");
}

}  // namespace

void test_even_clusters() {
    every_sample_is_in_one_cluster();
    threads_and_form_do_not_matter();
    equal_samples_are_split_evenly();
    tables_without_features_have_none();
    stopped_work_has_no_clusters();
}

}  // namespace svmosaic::test
