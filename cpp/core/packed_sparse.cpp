#include "core/packed_sparse.hpp"

#include <algorithm>
#include <cmath>

namespace svmosaic {

namespace {

constexpr Index chunk_by_sample = 512;
// Large enough that a feature's run of non-zeros is worth its look-up.
constexpr Index chunk_by_feature = 2048;
// The spread-out queries have to stay in the second-level cache.
constexpr Index most_spread_features = 8192;
// A scattered addition takes about as long as this many steps of a whole vector, and not every
// block of queries is full.
constexpr double scatter_cost = 12.0;

}  // namespace

template <class Real>
SparseOrder best_order(const CsrRows<Real>& csr, std::span<const Index> samples) {
    if (csr.n_columns > most_spread_features) return SparseOrder::by_feature;
    double non_zeros = 0.0;
    std::vector<double> counts(csr.n_columns, 0.0);
    for (const Index s : samples) {
        for (Index p = csr.offsets[s]; p < csr.offsets[s + 1]; ++p) {
            counts[csr.columns[p]] += 1.0;
        }
        non_zeros += static_cast<double>(csr.offsets[s + 1] - csr.offsets[s]);
    }
    // What a sample has in common with all the others, on average.
    double common = 0.0;
    for (const double count : counts) common += count * count;
    common /= static_cast<double>(std::max<Index>(1, samples.size()));
    return non_zeros <= scatter_cost * common ? SparseOrder::by_sample : SparseOrder::by_feature;
}

template <class Real>
PackedSparse<Real>::PackedSparse(const CsrRows<Real>& csr, std::span<const Index> samples,
                                 SparseOrder order)
    : n_features_(csr.n_columns), order_(order) {
    Index non_zeros = 0;
    squared_norms_.reserve(samples.size());
    absolute_sums_.reserve(samples.size());
    for (const Index s : samples) {
        non_zeros += csr.offsets[s + 1] - csr.offsets[s];
        double squares = 0.0;
        double absolutes = 0.0;
        for (Index p = csr.offsets[s]; p < csr.offsets[s + 1]; ++p) {
            const auto value = static_cast<double>(csr.values[p]);
            squares += value * value;
            absolutes += std::abs(value);
        }
        squared_norms_.push_back(squares);
        absolute_sums_.push_back(absolutes);
    }
    if (by_sample()) {
        pack_by_sample(csr, samples);
    } else {
        numbers_.resize(non_zeros);
        values_.resize(non_zeros);
        pack_by_feature(csr, samples);
    }
}

template <class Real>
void PackedSparse<Real>::pack_by_sample(const CsrRows<Real>& csr, std::span<const Index> samples) {
    chunk_size_ = chunk_by_sample;
    offsets_.assign(1, 0);
    for (const Index s : samples) {
        for (Index p = csr.offsets[s]; p < csr.offsets[s + 1]; ++p) {
            numbers_.push_back(static_cast<std::int32_t>(csr.columns[p]));
            values_.push_back(csr.values[p]);
        }
        const Index whole = simd::round_up(ssize(values_), simd::sparse_group);
        numbers_.resize(whole, 0);
        values_.resize(whole, Real{0});
        offsets_.push_back(whole);
    }
}

template <class Real>
void PackedSparse<Real>::pack_by_feature(const CsrRows<Real>& csr, std::span<const Index> samples) {
    const Index n = ssize(samples);
    // Each chunk keeps one offset per feature. Wide, nearly empty tables get longer chunks, so
    // that offsets never take more room than the non-zeros do.
    const Index non_zeros = ssize(values_);
    const Index least = n * (n_features_ + 1) / std::max<Index>(1, 2 * non_zeros);
    chunk_size_ = simd::round_up(std::max(chunk_by_feature, std::min(least, n)), simd::lanes<Real>);

    const Index stride = n_features_ + 1;
    const Index n_chunks = (n + chunk_size_ - 1) / chunk_size_;
    offsets_.assign(n_chunks * stride, 0);
    Index filled = 0;
    std::vector<Index> cursor(stride);
    for (Index chunk = 0; chunk < n_chunks; ++chunk) {
        const auto offsets = std::span(offsets_).subspan(chunk * stride, stride);
        const Index begin = chunk * chunk_size_;
        const Index end = std::min(n, begin + chunk_size_);
        for (Index i = begin; i < end; ++i) {
            const Index s = samples[i];
            for (Index p = csr.offsets[s]; p < csr.offsets[s + 1]; ++p) {
                ++offsets[csr.columns[p] + 1];
            }
        }
        offsets[0] = filled;
        for (Index f = 1; f < ssize(offsets); ++f) offsets[f] += offsets[f - 1];
        std::copy(offsets.begin(), offsets.end(), cursor.begin());
        for (Index i = begin; i < end; ++i) {
            const Index s = samples[i];
            for (Index p = csr.offsets[s]; p < csr.offsets[s + 1]; ++p) {
                const auto at = cursor[csr.columns[p]]++;
                numbers_[at] = static_cast<std::int32_t>(i - begin);
                values_[at] = csr.values[p];
            }
        }
        filled = offsets.back();
    }
}

template <class Real>
void PackedSparse<Real>::values_by_feature(PairValue kind, const SparseSample<Real>& query,
                                           Index begin, Index n, Real* out) const {
    // Sums of products run in double: |x|^2 + |z|^2 - 2 x.z cancels.
    thread_local std::vector<double> sums;
    sums.assign(n, 0.0);
    const Index* offsets = offsets_.data() + (begin / chunk_size_) * (n_features_ + 1);
    const bool manhattan = kind == PairValue::manhattan_distance;
    for (Index q = 0; q < ssize(query.columns); ++q) {
        const Index feature = query.columns[q];
        if (feature >= n_features_) continue;
        const auto value = static_cast<double>(query.values[q]);
        for (Index p = offsets[feature]; p < offsets[feature + 1]; ++p) {
            const auto x = static_cast<double>(values_[p]);
            const double term =
                manhattan ? std::abs(x - value) - std::abs(x) - std::abs(value) : x * value;
            sums[numbers_[p]] += term;
        }
    }
    for (Index i = 0; i < n; ++i) {
        const Index sample = i + begin;
        double value = sums[i];
        if (kind == PairValue::squared_distance) {
            value = std::max(0.0, squared_norms_[sample] + query.squared_norm - 2.0 * value);
        } else if (manhattan) {
            value = std::max(0.0, absolute_sums_[sample] + query.absolute_sum + value);
        }
        out[i] = static_cast<Real>(value);
    }
}

template <class Real>
void PackedSparse<Real>::base_values(PairValue kind, const Queries<Real>& queries, Index begin,
                                     Index n, Real* const* out) const {
    if (!by_sample()) {
        for (Index m = 0; m < ssize(queries); ++m) {
            values_by_feature(kind, queries.sparse(m), begin, n, out[m]);
        }
        return;
    }
    constexpr Index width = simd::lanes<Real>;
    const auto& loops = simd::loops<Real>();
    const bool manhattan = kind == PairValue::manhattan_distance;
    const auto values = kind == PairValue::squared_distance ? loops.sparse_squared_distances
                        : manhattan                         ? loops.sparse_manhattan_distances
                                                            : loops.sparse_dot_products;
    const auto& own = manhattan ? absolute_sums_ : squared_norms_;
    const auto& table = queries.spread_table();
    const double* sums = manhattan ? table.absolute_sums.data() : table.squared_norms.data();
    const simd::SparseRows<Real> rows{offsets_.data(), numbers_.data(), values_.data(), own.data()};
    for (Index m = 0; m < ssize(queries); m += width) {
        values(rows, begin, n, table.lines.data() + m, sums + m, out + m, queries.size() - m);
    }
}

template <class Real>
void PackedSparse<Real>::short_distances(const Queries<Real>& queries, Index begin, Index n,
                                         Real* const* out) const {
    const auto& table = queries.short_table();
    const simd::SparseRows<Real> rows{offsets_.data(), numbers_.data(), values_.data(),
                                      squared_norms_.data()};
    for (Index m = 0; m < ssize(queries); m += simd::lanes<Real>) {
        simd::loops<Real>().sparse_squared_distances_short(rows, begin, n, table.lines.data() + m,
                                                           table.squared_norms.data() + m, out + m,
                                                           queries.size() - m);
    }
}

template SparseOrder best_order(const CsrRows<float>&, std::span<const Index>);
template SparseOrder best_order(const CsrRows<double>&, std::span<const Index>);
template class PackedSparse<float>;
template class PackedSparse<double>;

}  // namespace svmosaic
