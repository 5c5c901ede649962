#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/infinity.hpp"
#include "core/kernel_columns.hpp"
#include "core/monitor.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

template <class Real>
constexpr double tolerance = sizeof(Real) == 4 ? 1e-6 : 1e-12;

std::vector<KernelSpec> kernels(Index n_columns) {
    const double d = static_cast<double>(n_columns);
    return {
        {KernelKind::linear, 1.0, 3, 0.0},   {KernelKind::poly, 0.7, 3, 0.5},
        {KernelKind::poly, 0.7, 1, 0.0},     {KernelKind::rbf, 0.9, 3, 0.0},
        {KernelKind::sigmoid, 0.8, 3, -0.2}, {KernelKind::laplacian, 1.0 / std::sqrt(d), 3, 0.0}};
}

// A table in one of its forms, with what it borrows. Pairwise values and callbacks hold what
// `kernel` is made from.
template <class Real>
struct Form {
    std::string name;
    Rows<Real> rows;
};

template <class Real>
struct Forms {
    const Samples<Real>& samples;
    Sparse<Real> sparse;
    std::vector<Real> pairs;
    std::vector<double> diagonal;

    Forms(const Samples<Real>& table, KernelKind kind)
        : samples(table), sparse(sparse_copy(table)) {
        for (Index i = 0; i < table.n_rows; ++i) {
            for (Index j = 0; j < table.n_rows; ++j) {
                const double base = naive_base(kind, table.row(i), table.row(j));
                pairs.push_back(static_cast<Real>(base));
                if (i == j) diagonal.push_back(base);
            }
        }
    }

    std::vector<Form<Real>> all() const {
        const Index n = samples.n_rows;
        CallbackRows<Real> callback;
        callback.column = [this, n](Index j, std::span<Real> out) {
            for (Index i = 0; i < n; ++i) out[i] = pairs[i * n + j];
        };
        callback.diagonal = diagonal.data();
        callback.n_rows = n;
        return {{"dense", samples.rows()},
                {"csr", sparse.rows()},
                {"pairwise", PairwiseRows<Real>{pairs.data(), n, n, true}},
                {"pairwise, read by columns", PairwiseRows<Real>{pairs.data(), n, n, false}},
                {"callback", callback}};
    }
};

template <class Real>
std::vector<double> naive_column(const Samples<Real>& table, std::span<const Index> samples,
                                 const KernelSpec& kernel, Index query) {
    std::vector<double> column;
    for (const Index i : samples) {
        column.push_back(naive_kernel(kernel, table.row(i), table.row(query)));
    }
    return column;
}

template <class Real>
double largest_error(const Real* column, const std::vector<double>& expected) {
    double worst = 0.0;
    for (Index i = 0; i < ssize(expected); ++i) {
        const double error = std::abs(static_cast<double>(column[i]) - expected[i]);
        worst = std::max(worst, error / std::max(1.0, std::abs(expected[i])));
    }
    return worst;
}

// The column as `stream` hands it out, put together from its chunks.
template <class Real>
std::vector<Real> streamed(KernelColumns<Real>& columns, Index row) {
    std::vector<Real> joined(columns.size(), std::numeric_limits<Real>::quiet_NaN());
    columns.computer().stream(row, [&](Index, Index begin, Index end, const Real* values) {
        std::copy(values, values + (end - begin), joined.begin() + begin);
    });
    return joined;
}

template <class Real>
void check_columns(const Samples<Real>& table, const Form<Real>& form,
                   std::span<const Index> samples, const KernelSpec& kernel, ThreadPool& pool) {
    KernelColumns<Real> columns(form.rows, samples, kernel, 0, pool);
    const Index n = ssize(samples);
    const std::string where = form.name + ", kernel " +
                              std::to_string(static_cast<int>(kernel.kind)) + ", n " +
                              std::to_string(n);
    check(columns.size() == n && columns.padded_size() % simd::lanes<Real> == 0, where);
    for (const Index i : {Index{0}, n / 2, n - 1}) {
        const auto expected = naive_column(table, samples, kernel, samples[i]);
        const double error = largest_error(columns.column(i), expected);
        check(error <= tolerance<Real>, where + ": column, error " + std::to_string(error));
        const auto values = streamed(columns, samples[i]);
        check(std::equal(values.begin(), values.end(), columns.column(i)),
              where + ": a streamed column is the same to the last bit");
        check_near(columns.diagonal()[i], expected[i], tolerance<Real>, where + ": diagonal");
    }
}

template <class Real>
void columns_equal_naive_loops() {
    for (const auto level : available_levels()) {
        const ForcedLevel forced(level);
        for (const Index n : {1, 2, 15, 16, 17, 100, 200}) {
            const auto table = random_samples<Real>(n + 3, 7, 10 + static_cast<unsigned>(n), 0.6);
            // Some of the rows, backwards, so that a sample's number is not its row.
            std::vector<Index> samples;
            for (Index i = n; i > 0; --i) samples.push_back(i + 1);
            ThreadPool pool(1 + n % 3);
            for (const auto& kernel : kernels(table.n_columns)) {
                const Forms<Real> forms(table, kernel.kind);
                for (const auto& form : forms.all()) {
                    check_columns(table, form, samples, kernel, pool);
                }
            }
        }
    }
}

// Several chunks, blocks left over after the unrolled ones, and sums longer than a segment.
template <class Real>
void long_columns_equal_naive_loops() {
    ThreadPool pool(3);
    for (const auto level : available_levels()) {
        const ForcedLevel forced(level);
        for (const Index n_columns : {1, 3, 300}) {
            const auto table = random_samples<Real>(2100, n_columns, 5, 0.5);
            const auto sparse = sparse_copy(table);
            const std::vector<Form<Real>> forms = {{"dense", table.rows()}, {"csr", sparse.rows()}};
            for (const Index n : {511, 512, 513, 1030, 2100}) {
                if (n_columns == 300 && n != 1030) continue;
                const auto samples = count_up(n);
                for (const auto& kernel : kernels(n_columns)) {
                    for (const auto& form : forms) {
                        check_columns(table, form, samples, kernel, pool);
                    }
                }
            }
        }
    }
}

// Enough work per chunk that the chunks of one column go to several threads.
template <class Real>
void a_column_does_not_depend_on_the_threads() {
    const auto table = random_samples<Real>(2100, 300, 6);
    const Rows<Real> rows = table.rows();
    const auto samples = count_up(2100);
    const KernelSpec kernel{KernelKind::rbf, 1.0, 3, 0.0};
    std::vector<Real> first;
    for (Index n_threads = 1; n_threads <= 4; ++n_threads) {
        ThreadPool pool(n_threads);
        KernelColumns<Real> columns(rows, samples, kernel, 0, pool);
        const auto values = streamed(columns, 1234);
        if (first.empty()) first = values;
        check(values == first, "the same to the last bit");
    }
}

// A wide and nearly empty table gets longer chunks; rows without any value are rows too.
template <class Real>
void nearly_empty_tables_work() {
    ThreadPool pool(2);
    const auto table = random_samples<Real>(2500, 40, 7, 0.002);
    const auto sparse = sparse_copy(table);
    const Samples<Real> nothing{20, 5, std::vector<Real>(100)};
    const auto no_values = sparse_copy(nothing);
    for (const auto& kernel : kernels(40)) {
        check_columns(table, {"nearly empty", sparse.rows()}, count_up(2500), kernel, pool);
        check_columns(nothing, {"empty", no_values.rows()}, count_up(20), kernel, pool);
    }
}

// |x|^2 + |z|^2 - 2 x.z of nearly equal rows may round to less than zero; k(x, z) <= 1 all the
// same.
template <class Real>
void distances_are_never_negative() {
    const Index n = 200;
    Samples<Real> table{n, 3, {}};
    Random random(12);
    for (Index i = 0; i < 3 * n; ++i) {
        const double value = 1000.0 + 1e-9 * random.uniform(-1.0, 1.0);
        table.values.push_back(static_cast<Real>(value));
    }
    const auto sparse = sparse_copy(table);
    const Rows<Real> rows = sparse.rows();
    ThreadPool pool(1);
    for (const auto kind : {KernelKind::rbf, KernelKind::laplacian}) {
        KernelColumns<Real> columns(rows, count_up(n), {kind, 1e8, 3, 0.0}, 0, pool);
        for (Index i = 0; i < n; i += 10) {
            const auto values = streamed(columns, i);
            check(*std::max_element(values.begin(), values.end()) <= Real{1}, "k(x, z) <= 1");
        }
    }
}

template <class Real>
void the_least_recently_used_column_leaves_first() {
    const auto table = random_samples<Real>(40, 3, 9);
    const Rows<Real> rows = table.rows();
    const auto samples = count_up(40);
    const KernelSpec kernel{KernelKind::rbf, 1.0, 3, 0.0};
    ThreadPool pool(1);
    const auto column_bytes = (simd::round_up(40, simd::lanes<Real>)) * sizeof(Real);
    KernelColumns<Real> columns(rows, samples, kernel, 4 * column_bytes, pool);

    // After 0 1 2 3 0 the oldest is 1; 4 replaces it, then 1 replaces 2; 3 is still there.
    const std::vector<Index> asked = {0, 1, 2, 3, 0, 4, 1, 3, 2};
    const std::vector<Index> computed = {1, 2, 3, 4, 4, 5, 6, 6, 7};
    for (Index k = 0; k < ssize(asked); ++k) {
        const Real* column = columns.column(asked[k]);
        check(columns.computer().n_computed() == computed[k], "columns computed");
        check(largest_error(column, naive_column(table, samples, kernel, asked[k])) <=
                  tolerance<Real>,
              "from the cache or not, the values are right");
    }
}

template <class Real>
void the_last_two_columns_stay_valid() {
    const auto table = random_samples<Real>(50, 3, 10);
    const Rows<Real> rows = table.rows();
    const auto samples = count_up(50);
    const KernelSpec kernel{KernelKind::linear, 1.0, 3, 0.0};
    ThreadPool pool(1);
    KernelColumns<Real> columns(rows, samples, kernel, 0, pool);
    for (Index i = 0; i < 50; ++i) {
        const Index j = (7 * i + 3) % 50;
        const Real* first = columns.column(i);
        const Real* second = columns.column(j);
        check(largest_error(first, naive_column(table, samples, kernel, i)) <= tolerance<Real>,
              "first of two");
        check(largest_error(second, naive_column(table, samples, kernel, j)) <= tolerance<Real>,
              "second of two");
    }
}

template <class Real>
void keep_only_cuts_cached_columns() {
    const auto table = random_samples<Real>(1100, 4, 11, 0.7);
    const auto samples = count_up(1100);
    ThreadPool pool(2);
    for (const auto& kernel : kernels(4)) {
        const auto sparse = sparse_copy(table);
        const std::vector<Form<Real>> forms = {{"dense", table.rows()}, {"csr", sparse.rows()}};
        for (const auto& form : forms) {
            KernelColumns<Real> columns(form.rows, samples, kernel, Index{1} << 24, pool);
            for (const Index i : {3, 4, 1000}) columns.column(i);
            std::vector<Index> kept;
            for (Index i = 1; i < 1100; i += 3) kept.push_back(i);  // 4 and 1000 stay, 3 leaves

            columns.keep_only(kept);

            check(columns.size() == ssize(kept), "size");
            check(std::equal(kept.begin(), kept.end(), columns.computer().samples().begin()),
                  "samples");
            for (const Index number : {1, 333}) {
                const Real* column = columns.column(number);
                check(columns.computer().n_computed() == 3, "cut, not computed again");
                const auto expected = naive_column(table, kept, kernel, kept[number]);
                check(largest_error(column, expected) <= tolerance<Real>, "cut column");
            }
            const auto expected = naive_column(table, kept, kernel, kept[10]);
            check(largest_error(columns.column(10), expected) <= tolerance<Real>, "new column");
            check_near(columns.diagonal()[10], expected[10], tolerance<Real>, "diagonal");
            check(columns.computer().n_computed() == 4, "one new column");

            columns.keep_only(std::vector<Index>{10});
            check_near(static_cast<double>(columns.column(0)[0]), expected[10], tolerance<Real>,
                       "a single sample is left");
        }
    }
}

// Samples come and go; a column read at any time is that of the samples present, and what is
// known of it already comes out the same.
template <class Real>
void appended_samples_complete_cached_columns() {
    const auto table = random_samples<Real>(1300, 4, 13, 0.7);
    const auto sparse = sparse_copy(table);
    const std::vector<Form<Real>> forms = {{"dense", table.rows()}, {"csr", sparse.rows()}};
    ThreadPool pool(2);
    for (const auto& kernel : kernels(4)) {
        for (const auto& form : forms) {
            std::vector<Index> present = {900, 4, 33};
            KernelColumns<Real> columns(form.rows, present, kernel, Index{1} << 24, pool, 1300);
            const auto check_column = [&](Index number) {
                const auto expected = naive_column(table, present, kernel, present[number]);
                check(largest_error(columns.column(number), expected) <= tolerance<Real>,
                      form.name + ": column of the samples present");
                check_near(columns.diagonal()[number], expected[number], tolerance<Real>,
                           form.name + ": diagonal");
            };
            const auto append = [&](Index begin, Index end) {
                std::vector<Index> rows;
                for (Index i = begin; i < end; ++i) rows.push_back(i);
                columns.append(rows);
                present.insert(present.end(), rows.begin(), rows.end());
            };
            check_column(1);
            append(100, 117);
            check_column(1);
            check_column(10);
            append(200, 1300);
            check_column(1);

            // Column 10 is not complete when samples leave.
            std::vector<Index> kept;
            std::vector<Index> staying;
            for (Index i = 1; i < ssize(columns); i += 3) {
                kept.push_back(i);
                staying.push_back(present[i]);
            }
            columns.keep_only(kept);
            present = staying;
            check_column(0);
            check_column(3);
            append(0, 100);
            check_column(3);
            check_column(columns.size() - 1);
            columns.append(std::vector<Index>{});
            check(columns.size() == ssize(present), "nothing appended");
            const Index before = columns.computer().n_computed();
            check_column(3);
            check(columns.computer().n_computed() == before,
                  "complete columns are not computed again");
        }
    }
}

// (1e10)^degree overflows for row 1000 alone; the exception crosses the threads.
template <class Real>
void values_that_are_not_finite_are_refused() {
    auto table = random_samples<Real>(2100, 300, 14);
    table.values[1000 * 300] = static_cast<Real>(1e10);
    const Rows<Real> rows = table.rows();
    const KernelSpec kernel{KernelKind::poly, 1.0, 40, 0.0};
    ThreadPool pool(3);
    KernelColumns<Real> columns(rows, count_up(2100), kernel, Index{1} << 24, pool);
    for (int round = 0; round < 2; ++round) {
        std::string message;
        try {
            columns.column(1000);
        } catch (const std::domain_error& error) {
            message = error.what();
        }
        check(message.find("sample 1000 ") != std::string::npos, "names the sample, every time");
    }
}

// The loops of the solvers, one level against plain loops.
struct Vectors {
    AlignedVector<double> diagonal, gradient, up, low, targets, scores;
};

Vectors random_vectors(Index n, std::uint64_t seed) {
    Random random(seed);
    Vectors v;
    for (Index i = 0; i < n; ++i) {
        v.diagonal.push_back(random.uniform(1.0, 2.0));
        v.gradient.push_back(random.uniform(-1.0, 1.0));
        v.up.push_back(random.uniform(0.0, 1.0) < 0.5 ? 0.0 : infinity);
        v.low.push_back(random.uniform(0.0, 1.0) < 0.5 ? 0.0 : -infinity);
        v.targets.push_back(random.uniform(0.0, 1.0) < 0.5 ? 1.0 : -1.0);
        v.scores.push_back(random.uniform(0.0, 1.0) < 0.2 ? infinity : random.uniform(-1.0, 1.0));
    }
    return v;
}

template <class Real>
AlignedVector<Real> random_column(Index n, std::uint64_t seed) {
    Random random(seed);
    AlignedVector<Real> column;
    for (Index i = 0; i < n; ++i) column.push_back(static_cast<Real>(random.uniform(-0.4, 0.4)));
    return column;
}

template <class Real>
void check_update_scores(Index n) {
    const Vectors v = random_vectors(n, 21);
    const auto column = random_column<Real>(n, 22);
    AlignedVector<double> scores = v.scores;
    const double lowest = simd::loops<Real>().update_scores(column.data(), v.targets.data(), 0.3,
                                                            -0.05, scores.data(), n);
    double expected = std::numeric_limits<double>::infinity();
    for (Index i = 0; i < n; ++i) {
        const double score =
            v.scores[i] + v.targets[i] * (0.3 * static_cast<double>(column[i]) - 0.05);
        check_near(scores[i], score, 1e-15, "score");
        expected = std::min(expected, score);
    }
    check_near(lowest, expected, 1e-15, "lowest score");
}

template <class Real>
void check_select_second(Index n) {
    const Vectors v = random_vectors(n, 23);
    const auto column = random_column<Real>(n, 24);
    const auto found = simd::loops<Real>().select_second(
        column.data(), v.diagonal.data(), v.gradient.data(), v.low.data(), -0.2, 1.5, n);
    simd::Extreme expected{0.0, -1};
    for (Index j = 0; j < n; ++j) {
        const double difference = v.gradient[j] + 0.2;
        if (v.low[j] != 0.0 || difference <= 0.0) continue;
        const double gain =
            difference * difference / (v.diagonal[j] + 1.5 - 2.0 * static_cast<double>(column[j]));
        if (gain > expected.value) expected = {gain, j};
    }
    check(found.index == expected.index, "second variable");
    check_near(found.value, expected.value, 1e-14, "its gain");
}

template <class Real>
void check_update_gradient(Index n) {
    const Vectors v = random_vectors(n, 25);
    const auto a = random_column<Real>(n, 26);
    const auto b = random_column<Real>(n, 27);
    AlignedVector<double> gradient = v.gradient;
    const auto found = simd::loops<Real>().update_gradient(a.data(), b.data(), 0.7, v.up.data(),
                                                           v.low.data(), gradient.data(), n);
    simd::PairExtremes expected{{std::numeric_limits<double>::infinity(), -1},
                                -std::numeric_limits<double>::infinity()};
    for (Index t = 0; t < n; ++t) {
        const double g =
            v.gradient[t] + 0.7 * (static_cast<double>(a[t]) - static_cast<double>(b[t]));
        check_near(gradient[t], g, 1e-15, "gradient");
        if (v.up[t] == 0.0 && g < expected.lowest_up.value) {
            expected.lowest_up = {g, t};
        }
        if (v.low[t] == 0.0) expected.highest_low = std::max(expected.highest_low, g);
    }
    check(found.lowest_up.index == expected.lowest_up.index, "the one to grow");
    check_near(found.lowest_up.value, expected.lowest_up.value, 1e-15, "its gradient");
    check_near(found.highest_low, expected.highest_low, 1e-15, "largest that may shrink");
}

template <class Real>
void ties_go_to_the_lowest_index() {
    const Index n = 4 * simd::lanes<Real>;
    const AlignedVector<Real> column(n, Real{0});
    const AlignedVector<double> ones(n, 1.0);
    AlignedVector<double> free(n, 0.0);
    AlignedVector<double> gradient(n, 0.5);
    const auto& loops = simd::loops<Real>();

    const auto second =
        loops.select_second(column.data(), ones.data(), gradient.data(), free.data(), 0.0, 1.0, n);
    const auto first = loops.update_gradient(column.data(), column.data(), 0.0, free.data(),
                                             free.data(), gradient.data(), n);

    check(second.index == 0 && first.lowest_up.index == 0, "the first of equals");
    free.assign(n, -std::numeric_limits<double>::infinity());
    check(loops.select_second(column.data(), ones.data(), gradient.data(), free.data(), 0.0, 1.0, n)
                  .index == -1,
          "nobody may shrink");
    free.assign(n, std::numeric_limits<double>::infinity());
    check(loops.update_gradient(column.data(), column.data(), 0.0, free.data(), ones.data(),
                                gradient.data(), n)
                  .lowest_up.index == -1,
          "nobody may grow");
}

template <class Real>
void solver_loops_equal_naive_loops() {
    for (const auto level : available_levels()) {
        const ForcedLevel forced(level);
        for (const Index blocks : {1, 2, 5, 33}) {
            const Index n = blocks * simd::lanes<Real>;
            check_update_scores<Real>(n);
            check_select_second<Real>(n);
            check_update_gradient<Real>(n);
        }
        ties_go_to_the_lowest_index<Real>();
    }
}

template <class Real>
void all_for() {
    columns_equal_naive_loops<Real>();
    long_columns_equal_naive_loops<Real>();
    a_column_does_not_depend_on_the_threads<Real>();
    nearly_empty_tables_work<Real>();
    distances_are_never_negative<Real>();
    the_least_recently_used_column_leaves_first<Real>();
    the_last_two_columns_stay_valid<Real>();
    keep_only_cuts_cached_columns<Real>();
    appended_samples_complete_cached_columns<Real>();
    values_that_are_not_finite_are_refused<Real>();
    solver_loops_equal_naive_loops<Real>();
}

}  // namespace

void test_kernel_columns() {
    all_for<float>();
    all_for<double>();
}

}  // namespace svmosaic::test
