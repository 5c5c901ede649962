#include "expansion/stored_rows.hpp"

#include <algorithm>

#include "core/aligned.hpp"
#include "simd/loops.hpp"

namespace svmosaic {

namespace {

// Sums that stay in the first cache while all rows pass by: 16 KB.
constexpr Index block_columns = 2048;

const double* row_at(const StoredRows& rows, Index place) {
    return rows.values.data() + place * rows.width;
}

}  // namespace

std::vector<double> sum_rows(const StoredRows& rows, std::span<const Index> places,
                             std::span<const double> weights) {
    AlignedVector<double> sums(rows.width, 0.0);
    const auto& loops = simd::loops<double>();
    for (Index begin = 0; begin < rows.width; begin += block_columns) {
        const Index n = std::min(block_columns, rows.width - begin);
        for (Index j = 0; j < ssize(places); ++j) {
            loops.add_scaled(row_at(rows, places[j]) + begin, weights[j], sums.data() + begin, n);
        }
    }
    return {sums.begin(), sums.begin() + rows.n_columns};
}

std::vector<double> gram_of_rows(const StoredRows& rows, std::span<const Index> places,
                                 std::span<const Index> instances) {
    const Index n = instances.size();
    std::vector<double> gram(n * n);
    // Row by row, each from the left to the right, since instances mostly ascend.
    for (Index i = 0; i < n; ++i) {
        const double* row = row_at(rows, places[i]);
        for (Index j = 0; j < n; ++j) gram[i * n + j] = row[instances[j]];
    }
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < i; ++j) {
            const double mean = (gram[i * n + j] + gram[j * n + i]) / 2.0;
            gram[i * n + j] = mean;
            gram[j * n + i] = mean;
        }
    }
    return gram;
}

}  // namespace svmosaic
