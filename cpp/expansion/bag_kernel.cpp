#include "expansion/bag_kernel.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/aligned.hpp"
#include "core/packed_rows.hpp"
#include "simd/loops.hpp"

namespace svmosaic {

namespace {

constexpr Index capacity = simd::max_queries;
// Kernel values of this many instances with all queries stay in the first cache.
constexpr Index block_size = 128;
// A value that is squared this often has lost four bits.
constexpr int most_squarings = 4;

// How the kernel values of one gamma are computed: from the distances, or as powers of the values
// of the gamma before it.
struct Width {
    Index place;  // among the gammas as they are given
    double gamma;
    int n_squarings;  // 0: from the distances
};

std::vector<Width> plan_widths(std::span<const double> gammas) {
    std::vector<Width> widths;
    for (Index g = 0; g < ssize(gammas); ++g) widths.push_back({g, gammas[g], 0});
    std::ranges::sort(widths, {}, &Width::gamma);
    for (Index k = 1; k < ssize(widths); ++k) {
        double power = widths[k - 1].gamma;
        for (int s = 1; s <= most_squarings; ++s) {
            power *= 2.0;
            if (power == widths[k].gamma) widths[k].n_squarings = s;
        }
    }
    return widths;
}

// Kernel values between the instances of one bag and those of this bag and of all after it, summed
// over the instances of the bag.
template <class Real>
class BagSums {
  public:
    BagSums(const Rows<Real>& rows, const PackedRows<Real>& packed, const WeightedBags& bags,
            std::span<const Width> widths)
        : rows_(rows),
          packed_(packed),
          bags_(bags),
          widths_(widths),
          room_(simd::round_up(packed.chunk_capacity(), simd::lanes<Real>)),
          stride_(simd::round_up(bags.n_instances(), simd::lanes<Real>)),
          distances_(room_ * capacity),
          values_(block_size * capacity),
          sums_(bags.n_weights() * ssize(widths) * stride_) {
        for (Index m = 0; m < capacity; ++m) {
            distances_of_[m] = distances_.data() + m * room_;
            values_of_[m] = values_.data() + m * block_size;
        }
    }

    // sum_i w_i k(x_i, x_j) for all j of a later bag, at [j].
    const double* sums(Index w, Index g) const {
        return sums_.data() + (w * ssize(widths_) + g) * stride_;
    }

    void add(Index bag, Monitor& monitor) {
        const Index first_chunk = packed_.chunk_of(bags_.offsets[bag]);
        for (Index k = 0; k < ssize(sums_); k += stride_) {
            std::fill_n(sums_.begin() + k + packed_.chunk_begin(first_chunk),
                        stride_ - packed_.chunk_begin(first_chunk), 0.0);
        }
        const Index end = bags_.offsets[bag + 1];
        for (Index first = bags_.offsets[bag]; first < end; first += capacity) {
            if (monitor.should_stop(0)) return;
            read(first, std::min(capacity, end - first));
            for (Index chunk = first_chunk; chunk < packed_.n_chunks(); ++chunk) add_chunk(chunk);
        }
    }

  private:
    void read(Index first, Index count) {
        std::array<Index, capacity> numbers;
        std::iota(numbers.begin(), numbers.begin() + count, first);
        packed_.read(rows_, std::span<const Index>(numbers).first(count), queries_);
        first_ = first;
    }

    void add_chunk(Index chunk) {
        const Index begin = packed_.chunk_begin(chunk);
        const Index n = simd::round_up(packed_.chunk_end(chunk) - begin, simd::lanes<Real>);
        packed_.base_values(PairValue::squared_distance, queries_, chunk, distances_of_.data());
        for (Index i = 0; i < n; i += block_size) {
            add_block(begin, i, std::min(block_size, n - i));
        }
    }

    // Over n instances of a chunk, from number i of it on.
    void add_block(Index begin, Index i, Index n) {
        const auto& loops = simd::loops<double>();
        const Index count = queries_.size();
        for (const auto& width : widths_) {
            for (Index m = 0; m < count; ++m) {
                if (width.n_squarings == 0) {
                    std::copy_n(distances_of_[m] + i, n, values_of_[m]);
                    loops.scaled_exp(values_of_[m], n, -width.gamma);
                }
                for (int s = 0; s < width.n_squarings; ++s) square(values_of_[m], n);
            }
            for (Index w = 0; w < bags_.n_weights(); ++w) {
                double* sums = sums_.data() + (w * ssize(widths_) + width.place) * stride_;
                loops.add_columns(values_of_.data(), count,
                                  bags_.weights.data() + w * bags_.n_instances() + first_,
                                  sums + begin + i, n);
            }
        }
    }

    static void square(double* values, Index n) {
        for (Index i = 0; i < n; ++i) values[i] *= values[i];
    }

    const Rows<Real>& rows_;
    const PackedRows<Real>& packed_;
    const WeightedBags& bags_;
    std::span<const Width> widths_;
    Index room_;
    Index stride_;
    AlignedVector<Real> distances_;
    AlignedVector<double> values_, sums_;
    std::array<Real*, capacity> distances_of_;
    std::array<double*, capacity> values_of_;
    Queries<Real> queries_;
    Index first_ = 0;  // of the queries, among the instances
};

}  // namespace

template <class Real>
std::vector<double> rbf_between_bags(const Rows<Real>& rows, const WeightedBags& bags,
                                     std::span<const double> gammas, ThreadPool& pool,
                                     Monitor& monitor) {
    const Index n_bags = bags.n_bags();
    const Index n_weights = bags.n_weights();
    const Index n_gammas = ssize(gammas);
    std::vector<double> result(n_weights * n_gammas * n_bags * n_bags);
    std::vector<Index> all = count_up(bags.n_instances());
    // Of the linear kernel: differences, which suit all gammas.
    const PackedRows<Real> packed(
        rows, all,
        best_layout({KernelKind::linear, 1.0, 3, 0.0}, rows, std::span<const Index>(all)));
    const auto widths = plan_widths(gammas);
    pool.run(
        n_bags,
        [&](Index a) {
            if (monitor.stopped()) return;
            BagSums<Real> sums(rows, packed, bags, widths);
            sums.add(a, monitor);
            for (Index w = 0; w < n_weights; ++w) {
                const double* weights = bags.weights.data() + w * bags.n_instances();
                for (Index g = 0; g < n_gammas; ++g) {
                    double* matrix = result.data() + (w * n_gammas + g) * n_bags * n_bags;
                    const double* values = sums.sums(w, g);
                    for (Index b = a; b < n_bags; ++b) {
                        double sum = 0.0;
                        for (Index j = bags.offsets[b]; j < bags.offsets[b + 1]; ++j) {
                            sum += weights[j] * values[j];
                        }
                        matrix[a * n_bags + b] = sum;
                        matrix[b * n_bags + a] = sum;
                    }
                }
            }
        },
        [&] { monitor.should_stop(0); });
    return result;
}

template std::vector<double> rbf_between_bags(const Rows<float>&, const WeightedBags&,
                                              std::span<const double>, ThreadPool&, Monitor&);
template std::vector<double> rbf_between_bags(const Rows<double>&, const WeightedBags&,
                                              std::span<const double>, ThreadPool&, Monitor&);

}  // namespace svmosaic
