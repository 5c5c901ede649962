#include "core/packed_rows.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "simd/loops.hpp"

namespace svmosaic {

namespace {

// Dense chunks: small enough to stay in the first-level cache with the arrays they update.
constexpr Index dense_chunk = 512;
// Sparse chunks: large enough that a feature's run of non-zeros is worth its look-up.
constexpr Index sparse_chunk = 2048;

bool is_distance(KernelKind kind) {
    return kind == KernelKind::rbf || kind == KernelKind::laplacian;
}

template <class Real>
bool all_finite(const Real* values, Index n) {
    // A sum of zeros, unless a value is infinite or not a number.
    Real sum = 0;
    for (Index i = 0; i < n; ++i) sum += values[i] * Real{0};
    return sum == Real{0};
}

[[noreturn]] void throw_not_finite(Index row) {
    throw std::domain_error(
        "A kernel value of sample " + std::to_string(row) +
        " is not finite. Scale the features or change the kernel's parameters.");
}

double power(double base, Index exponent) {
    double result = 1.0;
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 == 1) result *= base;
        base *= base;
    }
    return result;
}

}  // namespace

template <class Real>
PackedRows<Real>::PackedRows(const Rows<Real>& rows, std::span<const Index> samples)
    : rows_(&rows), samples_(samples.begin(), samples.end()), chunk_size_(dense_chunk) {
    if (const auto* dense = std::get_if<DenseRows<Real>>(&rows)) pack_dense(*dense);
    if (const auto* csr = std::get_if<CsrRows<Real>>(&rows)) pack_csr(*csr);
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
void PackedRows<Real>::pack_dense(const DenseRows<Real>& dense) {
    constexpr Index width = simd::lanes<Real>;
    n_features_ = dense.n_columns;
    blocks_.assign(static_cast<std::size_t>(padded_size() * n_features_), Real{0});
    for (Index i = 0; i < size(); ++i) {
        const auto row = dense.row(samples_[static_cast<std::size_t>(i)]);
        Real* lane = blocks_.data() + (i / width) * n_features_ * width + i % width;
        for (Index f = 0; f < n_features_; ++f) lane[f * width] = row[static_cast<std::size_t>(f)];
    }
}

template <class Real>
void PackedRows<Real>::pack_csr(const CsrRows<Real>& csr) {
    n_features_ = csr.n_columns;
    const Index n = size();
    Index non_zeros = 0;
    for (const Index s : samples_) non_zeros += csr.offsets[s + 1] - csr.offsets[s];
    // Each chunk keeps one offset per feature. Wide, nearly empty tables get longer chunks, so
    // that offsets never take more room than the non-zeros do.
    const Index least = n * (n_features_ + 1) / std::max<Index>(1, 2 * non_zeros);
    chunk_size_ = simd::round_up(std::max(sparse_chunk, std::min(least, n)), simd::lanes<Real>);

    const Index stride = n_features_ + 1;
    feature_offsets_.assign(static_cast<std::size_t>(n_chunks() * stride), 0);
    local_rows_.resize(static_cast<std::size_t>(non_zeros));
    feature_values_.resize(static_cast<std::size_t>(non_zeros));
    squared_norms_.resize(static_cast<std::size_t>(n));
    absolute_sums_.resize(static_cast<std::size_t>(n));

    Index filled = 0;
    std::vector<Index> cursor(static_cast<std::size_t>(stride));
    for (Index chunk = 0; chunk < n_chunks(); ++chunk) {
        const auto offsets = std::span(feature_offsets_)
                                 .subspan(static_cast<std::size_t>(chunk * stride),
                                          static_cast<std::size_t>(stride));
        const Index begin = chunk_begin(chunk);
        const Index end = chunk_end(chunk);
        for (Index i = begin; i < end; ++i) {
            const Index s = samples_[static_cast<std::size_t>(i)];
            for (Index p = csr.offsets[s]; p < csr.offsets[s + 1]; ++p) {
                ++offsets[static_cast<std::size_t>(csr.columns[p] + 1)];
            }
        }
        offsets[0] = filled;
        for (std::size_t f = 1; f < offsets.size(); ++f) offsets[f] += offsets[f - 1];
        std::copy(offsets.begin(), offsets.end(), cursor.begin());
        for (Index i = begin; i < end; ++i) {
            const Index s = samples_[static_cast<std::size_t>(i)];
            double squares = 0.0;
            double absolutes = 0.0;
            for (Index p = csr.offsets[s]; p < csr.offsets[s + 1]; ++p) {
                const auto at =
                    static_cast<std::size_t>(cursor[static_cast<std::size_t>(csr.columns[p])]++);
                local_rows_[at] = static_cast<std::int32_t>(i - begin);
                feature_values_[at] = csr.values[p];
                const auto value = static_cast<double>(csr.values[p]);
                squares += value * value;
                absolutes += std::abs(value);
            }
            squared_norms_[static_cast<std::size_t>(i)] = squares;
            absolute_sums_[static_cast<std::size_t>(i)] = absolutes;
        }
        filled = offsets.back();
    }
}

template <class Real>
void PackedRows<Real>::sparse_values(KernelKind kind, const Query<Real>& query, Index chunk,
                                     Real* out) const {
    const Index begin = chunk_begin(chunk);
    const Index n = chunk_end(chunk) - begin;
    // Sums of products run in double: |x|^2 + |z|^2 - 2 x.z cancels.
    thread_local std::vector<double> sums;
    sums.assign(static_cast<std::size_t>(n), 0.0);
    const Index* offsets = feature_offsets_.data() + chunk * (n_features_ + 1);
    const bool manhattan = kind == KernelKind::laplacian;
    for (std::size_t q = 0; q < query.columns.size(); ++q) {
        const Index feature = query.columns[q];
        if (feature >= n_features_) continue;
        const auto value = static_cast<double>(query.values[q]);
        for (Index p = offsets[feature]; p < offsets[feature + 1]; ++p) {
            const auto at = static_cast<std::size_t>(p);
            const auto x = static_cast<double>(feature_values_[at]);
            const double term =
                manhattan ? std::abs(x - value) - std::abs(x) - std::abs(value) : x * value;
            sums[static_cast<std::size_t>(local_rows_[at])] += term;
        }
    }
    for (Index i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        double value = sums[at];
        if (kind == KernelKind::rbf) {
            value = squared_norms_[at + static_cast<std::size_t>(begin)] + query.squared_norm -
                    2.0 * value;
        } else if (manhattan) {
            value += absolute_sums_[at + static_cast<std::size_t>(begin)] + query.absolute_sum;
        }
        out[i] = static_cast<Real>(is_distance(kind) ? std::max(value, 0.0) : value);
    }
}

template <class Real>
void PackedRows<Real>::base_values(KernelKind kind, const Query<Real>& query, Index chunk,
                                   Real* out) const {
    constexpr Index width = simd::lanes<Real>;
    const Index begin = chunk_begin(chunk);
    const Index n = chunk_end(chunk) - begin;
    if (std::holds_alternative<DenseRows<Real>>(*rows_)) {
        const auto& loops = simd::loops<Real>();
        const auto values = kind == KernelKind::rbf         ? loops.squared_distances
                            : kind == KernelKind::laplacian ? loops.manhattan_distances
                                                            : loops.dot_products;
        values(blocks_.data() + begin * n_features_, simd::round_up(n, width) / width, n_features_,
               query.dense.data(), out);
    } else if (std::holds_alternative<CsrRows<Real>>(*rows_)) {
        sparse_values(kind, query, chunk, out);
    } else if (const auto* pairs = std::get_if<PairwiseRows<Real>>(rows_)) {
        const Index* samples = samples_.data() + begin;
        if (pairs->symmetric) {
            const Real* row = pairs->values + query.row * pairs->n_columns;
            for (Index i = 0; i < n; ++i) out[i] = row[samples[i]];
        } else {
            const Real* column = pairs->values + query.row;
            for (Index i = 0; i < n; ++i) out[i] = column[samples[i] * pairs->n_columns];
        }
    } else if (const auto* callback = std::get_if<CallbackRows<Real>>(rows_)) {
        std::vector<Real> column(static_cast<std::size_t>(callback->n_rows));
        callback->column(query.row, column);
        for (Index i = 0; i < n; ++i) {
            out[i] = column[static_cast<std::size_t>(samples_[static_cast<std::size_t>(i)])];
        }
    }
    std::fill(out + n, out + simd::round_up(n, width), Real{0});
}

template <class Real>
void PackedRows<Real>::kernel_chunk(const KernelSpec& kernel, const Query<Real>& query, Index chunk,
                                    Real* out) const {
    base_values(kernel.kind, query, chunk, out);
    const Index n = chunk_end(chunk) - chunk_begin(chunk);
    apply_kernel(kernel, out, simd::round_up(n, simd::lanes<Real>));
    // Products can overflow where distances cannot.
    if (!is_distance(kernel.kind) && !all_finite(out, n)) throw_not_finite(query.row);
}

template <class Real>
void apply_kernel(const KernelSpec& kernel, Real* values, Index n) {
    switch (kernel.kind) {
        case KernelKind::rbf:
        case KernelKind::laplacian:
            simd::loops<Real>().scaled_exp(values, n, -kernel.gamma);
            break;
        case KernelKind::poly:
            for (Index i = 0; i < n; ++i) {
                const double base = kernel.gamma * static_cast<double>(values[i]) + kernel.coef0;
                values[i] = static_cast<Real>(power(base, kernel.degree));
            }
            break;
        case KernelKind::sigmoid:
            for (Index i = 0; i < n; ++i) {
                const double base = kernel.gamma * static_cast<double>(values[i]) + kernel.coef0;
                values[i] = static_cast<Real>(std::tanh(base));
            }
            break;
        case KernelKind::linear:
        case KernelKind::precomputed:
            break;
    }
}

template <class Real>
double kernel_diagonal(const KernelSpec& kernel, const Rows<Real>& rows, Index row) {
    if (is_distance(kernel.kind)) return 1.0;
    Real value = 0;
    if (const auto* pairs = std::get_if<PairwiseRows<Real>>(&rows)) {
        value = pairs->values[row * pairs->n_columns + row];
    } else if (const auto* callback = std::get_if<CallbackRows<Real>>(&rows)) {
        value = static_cast<Real>(callback->diagonal[row]);
    } else {
        double squares = 0.0;
        Query<Real> query;
        read_query(rows, row, query);
        for (const Real v : query.dense) squares += static_cast<double>(v) * static_cast<double>(v);
        value = static_cast<Real>(squares + query.squared_norm);
    }
    apply_kernel(kernel, &value, 1);
    if (!std::isfinite(value)) throw_not_finite(row);
    return static_cast<double>(value);
}

template class PackedRows<float>;
template class PackedRows<double>;
template void apply_kernel(const KernelSpec&, float*, Index);
template void apply_kernel(const KernelSpec&, double*, Index);
template double kernel_diagonal(const KernelSpec&, const Rows<float>&, Index);
template double kernel_diagonal(const KernelSpec&, const Rows<double>&, Index);

}  // namespace svmosaic
