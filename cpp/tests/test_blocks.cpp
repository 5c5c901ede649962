// Several columns at once have to be what one at a time gives.
#include <vector>

#include "core/kernel_columns.hpp"
#include "core/monitor.hpp"
#include "core/packed_rows.hpp"
#include "expansion/decide.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

template <class Real>
constexpr double tolerance = sizeof(Real) == 4 ? 2e-6 : 1e-12;

std::vector<KernelSpec> kernels() {
    return {{KernelKind::linear, 1.0, 3, 0.0},
            {KernelKind::rbf, 0.9, 3, 0.0},
            {KernelKind::laplacian, 0.3, 3, 0.0}};
}

std::vector<Layout> layouts() {
    std::vector<Layout> all;
    for (const auto form : {RbfForm::differences, RbfForm::products}) {
        for (const auto order : {SparseOrder::by_sample, SparseOrder::by_feature}) {
            all.push_back({form, order});
        }
    }
    return all;
}

// The columns of some queries in one layout, one after the other.
template <class Real>
std::vector<std::vector<Real>> columns_of(const PackedRows<Real>& packed, const Rows<Real>& rows,
                                          std::span<const Index> numbers,
                                          const KernelSpec& kernel) {
    const Index room = simd::round_up(packed.size(), packed.chunk_capacity());
    std::vector<AlignedVector<Real>> buffers(numbers.size(), AlignedVector<Real>(room));
    Queries<Real> queries;
    packed.read(rows, numbers, queries);
    for (Index chunk = 0; chunk < packed.n_chunks(); ++chunk) {
        std::vector<Real*> out;
        for (auto& buffer : buffers) out.push_back(buffer.data() + packed.chunk_begin(chunk));
        packed.kernel_chunk(kernel, queries, chunk, out.data());
    }
    std::vector<std::vector<Real>> columns;
    for (const auto& buffer : buffers) {
        columns.emplace_back(buffer.begin(), buffer.begin() + packed.size());
    }
    return columns;
}

template <class Real>
void check_blocks(const Samples<Real>& table, const Rows<Real>& rows, const Layout& layout,
                  const KernelSpec& kernel) {
    const auto samples = count_up(table.n_rows);
    const PackedRows<Real> packed(rows, samples, layout);
    for (const Index count : {1, 2, 4, 5, 8, 11, 16}) {
        std::vector<Index> numbers;
        for (Index m = 0; m < count; ++m) numbers.push_back((7 * m + 3) % table.n_rows);
        const auto together = columns_of(packed, rows, numbers, kernel);
        for (Index m = 0; m < ssize(numbers); ++m) {
            const auto alone = columns_of(packed, rows, std::span(&numbers[m], 1), kernel);
            check(together[m] == alone[0], "a column does not depend on its company");
            for (Index i = 0; i < table.n_rows; ++i) {
                const double expected = naive_kernel(kernel, table.row(i), table.row(numbers[m]));
                check_near(static_cast<double>(together[m][i]), expected, tolerance<Real>,
                           "kernel value");
            }
            if (kernel.kind == KernelKind::rbf && std::holds_alternative<DenseRows<Real>>(rows)) {
                check(together[m][numbers[m]] == Real{1}, "no distance to itself");
            }
        }
    }
}

template <class Real>
void blocks_equal_single_columns() {
    for (const auto level : available_levels()) {
        const ForcedLevel forced(level);
        for (const Index n_columns : {5, 40, 300}) {
            const auto table = random_samples<Real>(70, n_columns, 21, 0.5);
            const auto sparse = sparse_copy(table);
            for (const auto& layout : layouts()) {
                for (const auto& kernel : kernels()) {
                    const bool rbf = kernel.kind == KernelKind::rbf;
                    if (layout.rbf == RbfForm::products && !rbf) continue;
                    check_blocks<Real>(table, table.rows(), layout, kernel);
                    check_blocks<Real>(table, sparse.rows(), layout, kernel);
                }
            }
        }
    }
}

template <class Real>
void prefetched_columns_are_kept_until_they_are_forgotten() {
    const auto table = random_samples<Real>(100, 6, 4);
    const Rows<Real> rows = table.rows();
    ThreadPool pool(2);
    const KernelSpec rbf{KernelKind::rbf, 1.0, 3, 0.0};
    const auto samples = count_up(100);
    const auto padded = simd::round_up(100, simd::lanes<Real>);
    KernelColumns<Real> columns(rows, samples, rbf, 20 * padded * sizeof(Real), pool);
    check(columns.capacity() == 20, "columns that fit");
    std::vector<Index> wanted;
    for (Index i = 0; i < 20; ++i) wanted.push_back(5 * i);

    columns.prefetch(wanted);

    check(columns.computer().n_computed() == 20, "each once");
    columns.prefetch(wanted);
    check(columns.computer().n_computed() == 20, "known ones cost nothing");
    for (const Index i : wanted) {
        check(columns.holds(i), "held");
        KernelColumns<Real> other(rows, samples, rbf, 0, pool);
        const Real* expected = other.column(i);
        check(std::equal(expected, expected + 100, columns.column(i)), "the same column");
    }
    columns.forget(5);
    check(!columns.holds(5) && columns.holds(10), "only that one is gone");
    columns.forget(5);
    columns.column(1);
    check(columns.computer().n_computed() == 21, "its room is used again");
}

// One output takes a short cut; several outputs do not.
template <class Real>
void sums_of_one_output_equal_those_of_several() {
    const auto table = random_samples<Real>(300, 8, 9);
    const Rows<Real> rows = table.rows();
    const auto samples = count_up(300);
    ThreadPool pool(2);
    Monitor monitor;
    std::vector<Index> support;
    std::vector<double> coef;
    for (Index j = 0; j < 37; ++j) {
        support.push_back(3 * j);
        coef.push_back(0.1 * static_cast<double>(j % 5) - 0.2);
    }
    for (const auto& kernel : kernels()) {
        const auto sums = expansion_values(rows, std::span<const Index>(samples), kernel,
                                           std::span<const Index>(support), coef, pool, monitor);
        for (Index i = 0; i < 300; ++i) {
            double expected = 0.0;
            for (Index j = 0; j < ssize(support); ++j) {
                expected += coef[j] * naive_kernel(kernel, table.row(i), table.row(support[j]));
            }
            check_near(sums[i], expected, 10.0 * tolerance<Real>, "sum");
        }
    }
}

template <class Real>
void all_for() {
    blocks_equal_single_columns<Real>();
    prefetched_columns_are_kept_until_they_are_forgotten<Real>();
    sums_of_one_output_equal_those_of_several<Real>();
}

}  // namespace

void test_blocks() {
    all_for<float>();
    all_for<double>();
}

}  // namespace svmosaic::test
