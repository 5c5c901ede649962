#include "expansion/bag_kernel.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

#include "core/aligned.hpp"
#include "core/packed_rows.hpp"
#include "core/scratch_pool.hpp"
#include "simd/loops.hpp"

namespace svmosaic {

namespace {

constexpr Index capacity = simd::max_queries;
// Kernel values of this many instances with all queries stay in the first cache.
constexpr Index block_size = 128;
// Each squaring doubles the relative error of a value. After this many since its exponential, over
// as many gammas as it may be, a value has lost four bits, and the next gamma starts again.
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
    int spent = 0;  // squarings since the last exponential
    for (Index k = 1; k < ssize(widths); ++k) {
        double power = widths[k - 1].gamma;
        for (int s = 1; spent + s <= most_squarings; ++s) {
            power *= 2.0;
            if (power == widths[k].gamma) widths[k].n_squarings = s;
        }
        spent = widths[k].n_squarings == 0 ? 0 : spent + widths[k].n_squarings;
    }
    return widths;
}

// Consecutive bags whose instances are handled together.
struct Batch {
    Index begin;
    Index end;
};

// Large bags one by one, small ones as many as fill the queries.
std::vector<Batch> make_batches(std::span<const Index> offsets) {
    std::vector<Batch> batches;
    const Index n_bags = ssize(offsets) - 1;
    for (Index begin = 0; begin < n_bags;) {
        Index end = begin + 1;
        while (end < n_bags && offsets[end + 1] - offsets[begin] <= capacity) ++end;
        batches.push_back({begin, end});
        begin = end;
    }
    return batches;
}

// For each bag of a batch, kernel values summed over its instances, at the instances of this batch
// and of all bags after it.
template <class Real>
class BagSums {
  public:
    BagSums(const Rows<Real>& rows, const PackedRows<Real>& packed, const WeightedBags& bags,
            const std::vector<Width>& widths, Index most_bags)
        : rows_(rows),
          packed_(packed),
          bags_(bags),
          widths_(widths),
          room_(simd::round_up(packed.chunk_capacity(), simd::lanes<Real>)),
          stride_(simd::round_up(bags.n_instances(), simd::lanes<Real>)),
          distances_(room_ * capacity),
          values_(block_size * capacity),
          sums_(most_bags * bags.n_weights() * ssize(widths) * stride_) {
        for (Index m = 0; m < capacity; ++m) {
            distances_of_[m] = distances_.data() + m * room_;
            values_of_[m] = values_.data() + m * block_size;
        }
    }

    // sum_i w_i k(x_i, x_j) over the instances i of a bag, at [j].
    double* sums(Index bag, Index w, Index g) {
        const Index place = (bag - batch_.begin) * bags_.n_weights() + w;
        return sums_.data() + (place * ssize(widths_) + g) * stride_;
    }

    void compute(const Batch& batch, Monitor& monitor) {
        batch_ = batch;
        const Index begin = bags_.offsets[batch.begin];
        const Index end = bags_.offsets[batch.end];
        const Index first_chunk = packed_.chunk_of(begin);
        const Index from = packed_.chunk_begin(first_chunk);
        for (Index bag = batch.begin; bag < batch.end; ++bag) {
            for (Index w = 0; w < bags_.n_weights(); ++w) {
                for (Index g = 0; g < ssize(widths_); ++g) {
                    std::fill_n(sums(bag, w, g) + from, stride_ - from, 0.0);
                }
            }
        }
        for (first_ = begin; first_ < end; first_ += capacity) {
            if (monitor.should_stop(0)) return;
            read(std::min(capacity, end - first_));
            for (Index chunk = first_chunk; chunk < packed_.n_chunks(); ++chunk) add_chunk(chunk);
        }
    }

  private:
    void read(Index count) {
        std::array<Index, capacity> numbers;
        std::iota(numbers.begin(), numbers.begin() + count, first_);
        packed_.read(rows_, std::span<const Index>(numbers).first(count), queries_);
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
        for (const auto& width : widths_) {
            for (Index m = 0; m < queries_.size(); ++m) {
                if (width.n_squarings == 0) {
                    std::copy_n(distances_of_[m] + i, n, values_of_[m]);
                    simd::loops<double>().scaled_exp(values_of_[m], n, -width.gamma);
                }
                for (int s = 0; s < width.n_squarings; ++s) square(values_of_[m], n);
            }
            for (Index bag = batch_.begin; bag < batch_.end; ++bag) {
                add_values(bag, width.place, begin + i, n);
            }
        }
    }

    // Adds the values of those queries that are instances of a bag.
    void add_values(Index bag, Index g, Index at, Index n) {
        const Index begin = std::max(bags_.offsets[bag], first_);
        const Index end = std::min(bags_.offsets[bag + 1], first_ + queries_.size());
        if (begin >= end) return;
        for (Index w = 0; w < bags_.n_weights(); ++w) {
            simd::loops<double>().add_columns(
                values_of_.data() + (begin - first_), end - begin,
                bags_.weights.data() + w * bags_.n_instances() + begin, sums(bag, w, g) + at, n);
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
    Batch batch_{0, 0};
    Index first_ = 0;  // of the queries, among the instances
};

// Copies the upper half of a square matrix to the lower one, by tiles that stay in the cache.
void mirror(double* matrix, Index n) {
    constexpr Index tile = 32;
    for (Index first = 0; first < n; first += tile) {
        for (Index a = first; a < n; ++a) {
            const Index end = std::min(first + tile, a);
            for (Index b = first; b < end; ++b) matrix[a * n + b] = matrix[b * n + a];
        }
    }
}

}  // namespace

template <class Real>
std::vector<double> rbf_between_bags(const Rows<Real>& rows, const WeightedBags& bags,
                                     std::span<const double> gammas, ThreadPool& pool,
                                     Monitor& monitor) {
    const Index n_bags = bags.n_bags();
    const Index n_weights = bags.n_weights();
    const Index n_gammas = ssize(gammas);
    std::vector<double> result(n_weights * n_gammas * n_bags * n_bags);
    const std::vector<Index> all = count_up(bags.n_instances());
    // Of the linear kernel: differences, which suit all gammas.
    const Layout layout =
        best_layout({KernelKind::linear, 1.0, 3, 0.0}, rows, std::span<const Index>(all));
    const PackedRows<Real> packed(rows, all, layout);
    const auto widths = plan_widths(gammas);
    const auto batches = make_batches(bags.offsets);
    Index most_bags = 0;
    for (const auto& batch : batches) most_bags = std::max(most_bags, batch.end - batch.begin);
    ScratchPool<BagSums<Real>> idle;
    // Between a bag and one that does not come before it.
    const auto write = [&](BagSums<Real>& sums, Index a, Index b, Index w, Index g) {
        const double* weights = bags.weights.data() + w * bags.n_instances();
        const double* values = sums.sums(a, w, g);
        double sum = 0.0;
        for (Index j = bags.offsets[b]; j < bags.offsets[b + 1]; ++j) sum += weights[j] * values[j];
        double* matrix = result.data() + (w * n_gammas + g) * n_bags * n_bags;
        matrix[a * n_bags + b] = sum;
    };
    pool.run(
        ssize(batches),
        [&](Index k) {
            if (monitor.stopped()) return;
            auto sums = idle.borrow(rows, packed, bags, widths, most_bags);
            sums->compute(batches[k], monitor);
            for (Index a = batches[k].begin; a < batches[k].end; ++a) {
                for (Index b = a; b < n_bags; ++b) {
                    for (Index w = 0; w < n_weights; ++w) {
                        for (Index g = 0; g < n_gammas; ++g) write(*sums, a, b, w, g);
                    }
                }
            }
            idle.give_back(std::move(sums));
        },
        [&] { monitor.should_stop(0); });
    for (Index k = 0; k < n_weights * n_gammas; ++k) {
        mirror(result.data() + k * n_bags * n_bags, n_bags);
    }
    return result;
}

template std::vector<double> rbf_between_bags(const Rows<float>&, const WeightedBags&,
                                              std::span<const double>, ThreadPool&, Monitor&);
template std::vector<double> rbf_between_bags(const Rows<double>&, const WeightedBags&,
                                              std::span<const double>, ThreadPool&, Monitor&);

}  // namespace svmosaic
