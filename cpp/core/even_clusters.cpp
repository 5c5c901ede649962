#include "core/even_clusters.hpp"

#include <algorithm>
#include <utility>

namespace svmosaic {

namespace {

// Rounds of 2-means for a half: its clusters only have to be better than chance.
constexpr int n_rounds = 3;
// The direction of a cut is found on about this many samples.
constexpr Index n_to_look_at = 2000;
// Samples that one task looks at.
constexpr Index n_per_task = 4096;

template <class Real, class Visit>
void for_features(const DenseRows<Real>& table, Index row, const Visit& visit) {
    const auto values = table.row(row);
    for (Index f = 0; f < ssize(values); ++f) visit(f, static_cast<double>(values[f]));
}
template <class Real, class Visit>
void for_features(const CsrRows<Real>& table, Index row, const Visit& visit) {
    for (Index p = table.offsets[row]; p < table.offsets[row + 1]; ++p) {
        visit(table.columns[p], static_cast<double>(table.values[p]));
    }
}

template <class Real>
double product(const CsrRows<Real>& table, Index row, const std::vector<double>& point) {
    double sum = 0.0;
    for_features(table, row, [&](Index f, double x) { sum += x * point[f]; });
    return sum;
}
// Several sums hide the latency of an addition.
template <class Real>
double product(const DenseRows<Real>& table, Index row, const std::vector<double>& point) {
    constexpr Index n_sums = 8;
    const auto values = table.row(row);
    double sums[n_sums] = {};
    Index f = 0;
    for (; f + n_sums <= ssize(values); f += n_sums) {
        for (Index k = 0; k < n_sums; ++k) {
            sums[k] += static_cast<double>(values[f + k]) * point[f + k];
        }
    }
    for (Index k = 0; f < ssize(values); ++f, ++k) {
        sums[k] += static_cast<double>(values[f]) * point[f];
    }
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
           ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

template <class Table>
class Halving {
  public:
    Halving(const Table& table, std::span<const Index> samples, Monitor& monitor)
        : table_(table), samples_(samples), monitor_(monitor), place_(samples.size()) {}

    // Orders the numbers so that the first `n_first` are one cluster and the others another.
    // Several threads may split lists that have no number in common.
    void split(std::span<Index> numbers, Index n_first, ThreadPool& pool) {
        if (n_first < 1 || n_first >= ssize(numbers)) return;
        halve(numbers, n_first, find_direction(numbers, pool), pool);
    }

  private:
    using Point = std::vector<double>;

    static void subtract(Point& a, const Point& b) {
        for (Index f = 0; f < ssize(a); ++f) a[f] -= b[f];
    }
    Index row(Index number) const { return samples_[number]; }

    Point row_of(Index number) const {
        Point point(table_.n_columns, 0.0);
        for_features(table_, row(number), [&](Index f, double x) { point[f] = x; });
        return point;
    }

    // Between the means of the two halves of some of the samples.
    Point find_direction(std::span<const Index> numbers, ThreadPool& pool) {
        std::vector<Index> some;
        const Index stride = std::max<Index>(1, ssize(numbers) / n_to_look_at);
        for (Index k = 0; k < ssize(numbers); k += stride) some.push_back(numbers[k]);
        const Point mean = mean_of(some);
        Point direction = row_of(farthest(some, mean));
        subtract(direction, mean);
        const Index half = ssize(some) / 2;
        for (int round = 0; round < n_rounds; ++round) {
            halve(some, half, direction, pool);
            direction = mean_of(std::span<const Index>(some).subspan(half));
            subtract(direction, mean_of(std::span<const Index>(some).first(half)));
        }
        return direction;
    }

    Point mean_of(std::span<const Index> numbers) const {
        Point mean(table_.n_columns, 0.0);
        for (const Index number : numbers) {
            for_features(table_, row(number), [&](Index f, double x) { mean[f] += x; });
        }
        for (auto& value : mean) value /= static_cast<double>(ssize(numbers));
        return mean;
    }

    Index farthest(std::span<const Index> numbers, const Point& mean) {
        for (const Index number : numbers) {
            double distance = 0.0;  // but for |mean|^2
            for_features(table_, row(number),
                         [&](Index f, double x) { distance += x * (x - 2.0 * mean[f]); });
            place_[number] = distance;
        }
        return *std::max_element(numbers.begin(), numbers.end(),
                                 [&](Index a, Index b) { return comes_before(a, b); });
    }

    bool comes_before(Index a, Index b) const {
        const double place_a = place_[a];
        const double place_b = place_[b];
        return place_a != place_b ? place_a < place_b : a < b;
    }

    void halve(std::span<Index> numbers, Index n_first, const Point& direction, ThreadPool& pool) {
        const Index n = ssize(numbers);
        pool.run((n + n_per_task - 1) / n_per_task,
                 [&](Index part) {
                     if (monitor_.should_stop(0)) return;
                     const Index end = std::min(n, (part + 1) * n_per_task);
                     for (Index k = part * n_per_task; k < end; ++k) {
                         place_[numbers[k]] = product(table_, row(numbers[k]), direction);
                     }
                 },
                 [&] { monitor_.should_stop(0); });
        if (monitor_.stopped()) return;
        // Both halves keep the order they were in.
        std::vector<Index> order(numbers.begin(), numbers.end());
        const auto middle = order.begin() + n_first;
        std::nth_element(order.begin(), middle, order.end(),
                         [&](Index a, Index b) { return comes_before(a, b); });
        const Index first_of_second = *middle;
        order.clear();
        auto kept = numbers.begin();
        for (const Index number : numbers) {
            if (comes_before(number, first_of_second)) {
                *kept++ = number;
            } else {
                order.push_back(number);
            }
        }
        std::copy(order.begin(), order.end(), kept);
    }

    const Table& table_;
    std::span<const Index> samples_;
    Monitor& monitor_;
    std::vector<double> place_;  // of each sample, along the direction of the moment
};

template <class Table>
std::vector<Index> order_of(const Table& table, std::span<const Index> samples, int depth,
                            ThreadPool& pool, Monitor& monitor) {
    const auto n = ssize(samples);
    std::vector<Index> order = count_up(samples.size());
    Halving<Table> halving(table, samples, monitor);
    for (int level = 0; level < depth; ++level) {
        const auto split = [&](Index p, ThreadPool& threads) {
            const Index begin = begin_of_cluster(p, level, n);
            const Index end = begin_of_cluster(p + 1, level, n);
            const Index middle = begin_of_cluster(2 * p + 1, level + 1, n);
            halving.split(std::span(order).subspan(begin, end - begin), middle - begin, threads);
        };
        // The threads share the first cuts; then there are enough clusters for all.
        const Index n_clusters = Index{1} << level;
        if (n_clusters < pool.n_threads()) {
            for (Index p = 0; p < n_clusters; ++p) split(p, pool);
        } else {
            pool.run(
                n_clusters,
                [&](Index p) {
                    ThreadPool alone(1);
                    split(p, alone);
                },
                [&] { monitor.should_stop(0); });
        }
        if (monitor.stopped()) return {};
    }
    return order;
}

}  // namespace

template <class Real>
std::vector<Index> order_by_clusters(const Rows<Real>& rows, std::span<const Index> samples,
                                     int depth, ThreadPool& pool, Monitor& monitor) {
    if (const auto* dense = std::get_if<DenseRows<Real>>(&rows)) {
        return order_of(*dense, samples, depth, pool, monitor);
    }
    if (const auto* sparse = std::get_if<CsrRows<Real>>(&rows)) {
        return order_of(*sparse, samples, depth, pool, monitor);
    }
    return {};
}

template std::vector<Index> order_by_clusters(const Rows<float>&, std::span<const Index>, int,
                                              ThreadPool&, Monitor&);
template std::vector<Index> order_by_clusters(const Rows<double>&, std::span<const Index>, int,
                                              ThreadPool&, Monitor&);

}  // namespace svmosaic
