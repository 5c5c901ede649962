#include "expansion/bag_kernel.hpp"

#include <algorithm>

#include "core/aligned.hpp"
#include "simd/loops.hpp"

namespace svmosaic {

std::vector<double> rbf_between_bags(std::span<const double> distances, const WeightedBags& bags,
                                     double gamma) {
    const auto& loops = simd::loops<double>();
    const Index n = bags.n_instances();
    const Index n_bags = bags.n_bags();
    const Index room = simd::round_up(n, simd::lanes<double>);
    AlignedVector<double> values(room, 0.0);
    AlignedVector<double> sums(room);
    std::vector<double> result(n_bags * n_bags);
    for (Index a = 0; a < n_bags; ++a) {
        // Over the instances of this bag and of those after it.
        const Index first = bags.offsets[a];
        const Index length = n - first;
        const Index padded = simd::round_up(length, simd::lanes<double>);
        std::fill_n(sums.begin(), padded, 0.0);
        for (Index i = first; i < bags.offsets[a + 1]; ++i) {
            std::copy_n(distances.begin() + i * n + first, length, values.begin());
            loops.scaled_exp(values.data(), padded, -gamma);
            loops.add_scaled(values.data(), bags.weights[i], sums.data(), padded);
        }
        for (Index b = a; b < n_bags; ++b) {
            double sum = 0.0;
            for (Index j = bags.offsets[b]; j < bags.offsets[b + 1]; ++j) {
                sum += bags.weights[j] * sums[j - first];
            }
            result[a * n_bags + b] = sum;
            result[b * n_bags + a] = sum;
        }
    }
    return result;
}

}  // namespace svmosaic
