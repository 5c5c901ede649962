#include <vector>

#include "expansion/decide.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

template <class Real>
constexpr double tolerance = sizeof(Real) == 4 ? 1e-5 : 1e-11;

constexpr KernelSpec rbf{KernelKind::rbf, 0.9, 3, 0.0};

// Support vectors with coefficients for some of three outputs; one of them has none.
struct Expansion {
    std::vector<Index> support;
    std::vector<Index> offsets{0};
    std::vector<Index> outputs;
    std::vector<double> values;
    std::vector<double> intercepts{0.25, -0.5, 1.0};

    Coefficients coefficients() const { return {offsets, outputs, values, 3}; }
};

Expansion random_expansion(Index n_vectors, Index n_support, std::uint64_t seed) {
    Random random(seed);
    Expansion expansion;
    for (Index j = 0; j < n_support; ++j) {
        expansion.support.push_back(random.below(n_vectors));
        for (Index o = 0; o < 3; ++o) {
            if (j == 1 || random.uniform(0.0, 1.0) < 0.4) continue;
            expansion.outputs.push_back(o);
            expansion.values.push_back(random.uniform(-1.0, 1.0));
        }
        expansion.offsets.push_back(ssize(expansion.outputs));
    }
    return expansion;
}

template <class Real>
std::vector<double> decisions(const Rows<Real>& rows, const Rows<Real>& vectors,
                              const Expansion& expansion, const KernelSpec& kernel,
                              Index n_threads) {
    std::vector<double> values(count_rows(rows) * 3);
    ThreadPool pool(n_threads);
    Monitor monitor;
    decide(rows, vectors, std::span<const Index>(expansion.support), kernel,
           expansion.coefficients(), std::span<const double>(expansion.intercepts),
           std::span<double>(values), pool, monitor);
    return values;
}

template <class Real>
std::vector<double> naive_decisions(const Samples<Real>& rows, const Samples<Real>& vectors,
                                    const Expansion& expansion, const KernelSpec& kernel) {
    std::vector<double> values;
    for (Index i = 0; i < rows.n_rows; ++i) {
        std::vector<double> sums = expansion.intercepts;
        for (Index j = 0; j < ssize(expansion.support); ++j) {
            const double k = naive_kernel(kernel, rows.row(i), vectors.row(expansion.support[j]));
            for (Index p = expansion.offsets[j]; p < expansion.offsets[j + 1]; ++p) {
                sums[expansion.outputs[p]] += expansion.values[p] * k;
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
    for (Index i = 0; close && i < ssize(values); ++i) {
        close = std::abs(values[i] - expected[i]) <= tolerance<Real>;
    }
    check(close, what);
}

template <class Real>
void decisions_equal_naive_sums() {
    const auto vectors = random_samples<Real>(90, 6, 1, 0.7);
    const auto sparse_vectors = sparse_copy(vectors);
    const auto expansion = random_expansion(90, 60, 2);
    for (const Index n : {1, 15, 255, 256, 257, 700}) {
        const auto table = random_samples<Real>(n, 6, 3 + static_cast<unsigned>(n), 0.7);
        const auto sparse = sparse_copy(table);
        for (const auto kind : {KernelKind::linear, KernelKind::poly, KernelKind::rbf,
                                KernelKind::sigmoid, KernelKind::laplacian}) {
            const KernelSpec kernel{kind, 0.7, 2, 0.3};
            const auto expected = naive_decisions(table, vectors, expansion, kernel);
            check_close<Real>(decisions<Real>(table.rows(), vectors.rows(), expansion, kernel, 2),
                              expected, "dense");
            check_close<Real>(
                decisions<Real>(sparse.rows(), sparse_vectors.rows(), expansion, kernel, 2),
                expected, "CSR");
        }
    }
}

// Precomputed values of (test, training) pairs: the support numbers are columns.
template <class Real>
void pairwise_tables_are_read_by_columns() {
    const auto table = random_samples<Real>(300, 6, 4);
    const auto vectors = random_samples<Real>(40, 6, 5);
    const auto expansion = random_expansion(40, 25, 6);
    std::vector<Real> pairs;
    for (Index i = 0; i < 300; ++i) {
        for (Index j = 0; j < 40; ++j) {
            pairs.push_back(static_cast<Real>(naive_kernel(rbf, table.row(i), vectors.row(j))));
        }
    }
    const Rows<Real> rows = PairwiseRows<Real>{pairs.data(), 300, 40, false};

    const auto values =
        decisions<Real>(rows, rows, expansion, {KernelKind::precomputed, 1.0, 3, 0.0}, 2);

    check_close<Real>(values, naive_decisions(table, vectors, expansion, rbf), "precomputed");
}

template <class Real>
void a_value_does_not_depend_on_the_other_rows() {
    const auto vectors = random_samples<Real>(90, 6, 7, 0.7);
    const auto expansion = random_expansion(90, 60, 8);
    const auto table = random_samples<Real>(600, 6, 9, 0.7);
    const auto whole = decisions<Real>(table.rows(), vectors.rows(), expansion, rbf, 1);
    const auto sparse_vectors = sparse_copy(vectors);
    const auto whole_sparse =
        decisions<Real>(sparse_copy(table).rows(), sparse_vectors.rows(), expansion, rbf, 1);
    for (const Index i : {0, 1, 255, 256, 599}) {
        const auto row = table.row(i);
        const Samples<Real> one{1, 6, std::vector<Real>(row.begin(), row.end())};
        const auto alone = decisions<Real>(one.rows(), vectors.rows(), expansion, rbf, 1);
        const auto alone_sparse =
            decisions<Real>(sparse_copy(one).rows(), sparse_vectors.rows(), expansion, rbf, 1);
        for (Index o = 0; o < 3; ++o) {
            check(alone[o] == whole[(3 * i) + o], "dense, to the last bit");
            check(alone_sparse[o] == whole_sparse[(3 * i) + o], "CSR, to the last bit");
        }
    }
}

template <class Real>
void the_number_of_threads_does_not_matter() {
    const auto vectors = random_samples<Real>(90, 6, 10);
    const auto expansion = random_expansion(90, 60, 11);
    const auto table = random_samples<Real>(2000, 6, 12);
    const auto alone = decisions<Real>(table.rows(), vectors.rows(), expansion, rbf, 1);
    for (Index n_threads = 2; n_threads <= 4; ++n_threads) {
        const auto shared =
            decisions<Real>(table.rows(), vectors.rows(), expansion, rbf, n_threads);
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

    for (Index k = 0; k < ssize(asked); ++k) {
        double expected = 0.0;
        for (Index j = 0; j < ssize(support); ++j) {
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
    const auto values = decisions<double>(table.rows(), table.rows(), Expansion{}, rbf, 2);
    for (Index i = 0; i < 300; ++i) {
        check(values[3 * i] == 0.25 && values[3 * i + 1] == -0.5 && values[3 * i + 2] == 1.0,
              "intercepts alone");
    }
}

void a_stopped_monitor_ends_the_work() {
    const auto table = random_samples<double>(3000, 2, 15);
    const Rows<double> rows = table.rows();
    const auto expansion = random_expansion(3000, 50, 16);
    std::vector<double> values(9000, -7.0);
    ThreadPool pool(2);
    Monitor monitor;
    monitor.stop(Status::interrupted);

    decide(rows, rows, std::span<const Index>(expansion.support), rbf, expansion.coefficients(),
           std::span<const double>(expansion.intercepts), std::span<double>(values), pool, monitor);

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
