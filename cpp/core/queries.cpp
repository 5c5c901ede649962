#include "core/queries.hpp"

#include <algorithm>
#include <cmath>

namespace svmosaic {

template <class Real>
void read_sparse(const CsrRows<Real>& csr, Index i, SparseSample<Real>& sample) {
    sample.columns.clear();
    sample.values.clear();
    sample.squared_norm = 0.0;
    sample.absolute_sum = 0.0;
    for (Index p = csr.offsets[i]; p < csr.offsets[i + 1]; ++p) {
        const auto value = static_cast<double>(csr.values[p]);
        sample.columns.push_back(csr.columns[p]);
        sample.values.push_back(csr.values[p]);
        sample.squared_norm += value * value;
        sample.absolute_sum += std::abs(value);
    }
}

template <class Real>
void Queries<Real>::read(const Rows<Real>& rows, std::span<const Index> numbers) {
    numbers_.assign(numbers.begin(), numbers.end());
    if (const auto* dense = std::get_if<DenseRows<Real>>(&rows)) {
        read_dense(*dense);
    } else if (const auto* csr = std::get_if<CsrRows<Real>>(&rows)) {
        if (sparse_.size() < numbers.size()) sparse_.resize(numbers.size());
        for (Index m = 0; m < ssize(numbers); ++m) read_sparse(*csr, numbers[m], sparse_[m]);
    }
}

template <class Real>
void Queries<Real>::read_dense(const DenseRows<Real>& dense) {
    const Index d = dense.n_columns;
    first_ = dense.row(numbers_[0]).data();
    norms_.resize(capacity);
    if (numbers_.size() == 1) {
        norms_[0] = simd::loops<Real>().squared_norm(first_, d);
        return;
    }
    dense_.resize(d * capacity);
    for (Index m = 0; m < capacity; ++m) {
        // Lanes without a sample repeat the last one; nobody reads what comes of them.
        const auto row = dense.row(numbers_[std::min(m, ssize(numbers_) - 1)]);
        for (Index f = 0; f < ssize(row); ++f) dense_[f * capacity + m] = row[f];
    }
    for (Index m = 0; m < capacity; m += simd::lanes<Real>) {
        simd::loops<Real>().squared_norms(dense_.data() + m, capacity, d, norms_.data() + m);
    }
}

template <class Sum, class Real>
void SpreadTable<Sum, Real>::fill(Index n_features, const std::vector<SparseSample<Real>>& samples,
                                  Index n) {
    constexpr Index width = simd::max_queries;
    const Index room = n_features * width;
    if (ssize(lines) < room) {
        lines.assign(room, Sum{0});
    } else {
        for (const Index f : used)
            std::fill_n(lines.begin() + f * simd::max_queries, width, Sum{0});
    }
    used.clear();
    squared_norms.assign(width, Sum{0});
    absolute_sums.assign(width, Sum{0});
    for (Index m = 0; m < n; ++m) {
        const auto& sample = samples[m];
        squared_norms[m] = static_cast<Sum>(sample.squared_norm);
        absolute_sums[m] = static_cast<Sum>(sample.absolute_sum);
        for (Index k = 0; k < ssize(sample.columns); ++k) {
            const Index f = sample.columns[k];
            if (f >= n_features) break;
            lines[f * width + m] = static_cast<Sum>(sample.values[k]);
            used.push_back(f);
        }
    }
}

template void read_sparse(const CsrRows<float>&, Index, SparseSample<float>&);
template void read_sparse(const CsrRows<double>&, Index, SparseSample<double>&);
template struct SpreadTable<double, double>;
template struct SpreadTable<double, float>;
template struct SpreadTable<float, float>;
template class Queries<float>;
template class Queries<double>;

}  // namespace svmosaic
