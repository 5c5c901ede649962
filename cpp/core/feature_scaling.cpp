#include "core/feature_scaling.hpp"

#include <algorithm>
#include <cmath>

namespace svmosaic {

namespace {

constexpr double far_away = 1e6;

}  // namespace

template <class Real>
FeatureMoments feature_moments(const DenseRows<Real>& rows) {
    const Index n_columns = rows.n_columns;
    const auto n = static_cast<double>(rows.n_rows);
    FeatureMoments moments{std::vector<double>(n_columns), std::vector<double>(n_columns)};
    double* const means = moments.means.data();
    double* const squares = moments.deviations.data();
    const Real* row = rows.values;
    for (Index i = 0; i < rows.n_rows; ++i, row += n_columns) {
        for (Index j = 0; j < n_columns; ++j) means[j] += static_cast<double>(row[j]);
    }
    for (Index j = 0; j < n_columns; ++j) means[j] /= n;
    row = rows.values;
    for (Index i = 0; i < rows.n_rows; ++i, row += n_columns) {
        for (Index j = 0; j < n_columns; ++j) {
            const double difference = static_cast<double>(row[j]) - means[j];
            squares[j] += difference * difference;
        }
    }
    for (Index j = 0; j < n_columns; ++j) squares[j] = std::sqrt(squares[j] / n);
    return moments;
}

template <class Real>
void scale_features(const DenseRows<Real>& rows, std::span<const double> offset,
                    std::span<const double> scale, std::span<float> scaled) {
    const Real* row = rows.values;
    float* out = scaled.data();
    for (Index i = 0; i < rows.n_rows; ++i, row += rows.n_columns, out += rows.n_columns) {
        for (Index j = 0; j < rows.n_columns; ++j) {
            const double value = (static_cast<double>(row[j]) - offset[j]) / scale[j];
            out[j] = static_cast<float>(std::clamp(value, -far_away, far_away));
        }
    }
}

template FeatureMoments feature_moments(const DenseRows<float>&);
template FeatureMoments feature_moments(const DenseRows<double>&);
template void scale_features(const DenseRows<float>&, std::span<const double>,
                             std::span<const double>, std::span<float>);
template void scale_features(const DenseRows<double>&, std::span<const double>,
                             std::span<const double>, std::span<float>);

}  // namespace svmosaic
