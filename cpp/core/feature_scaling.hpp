// Moments of the features of dense rows, and rows scaled by them.
#pragma once

#include <span>
#include <vector>

#include "core/rows.hpp"

namespace svmosaic {

struct FeatureMoments {
    std::vector<double> means;
    std::vector<double> deviations;  // roots of the mean squares of the differences from the mean
};

// In the order of the rows, in two passes.
template <class Real>
FeatureMoments feature_moments(const DenseRows<Real>& rows);

// Writes (x - offset) / scale, feature by feature, as single precision. What leaves [-1e6, 1e6] is
// set to its ends: far outside of what was seen all that matters is "far", and squares stay finite.
template <class Real>
void scale_features(const DenseRows<Real>& rows, std::span<const double> offset,
                    std::span<const double> scale, std::span<float> scaled);

}  // namespace svmosaic
