#include "core/boundary_pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/sampling.hpp"
#include "simd/loops.hpp"

namespace svmosaic {

namespace {

constexpr Index lanes = simd::lanes<float>;
// Samples of one class whose distances to all are kept, and those of the other that meet them.
constexpr Index strip_size = 256;
constexpr Index tile = 128;
constexpr Index first_chunk = 64;
constexpr Index last_chunk = 512;
// Pairs of 8 x 8 samples follow each other: their rows of a chunk stay in the fastest cache.
constexpr Index group = 8;
constexpr float far_away = std::numeric_limits<float>::infinity();

// The share of the squared diameter that rounding of the data may take.
template <class Real>
constexpr double tie_share = sizeof(Real) == sizeof(float) ? 1e-5 : 1e-12;

// All samples in the order in which they are tried, around their mean, in single precision; and as
// they are.
template <class Real>
class Samples {
  public:
    Samples(const DenseRows<Real>& rows, std::span<const Index> first,
            std::span<const Index> second)
        : rows_(rows), d_(rows.n_columns) {
        all_.assign(first.begin(), first.end());
        all_.insert(all_.end(), second.begin(), second.end());
        const std::vector<double> centre = mean();
        const std::vector<Index> order = order_of_trial(centre);
        place_.resize(all_.size());
        for (Index p = 0; p < ssize(order); ++p) place_[order[p]] = p;
        lay_out(order, centre);
        // Of the coordinates, and of the sums over features.
        constexpr double epsilon = 6e-8;
        doubt_of_root_ = static_cast<float>(epsilon * 16.0 * radius_);
        doubt_of_square_ =
            static_cast<float>(epsilon * 4.0 * static_cast<double>(d_ + 6) + 2.0 * tie_share<Real>);
    }

    Index size() const { return ssize(all_); }
    Index padded() const { return simd::round_up(size(), lanes); }
    // The place of sample i of the list first + second in the order of trial.
    Index place(Index i) const { return place_[i]; }

    // Squared distances of up to max_queries samples, by place, to those at begin .. end - 1.
    void distances(std::span<const Index> places, Index begin, Index end, float* const* out) const {
        AlignedVector<float> queries(simd::max_queries * d_);
        const Index n = ssize(places);
        for (Index m = 0; m < n; ++m) {
            const Index p = places[m];
            const float* x = blocks_.data() + p / lanes * lanes * d_ + p % lanes;
            for (Index f = 0; f < d_; ++f) queries[f * simd::max_queries + m] = x[f * lanes];
        }
        const Index padded_end = simd::round_up(end, lanes);
        simd::loops<float>().squared_distances_of(
            blocks_.data() + begin * d_, (padded_end - begin) / lanes, d_, queries.data(), n, out);
        for (Index m = 0; m < n; ++m) {
            // Neither the sample itself nor the padding can be inside a ball.
            const Index p = places[m];
            if (p >= begin && p < end) out[m][p - begin] = far_away;
            std::fill(out[m] + (end - begin), out[m] + (padded_end - begin), far_away);
        }
    }

    // How much d_ik^2 + d_jk^2 - d_ij^2 may be wrong in single precision, near zero.
    float doubt(float squared) const {
        return doubt_of_root_ * std::sqrt(squared) + doubt_of_square_ * squared;
    }

    // Whether sample k lies inside the ball of i and j, all by place: (x_k - x_i).(x_j - x_k) > 0.
    bool inside(Index i, Index j, Index k) const {
        const auto x = rows_.row(row_[i]);
        const auto z = rows_.row(row_[j]);
        const auto u = rows_.row(row_[k]);
        double product = 0.0;
        double squared = 0.0;
        for (Index f = 0; f < d_; ++f) {
            const auto a = static_cast<double>(x[f]);
            const auto b = static_cast<double>(z[f]);
            const auto c = static_cast<double>(u[f]);
            product += (c - a) * (b - c);
            squared += (b - a) * (b - a);
        }
        // d_ij^2 - d_ik^2 - d_jk^2 is twice the product.
        return 2.0 * product > tie_share<Real> * squared;
    }

  private:
    std::vector<double> mean() const {
        std::vector<double> sum(d_, 0.0);
        for (const Index row : all_) {
            const auto x = rows_.row(row);
            for (Index f = 0; f < d_; ++f) sum[f] += static_cast<double>(x[f]);
        }
        for (double& value : sum) value /= static_cast<double>(all_.size());
        return sum;
    }

    // In turn the next one from the centre outwards and the next one of a shuffled list. Samples
    // near the centre are inside most balls where the data are one cloud; where they are many, a
    // random one is as good as any.
    std::vector<Index> order_of_trial(const std::vector<double>& centre) const {
        const Index n = all_.size();
        std::vector<double> squared(n, 0.0);
        std::vector<Index> shuffled(n);
        for (Index i = 0; i < n; ++i) {
            const auto x = rows_.row(all_[i]);
            for (Index f = 0; f < d_; ++f) {
                const double value = static_cast<double>(x[f]) - centre[f];
                squared[i] += value * value;
            }
            shuffled[i] = i;
        }
        std::vector<Index> outwards = shuffled;
        std::stable_sort(outwards.begin(), outwards.end(),
                         [&](Index a, Index b) { return squared[a] < squared[b]; });
        Sampler(0).shuffle(shuffled);
        std::vector<Index> order;
        order.reserve(n);
        std::vector<char> listed(n, 0);
        for (Index i = 0; i < n; ++i) {
            for (const Index next : {outwards[i], shuffled[i]}) {
                if (listed[next]) continue;
                listed[next] = 1;
                order.push_back(next);
            }
        }
        return order;
    }

    void lay_out(const std::vector<Index>& order, const std::vector<double>& centre) {
        blocks_.assign(padded() * d_, 0.0F);
        row_.resize(all_.size());
        for (Index p = 0; p < ssize(order); ++p) {
            row_[p] = all_[order[p]];
            const auto x = rows_.row(row_[p]);
            float* block = blocks_.data() + p / lanes * lanes * d_ + p % lanes;
            double norm = 0.0;
            for (Index f = 0; f < d_; ++f) {
                const double value = static_cast<double>(x[f]) - centre[f];
                block[f * lanes] = static_cast<float>(value);
                norm += value * value;
            }
            radius_ = std::max(radius_, std::sqrt(norm));
        }
    }

    const DenseRows<Real>& rows_;
    Index d_;
    std::vector<Index> all_;  // rows of the table: first, then second
    std::vector<Index> row_;  // the same by place
    std::vector<Index> place_;
    AlignedVector<float> blocks_;
    double radius_ = 0.0;
    float doubt_of_root_ = 0.0F;
    float doubt_of_square_ = 0.0F;
};

// A pair of a tile that is still alive. A sum of squared distances below `low` is that of a sample
// inside the ball, one above `high` is not; in between single precision cannot tell.
struct Pair {
    std::uint16_t i, j;
    float low, high;
};

// For each sample of a strip, numbers within the second class, ascending.
using Partners = std::vector<std::vector<Index>>;

// The pairs of up to `strip_size` samples of the first class with all of the second.
template <class Real>
class Strip {
  public:
    Strip(const Samples<Real>& samples, Index begin, Index end, Index n_first)
        : samples_(samples),
          n_first_(n_first),
          stride_(samples.padded()),
          own_((end - begin) * stride_),
          other_(tile * last_chunk) {
        for (Index i = begin; i < end; ++i) own_places_.push_back(samples.place(i));
        fill(own_places_, 0, samples.size(), own_.data(), stride_);
    }

    // Appends to found[i], for the strip's sample i, those of the samples j = begin .. end - 1 of
    // the second class that it has a boundary point with, in their order.
    void pair_with(Index begin, Index end, Partners& found) {
        places_.clear();
        for (Index j = begin; j < end; ++j) places_.push_back(samples_.place(n_first_ + j));
        list_pairs();
        Index size = first_chunk;
        for (Index k = 0; k < samples_.size() && !alive_.empty(); k += size) {
            if (k >= 2 * size && size < last_chunk) size *= 2;
            cut(k, std::min(samples_.size(), k + size));
        }
        // Groups with the same i follow each other in the order of j, so nothing is left to sort.
        for (const Pair& pair : alive_) found[pair.i].push_back(begin + pair.j);
    }

  private:
    void fill(std::span<const Index> places, Index begin, Index end, float* out, Index stride) {
        const Index n = ssize(places);
        std::array<float*, simd::max_queries> lines{};
        for (Index m = 0; m < n; m += simd::max_queries) {
            const Index count = std::min(simd::max_queries, n - m);
            for (Index q = 0; q < count; ++q) lines[q] = out + (m + q) * stride;
            samples_.distances(places.subspan(m, count), begin, end, lines.data());
        }
    }

    void list_pairs() {
        alive_.resize(own_places_.size() * places_.size());
        Pair* next = alive_.data();
        for (Index i = 0; i < ssize(own_places_); i += group) {
            for (Index j = 0; j < ssize(places_); j += group) next = list_group(i, j, next);
        }
    }

    Pair* list_group(Index first_i, Index first_j, Pair* next) {
        const Index end_i = std::min(first_i + group, ssize(own_places_));
        const Index end_j = std::min(first_j + group, ssize(places_));
        for (Index i = first_i; i < end_i; ++i) {
            const float* line = own_.data() + i * stride_;
            for (Index j = first_j; j < end_j; ++j) {
                const float squared = line[places_[j]];
                const float doubt = samples_.doubt(squared);
                *next++ = {static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(j),
                           squared - doubt, squared + doubt};
            }
        }
        return next;
    }

    // Takes out the pairs with one of the samples begin .. end - 1 inside.
    void cut(Index begin, Index end) {
        fill(places_, begin, end, other_.data(), last_chunk);
        const Index padded = simd::round_up(end - begin, lanes);
        const auto& loops = simd::loops<float>();
        Index kept = 0;
        for (const Pair pair : alive_) {
            const float* a = own_.data() + Index{pair.i} * stride_ + begin;
            const float* b = other_.data() + Index{pair.j} * last_chunk;
            const float smallest = loops.smallest_sum(a, b, padded);
            if (smallest < pair.low) continue;
            if (!(smallest > pair.high) && holds_one(pair, begin, a, b, end - begin)) continue;
            alive_[kept++] = pair;
        }
        alive_.resize(kept);
    }

    // Tests in double precision the samples that single precision cannot tell.
    bool holds_one(const Pair& pair, Index begin, const float* a, const float* b, Index n) const {
        for (Index k = 0; k < n; ++k) {
            if (a[k] + b[k] > pair.high) continue;
            if (samples_.inside(own_places_[pair.i], places_[pair.j], begin + k)) return true;
        }
        return false;
    }

    const Samples<Real>& samples_;
    Index n_first_;
    Index stride_;
    std::vector<Index> own_places_;
    std::vector<Index> places_;
    AlignedVector<float> own_;    // distances of the strip's samples to all
    AlignedVector<float> other_;  // those of a tile's other samples to a chunk
    std::vector<Pair> alive_;
};

}  // namespace

template <class Real>
BoundaryPairs boundary_pairs(const DenseRows<Real>& rows, std::span<const Index> first,
                             std::span<const Index> second, ThreadPool& pool, Monitor& monitor) {
    const Samples<Real> samples(rows, first, second);
    const Index n_first = ssize(first);
    const Index n_second = ssize(second);
    const Index n_strips = (n_first + strip_size - 1) / strip_size;
    std::vector<Partners> found(n_strips);
    monitor.expect_problems(1);
    pool.run(
        n_strips,
        [&](Index s) {
            if (monitor.stopped()) return;
            const Index end = std::min(n_first, (s + 1) * strip_size);
            Strip<Real> strip(samples, s * strip_size, end, n_first);
            found[s].resize(end - s * strip_size);
            for (Index j = 0; j < n_second && !monitor.should_stop(); j += tile) {
                strip.pair_with(j, std::min(n_second, j + tile), found[s]);
            }
        },
        [&] { monitor.should_stop(0); });

    BoundaryPairs result;
    Index total = 0;
    for (const Partners& strip : found) {
        for (const auto& partners : strip) total += partners.size();
    }
    result.first.reserve(total);
    result.second.reserve(total);
    Index i = 0;
    for (const Partners& strip : found) {
        // A strip that was never begun, because the monitor asked to stop, has no lists.
        for (Index own = 0; own < ssize(strip); ++own) {
            for (const Index j : strip[own]) {
                result.first.push_back(first[i + own]);
                result.second.push_back(second[j]);
            }
        }
        i += strip_size;
    }
    return result;
}

template <class Real>
Midpoints<Real> midpoints(const DenseRows<Real>& rows, std::span<const Index> first,
                          std::span<const Index> second, ThreadPool& pool) {
    constexpr Index pairs_per_task = 4096;
    const Index n = ssize(first);
    const auto d = rows.n_columns;
    Midpoints<Real> result{UnsetVector<Real>(first.size() * d), UnsetVector<double>(first.size())};
    ask_for_large_pages(result.points.data(), result.points.size() * sizeof(Real));
    pool.run((n + pairs_per_task - 1) / pairs_per_task, [&](Index task) {
        const Index end = std::min(n, (task + 1) * pairs_per_task);
        for (Index p = task * pairs_per_task; p < end; ++p) {
            const auto x = rows.row(first[p]);
            const auto z = rows.row(second[p]);
            Real* point = result.points.data() + p * d;
            double sum = 0.0;
            for (Index f = 0; f < d; ++f) {
                // Halves first: a sum of two large numbers could overflow.
                point[f] = Real{0.5} * x[f] + Real{0.5} * z[f];
                const double half =
                    0.5 * static_cast<double>(x[f]) - 0.5 * static_cast<double>(z[f]);
                sum += half * half;
            }
            result.radii[p] = std::sqrt(sum);
        }
    });
    return result;
}

template BoundaryPairs boundary_pairs(const DenseRows<float>&, std::span<const Index>,
                                      std::span<const Index>, ThreadPool&, Monitor&);
template BoundaryPairs boundary_pairs(const DenseRows<double>&, std::span<const Index>,
                                      std::span<const Index>, ThreadPool&, Monitor&);

template Midpoints<float> midpoints(const DenseRows<float>&, std::span<const Index>,
                                    std::span<const Index>, ThreadPool&);
template Midpoints<double> midpoints(const DenseRows<double>&, std::span<const Index>,
                                     std::span<const Index>, ThreadPool&);

}  // namespace svmosaic
