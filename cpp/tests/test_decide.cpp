#include <vector>

#include "expansion/decide.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

template <class Real>
constexpr double tolerance = sizeof(Real) == 4 ? 1e-5 : 1e-11;

constexpr KernelSpec rbf{KernelKind::rbf, 0.9, 3, 0.0};

// Support vectors with coefficients for some of three outputs; one of them has none.
struct Machines {
    std::vector<Index> support;
    std::vector<Index> offsets{0};
    std::vector<Index> outputs;
    std::vector<double> values;
    std::vector<double> intercepts{0.25, -0.5, 1.0};

    Coefficients coefficients() const { return {offsets, outputs, values, 3}; }
};

Machines random_machines(Index n_vectors, Index n_support, std::uint64_t seed) {
    Random random(seed);
    Machines machines;
    for (Index j = 0; j < n_support; ++j) {
        machines.support.push_back(random.below(n_vectors));
        for (Index o = 0; o < 3; ++o) {
            if (j == 1 || random.uniform(0.0, 1.0) < 0.4) continue;
            machines.outputs.push_back(o);
            machines.values.push_back(random.uniform(-1.0, 1.0));
        }
        machines.offsets.push_back(static_cast<Index>(machines.outputs.size()));
    }
    return machines;
}

template <class Real>
std::vector<double> decisions(const Rows<Real>& rows, const Rows<Real>& vectors,
                              const Machines& machines, const KernelSpec& kernel, Index n_threads) {
    std::vector<double> values(at(count_rows(rows) * 3));
    ThreadPool pool(n_threads);
    Monitor monitor;
    decide(rows, vectors, std::span<const Index>(machines.support), kernel, machines.coefficients(),
           std::span<const double>(machines.intercepts), std::span<double>(values), pool, monitor);
    return values;
}

template <class Real>
std::vector<double> naive_decisions(const Samples<Real>& rows, const Samples<Real>& vectors,
                                    const Machines& machines, const KernelSpec& kernel) {
    std::vector<double> values;
    for (Index i = 0; i < rows.n_rows; ++i) {
        std::vector<double> sums = machines.intercepts;
        for (std::size_t j = 0; j < machines.support.size(); ++j) {
            const double k = naive_kernel(kernel, rows.row(i), vectors.row(machines.support[j]));
            for (Index p = machines.offsets[j]; p < machines.offsets[j + 1]; ++p) {
                sums[at(machines.outputs[at(p)])] += machines.values[at(p)] * k;
            }
        }
        values.insert(values.end(), sums.begin(), sums.end());
    }
    return values;
}

template <class Real>
void check_close(const std::vector<double>& values, const std::vector<double>& expected,
                 std::string_view what) {
    bool close = values.size() == expected.size();
    for (std::size_t i = 0; close && i < values.size(); ++i) {
        close = std::abs(values[i] - expected[i]) <= tolerance<Real>;
    }
    check(close, what);
}

template <class Real>
void decisions_equal_naive_sums() {
    const auto vectors = random_samples<Real>(90, 6, 1, 0.7);
    const auto sparse_vectors = sparse_copy(vectors);
    const auto machines = random_machines(90, 60, 2);
    for (const Index n : {1, 15, 255, 256, 257, 700}) {
        const auto table = random_samples<Real>(n, 6, 3 + static_cast<unsigned>(n), 0.7);
        const auto sparse = sparse_copy(table);
        for (const auto kind : {KernelKind::linear, KernelKind::poly, KernelKind::rbf,
                                KernelKind::sigmoid, KernelKind::laplacian}) {
            const KernelSpec kernel{kind, 0.7, 2, 0.3};
            const auto expected = naive_decisions(table, vectors, machines, kernel);
            check_close<Real>(decisions<Real>(table.rows(), vectors.rows(), machines, kernel, 2),
                              expected, "dense");
            check_close<Real>(
                decisions<Real>(sparse.rows(), sparse_vectors.rows(), machines, kernel, 2),
                expected, "CSR");
        }
    }
}

// Precomputed values of (test, training) pairs: the support numbers are columns.
template <class Real>
void pairwise_tables_are_read_by_columns() {
    const auto table = random_samples<Real>(300, 6, 4);
    const auto vectors = random_samples<Real>(40, 6, 5);
    const auto machines = random_machines(40, 25, 6);
    std::vector<Real> pairs;
    for (Index i = 0; i < 300; ++i) {
        for (Index j = 0; j < 40; ++j) {
            pairs.push_back(static_cast<Real>(naive_kernel(rbf, table.row(i), vectors.row(j))));
        }
    }
    const Rows<Real> rows = PairwiseRows<Real>{pairs.data(), 300, 40, false};

    const auto values =
        decisions<Real>(rows, rows, machines, {KernelKind::precomputed, 1.0, 3, 0.0}, 2);

    check_close<Real>(values, naive_decisions(table, vectors, machines, rbf), "precomputed");
}

template <class Real>
void a_value_does_not_depend_on_the_other_rows() {
    const auto vectors = random_samples<Real>(90, 6, 7, 0.7);
    const auto machines = random_machines(90, 60, 8);
    const auto table = random_samples<Real>(600, 6, 9, 0.7);
    const auto whole = decisions<Real>(table.rows(), vectors.rows(), machines, rbf, 1);
    const auto sparse_vectors = sparse_copy(vectors);
    const auto whole_sparse =
        decisions<Real>(sparse_copy(table).rows(), sparse_vectors.rows(), machines, rbf, 1);
    for (const Index i : {0, 1, 255, 256, 599}) {
        const auto row = table.row(i);
        const Samples<Real> one{1, 6, std::vector<Real>(row.begin(), row.end())};
        const auto alone = decisions<Real>(one.rows(), vectors.rows(), machines, rbf, 1);
        const auto alone_sparse =
            decisions<Real>(sparse_copy(one).rows(), sparse_vectors.rows(), machines, rbf, 1);
        for (std::size_t o = 0; o < 3; ++o) {
            check(alone[o] == whole[at(3 * i) + o], "dense, to the last bit");
            check(alone_sparse[o] == whole_sparse[at(3 * i) + o], "CSR, to the last bit");
        }
    }
}

template <class Real>
void the_number_of_threads_does_not_matter() {
    const auto vectors = random_samples<Real>(90, 6, 10);
    const auto machines = random_machines(90, 60, 11);
    const auto table = random_samples<Real>(2000, 6, 12);
    const auto alone = decisions<Real>(table.rows(), vectors.rows(), machines, rbf, 1);
    for (Index n_threads = 2; n_threads <= 4; ++n_threads) {
        const auto shared = decisions<Real>(table.rows(), vectors.rows(), machines, rbf, n_threads);
        check(shared == alone, "to the last bit");
    }
}

template <class Real>
void an_expansion_is_a_decision_without_intercept() {
    const auto table = random_samples<Real>(500, 6, 13);
    const Rows<Real> rows = table.rows();
    const std::vector<Index> asked = {499, 3, 3, 250};
    const std::vector<Index> support = {7, 100, 8};
    const std::vector<double> coef = {0.5, -2.0, 1.25};
    ThreadPool pool(2);
    Monitor monitor;

    const auto values =
        expansion_values(rows, std::span<const Index>(asked), rbf, std::span<const Index>(support),
                         std::span<const double>(coef), pool, monitor);

    for (std::size_t k = 0; k < asked.size(); ++k) {
        double expected = 0.0;
        for (std::size_t j = 0; j < support.size(); ++j) {
            expected += coef[j] * naive_kernel(rbf, table.row(asked[k]), table.row(support[j]));
        }
        check_near(values[k], expected, tolerance<Real>, "expansion value");
    }
    check(expansion_values(rows, std::span<const Index>(), rbf, std::span<const Index>(support),
                           std::span<const double>(coef), pool, monitor)
              .empty(),
          "no rows, no values");
}

void an_empty_expansion_is_its_intercept() {
    const auto table = random_samples<double>(300, 2, 14);
    const auto values = decisions<double>(table.rows(), table.rows(), Machines{}, rbf, 2);
    for (std::size_t i = 0; i < 300; ++i) {
        check(values[3 * i] == 0.25 && values[3 * i + 1] == -0.5 && values[3 * i + 2] == 1.0,
              "intercepts alone");
    }
}

void a_stopped_monitor_ends_the_work() {
    const auto table = random_samples<double>(3000, 2, 15);
    const Rows<double> rows = table.rows();
    const auto machines = random_machines(3000, 50, 16);
    std::vector<double> values(9000, -7.0);
    ThreadPool pool(2);
    Monitor monitor;
    monitor.stop(Status::interrupted);

    decide(rows, rows, std::span<const Index>(machines.support), rbf, machines.coefficients(),
           std::span<const double>(machines.intercepts), std::span<double>(values), pool, monitor);

    check(std::all_of(values.begin(), values.end(), [](double v) { return v == -7.0; }),
          "nothing is computed");
}

template <class Real>
void all_for() {
    decisions_equal_naive_sums<Real>();
    pairwise_tables_are_read_by_columns<Real>();
    a_value_does_not_depend_on_the_other_rows<Real>();
    the_number_of_threads_does_not_matter<Real>();
    an_expansion_is_a_decision_without_intercept<Real>();
}

}  // namespace

void test_decide() {
    all_for<float>();
    all_for<double>();
    an_empty_expansion_is_its_intercept();
    a_stopped_monitor_ends_the_work();
}

}  // namespace svmosaic::test
