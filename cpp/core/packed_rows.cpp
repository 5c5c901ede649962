#include "core/packed_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd/loops.hpp"

namespace svmosaic {

namespace {

// Dense chunks: small enough to stay in the first-level cache with the arrays they update.
constexpr Index dense_chunk = 512;

// Products take over from this many features on: below, exp is what counts.
constexpr Index least_features = 32;
// Largest error of gamma |x - z|^2 that products may bring.
constexpr double most_error = 1e-6;

template <class Real>
double squared_norm(const Rows<Real>& rows, Index row) {
    double sum = 0.0;
    const auto add = [&](Real v) { sum += static_cast<double>(v) * static_cast<double>(v); };
    if (const auto* dense = std::get_if<DenseRows<Real>>(&rows)) {
        for (const Real v : dense->row(row)) add(v);
    } else if (const auto* csr = std::get_if<CsrRows<Real>>(&rows)) {
        for (Index p = csr->offsets[row]; p < csr->offsets[row + 1]; ++p) add(csr->values[p]);
    }
    return sum;
}

template <class Real>
double largest_squared_norm(const Rows<Real>& rows, std::span<const Index> samples) {
    double largest = 0.0;
    for (const Index s : samples) largest = std::max(largest, squared_norm(rows, s));
    return largest;
}

}  // namespace

template <class Real>
Layout best_layout(const KernelSpec& kernel, const Rows<Real>& rows,
                   std::span<const Index> samples) {
    Layout layout;
    if (const auto* csr = std::get_if<CsrRows<Real>>(&rows)) {
        layout.sparse = best_order(*csr, samples);
    }
    const auto* dense = std::get_if<DenseRows<Real>>(&rows);
    const auto& facts = facts_of(kernel.kind);
    if (facts.is_exponential && facts.computed_from == PairValue::squared_distance &&
        !(dense && dense->n_columns < least_features)) {
        constexpr auto epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
        const double error = epsilon * kernel.gamma * largest_squared_norm(rows, samples);
        if (error <= most_error) layout.rbf = RbfForm::products;
    }
    return layout;
}

template <class Real>
PackedRows<Real>::PackedRows(const Rows<Real>& rows, std::span<const Index> samples,
                             const Layout& layout)
    : rows_(&rows),
      samples_(samples.begin(), samples.end()),
      chunk_size_(dense_chunk),
      layout_(layout) {
    if (const auto* dense = std::get_if<DenseRows<Real>>(&rows)) pack_dense(*dense);
    if (const auto* csr = std::get_if<CsrRows<Real>>(&rows)) {
        sparse_ = PackedSparse<Real>(*csr, samples_, layout.sparse);
        chunk_size_ = sparse_.chunk_size();
    }
    // A callback fills whole columns at once.
    if (std::holds_alternative<CallbackRows<Real>>(rows)) {
        chunk_size_ = std::max(padded_size(), simd::lanes<Real>);
    }
}

template <class Real>
Index PackedRows<Real>::padded_size() const {
    return simd::round_up(size(), simd::lanes<Real>);
}

template <class Real>
Index PackedRows<Real>::bytes() const {
    return blocks_.size() * sizeof(Real) + sparse_.bytes();
}

template <class Real>
void PackedRows<Real>::pack_dense(const DenseRows<Real>& dense) {
    constexpr Index width = simd::lanes<Real>;
    n_features_ = dense.n_columns;
    blocks_.assign(padded_size() * n_features_, Real{0});
    for (Index i = 0; i < size(); ++i) {
        const auto row = dense.row(samples_[i]);
        Real* lane = blocks_.data() + (i / width) * n_features_ * width + i % width;
        for (Index f = 0; f < n_features_; ++f) lane[f * width] = row[f];
    }
    if (layout_.rbf == RbfForm::differences) return;
    norms_.resize(padded_size());
    for (Index i = 0; i < padded_size(); i += width) {
        simd::loops<Real>().squared_norms(blocks_.data() + i * n_features_, width, n_features_,
                                          norms_.data() + i);
    }
}

template <class Real>
void PackedRows<Real>::read(const Rows<Real>& table, std::span<const Index> numbers,
                            Queries<Real>& queries) const {
    queries.read(table, numbers);
    if (!sparse_.by_sample()) return;
    if (layout_.rbf == RbfForm::products) {
        queries.spread_short(sparse_.n_features());
    } else {
        queries.spread(sparse_.n_features());
    }
}

template <class Real>
void PackedRows<Real>::dense_values(PairValue value, const Queries<Real>& queries, Index chunk,
                                    Real* const* out) const {
    constexpr Index width = simd::lanes<Real>;
    const auto& loops = simd::loops<Real>();
    const Index begin = chunk_begin(chunk);
    const Index n_blocks = simd::round_up(chunk_end(chunk) - begin, width) / width;
    const Real* blocks = blocks_.data() + begin * n_features_;
    const bool is_squared = value == PairValue::squared_distance;
    const bool by_products = is_squared && layout_.rbf == RbfForm::products;
    const bool squares = is_squared && !by_products;
    const bool manhattan = value == PairValue::manhattan_distance;
    if (queries.size() == 1) {
        const auto values = squares     ? loops.squared_distances
                            : manhattan ? loops.manhattan_distances
                                        : loops.dot_products;
        values(blocks, n_blocks, n_features_, queries.first(), out[0]);
    } else {
        const auto values = squares     ? loops.squared_distances_of
                            : manhattan ? loops.manhattan_distances_of
                                        : loops.dot_products_of;
        values(blocks, n_blocks, n_features_, queries.side_by_side(), queries.size(), out);
    }
    if (!by_products) return;
    for (Index m = 0; m < ssize(queries); ++m) {
        loops.distances_of_products(out[m], norms_.data() + begin,
                                    static_cast<double>(queries.squared_norm(m)), n_blocks * width);
    }
}

template <class Real>
void PackedRows<Real>::pairwise_values(const PairwiseRows<Real>& pairs, Index query, Index begin,
                                       Index n, Real* out) const {
    const Index* samples = samples_.data() + begin;
    if (pairs.symmetric) {
        const Real* row = pairs.values + query * pairs.n_columns;
        for (Index i = 0; i < n; ++i) out[i] = row[samples[i]];
    } else {
        const Real* column = pairs.values + query;
        for (Index i = 0; i < n; ++i) out[i] = column[samples[i] * pairs.n_columns];
    }
}

template <class Real>
void PackedRows<Real>::callback_values(const CallbackRows<Real>& callback, Index query, Index begin,
                                       Index n, Real* out) const {
    std::vector<Real> column(callback.n_rows);
    callback.column(query, column);
    for (Index i = 0; i < n; ++i) {
        out[i] = column[samples_[begin + i]];
    }
}

template <class Real>
void PackedRows<Real>::base_values(PairValue value, const Queries<Real>& queries, Index chunk,
                                   Real* const* out) const {
    const Index begin = chunk_begin(chunk);
    const Index n = chunk_end(chunk) - begin;
    if (std::holds_alternative<DenseRows<Real>>(*rows_)) {
        dense_values(value, queries, chunk, out);
    } else if (std::holds_alternative<CsrRows<Real>>(*rows_)) {
        if (value == PairValue::squared_distance && sparse_.by_sample() &&
            layout_.rbf == RbfForm::products) {
            sparse_.short_distances(queries, begin, n, out);
        } else {
            sparse_.base_values(value, queries, begin, n, out);
        }
    }
    for (Index m = 0; m < ssize(queries); ++m) {
        const Index query = queries.numbers()[m];
        if (const auto* pairs = std::get_if<PairwiseRows<Real>>(rows_)) {
            pairwise_values(*pairs, query, begin, n, out[m]);
        } else if (const auto* callback = std::get_if<CallbackRows<Real>>(rows_)) {
            callback_values(*callback, query, begin, n, out[m]);
        }
        std::fill(out[m] + n, out[m] + simd::round_up(n, simd::lanes<Real>), Real{0});
    }
}

template <class Real>
void PackedRows<Real>::kernel_chunk(const KernelSpec& kernel, const Queries<Real>& queries,
                                    Index chunk, Real* const* out) const {
    const Index n = chunk_end(chunk) - chunk_begin(chunk);
    const Index padded = simd::round_up(n, simd::lanes<Real>);
    base_values(facts_of(kernel.kind).computed_from, queries, chunk, out);
    for (Index m = 0; m < ssize(queries); ++m) {
        apply_kernel(kernel, out[m], padded);
        require_finite(kernel, out[m], n, queries.numbers()[m]);
    }
}

template <class Real>
double kernel_diagonal(const KernelSpec& kernel, const Rows<Real>& rows, Index row) {
    if (const auto constant = facts_of(kernel.kind).diagonal) return *constant;
    Real value = 0;
    if (const auto* pairs = std::get_if<PairwiseRows<Real>>(&rows)) {
        value = pairs->values[row * pairs->n_columns + row];
    } else if (const auto* callback = std::get_if<CallbackRows<Real>>(&rows)) {
        value = static_cast<Real>(callback->diagonal[row]);
    } else {
        value = static_cast<Real>(squared_norm(rows, row));
    }
    apply_kernel(kernel, &value, 1);
    require_finite(kernel, &value, 1, row);
    return static_cast<double>(value);
}

template Layout best_layout(const KernelSpec&, const Rows<float>&, std::span<const Index>);
template Layout best_layout(const KernelSpec&, const Rows<double>&, std::span<const Index>);
template class PackedRows<float>;
template class PackedRows<double>;
template double kernel_diagonal(const KernelSpec&, const Rows<float>&, Index);
template double kernel_diagonal(const KernelSpec&, const Rows<double>&, Index);

}  // namespace svmosaic
