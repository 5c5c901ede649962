#include "solvers/block_steps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <variant>

#include "core/packed_rows.hpp"
#include "simd/loops.hpp"

namespace svmosaic {

namespace {

// From this many variables on, blocks are worthwhile. Without clusters they are large, because the
// variables that violate the conditions most are much alike: when one has moved, many need not.
constexpr Index least_without_clusters = 8192;
constexpr Index least_with_clusters = 1024;
// Linear functions of few features: what one pair gains, the next ones undo.
constexpr Index least_if_linear = 2048;
constexpr Index least_in_block = 256;
constexpr Index most_in_block = 2048;
// Between sweeps, a block only has to balance the clusters.
constexpr Index most_between_sweeps = 1024;
constexpr Index blocks_between_sweeps = 2;
// Most problems take fewer steps. In those that do not, distant variables depend on each other, and
// what helps is larger blocks, or pairs among all variables of a problem that is not large.
constexpr Index patience = 96;
// Variables in a cluster: small clusters have more threads at work, large ones need fewer sweeps.
constexpr Index least_in_cluster = 500;
constexpr Index most_in_cluster = 2000;
constexpr Index best_number_of_clusters = 16;
// How many of a cluster form its block: every second one, but not too many.
constexpr Index most_of_cluster = 512;
// Clusters that hinder each other are joined, and parted again when they do not.
constexpr double short_step = 0.5;
constexpr double long_step = 0.95;
// A block need not be solved much better than the rest is.
constexpr double looseness = 0.1;
constexpr Index updates_per_variable = 20;
// Columns that are added to the gradient together.
constexpr Index most_in_spread = 256;
constexpr Index least_in_spread = 16;
// Kernel values that are computed between two questions to the monitor.
constexpr Index most_values = Index{1} << 24;
// Gradients that stay in the first-level cache while columns pass by, and those that are worth a
// thread.
constexpr Index most_in_range = 2048;
constexpr Index least_in_range = 256;

// How far to go from beta towards `goal`: where the dual objective is least along the way, whose
// derivative at t is  slope + t curve + epsilon sum_i sign(beta_i + t d_i) d_i.
double best_length(const DualVariables& v, std::span<const Index> moved,
                   std::span<const double> goal, std::span<const double> product) {
    double slope = 0.0;
    double curve = 0.0;
    // Where a variable meets zero, and by how much the derivative grows there.
    std::vector<std::pair<double, double>> kinks;
    for (Index a = 0; a < ssize(moved); ++a) {
        const Index k = moved[a];
        const double d = goal[a] - v.beta[k];
        slope += v.gradient[k] * d;
        curve += product[k] * d;
        if (v.epsilon == 0.0) continue;
        const double sign =
            v.beta[k] != 0.0 ? std::copysign(1.0, v.beta[k]) : std::copysign(1.0, d);
        slope += v.epsilon * sign * d;
        if (v.beta[k] * goal[a] < 0.0) {
            kinks.emplace_back(-v.beta[k] / d, 2.0 * v.epsilon * std::abs(d));
        }
    }
    std::sort(kinks.begin(), kinks.end());
    for (const auto& [length, growth] : kinks) {
        if (slope + length * curve >= 0.0) break;
        slope += growth;
        if (slope + length * curve >= 0.0) return length;
    }
    return curve > 0.0 ? std::clamp(-slope / curve, 0.0, 1.0) : 1.0;
}

// The kernel matrix of a block, row by row.
template <class Real>
class RowsOfBlock {
  public:
    RowsOfBlock(KernelColumns<Real>& columns, const std::vector<Index>& block)
        : columns_(columns), block_(block) {
        if (!are_cheap()) return;
        const auto& computer = columns.computer();
        for (const Index k : block) samples_.push_back(computer.samples()[k]);
        packed_.emplace(computer.rows(), samples_, computer.layout());
    }

    // A callback knows only whole columns.
    bool are_cheap() const {
        return !std::holds_alternative<CallbackRows<Real>>(columns_.computer().rows());
    }

    // Rows come in groups, each of which takes hardly longer than a row.
    Index group_size() const { return are_cheap() ? columns_.computer().cheap_block() : 1; }
    Index n_groups() const { return (ssize(block_) + group_size() - 1) / group_size(); }

    // To be called in one thread if rows are dear.
    void write(Index group, BoxDual<Real>& box) const {
        if (!packed_) {
            const Real* column = columns_.column(block_[group]);
            Real* row = box.matrix_row(group);
            for (Index b = 0; b < ssize(block_); ++b) row[b] = column[block_[b]];
            return;
        }
        const Index first = group * group_size();
        const Index count = std::min(group_size(), ssize(block_) - first);
        const auto& computer = columns_.computer();
        thread_local Queries<Real> queries;
        packed_->read(computer.rows(), std::span(samples_).subspan(first, count), queries);
        std::array<Real*, Queries<Real>::capacity> part;
        for (Index chunk = 0; chunk < packed_->n_chunks(); ++chunk) {
            for (Index q = 0; q < count; ++q) {
                part[q] = box.matrix_row(first + q) + packed_->chunk_begin(chunk);
            }
            packed_->kernel_chunk(computer.kernel(), queries, chunk, part.data());
        }
    }

  private:
    KernelColumns<Real>& columns_;
    const std::vector<Index>& block_;
    std::vector<Index> samples_;
    std::optional<PackedRows<Real>> packed_;
};

}  // namespace

Index values_in_blocks(Index n_samples, Index n_threads) {
    if (n_samples < least_with_clusters) return 0;
    const Index in_sweep = n_threads * most_of_cluster * most_of_cluster;
    return std::max(most_in_block * most_in_block,
                    in_sweep + most_between_sweeps * most_between_sweeps);
}

std::vector<Index> MostUrgent::of(const DualVariables& v, std::span<const Index> numbers, Index n) {
    std::vector<Index> chosen;
    const auto take_best = [&](Index count, const auto& urgency) {
        candidates_.clear();
        if (count == 0) return;
        double least = 0.0;
        for (const Index k : numbers) {
            const double value = urgency(k);
            if (!(value > least)) continue;
            candidates_.emplace_back(-value, k);
            // Now and then the list is cut back to the best, which most of the others are not.
            if (ssize(candidates_) < 4 * count + 64) continue;
            std::nth_element(candidates_.begin(), candidates_.begin() + count - 1,
                             candidates_.end());
            candidates_.resize(count);
            least = -candidates_.back().first;
        }
        if (count < ssize(candidates_)) {
            std::nth_element(candidates_.begin(), candidates_.begin() + count - 1,
                             candidates_.end());
            candidates_.resize(count);
        }
        for (const auto& candidate : candidates_) chosen.push_back(candidate.second);
    };
    const double lowest = v.extremes.lowest_up.value;
    const double highest = v.extremes.highest_low;
    take_best(n / 2, [&](Index k) { return highest - (v.gradient[k] + v.up[k]); });
    // A free variable may be urgent on both sides.
    const auto first = ssize(chosen);
    std::sort(chosen.begin(), chosen.end());
    take_best(n - first, [&](Index k) {
        const double value = (v.gradient[k] + v.low[k]) - lowest;
        const auto end = chosen.begin() + first;
        return value > 0.0 && std::binary_search(chosen.begin(), end, k) ? 0.0 : value;
    });
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

template <class Real>
bool BlockSteps<Real>::gains() const {
    if (by_likeness_ && n_steps_ < patience) return ssize(order_) >= least_with_clusters;
    const bool is_linear = columns_.computer().kernel().kind == KernelKind::linear;
    return ssize(order_) >= (is_linear ? least_if_linear : least_without_clusters);
}

template <class Real>
Index BlockSteps<Real>::cluster_size() const {
    return std::clamp(ssize(order_) / best_number_of_clusters, least_in_cluster, most_in_cluster);
}

template <class Real>
Index BlockSteps<Real>::step(DualVariables& v, double tol, SolveCounters& counters,
                             Monitor& monitor) {
    const Index most_clusters = ssize(order_) / cluster_size();
    const bool is_turn_of_sweep = by_likeness_ && n_steps_++ % (1 + blocks_between_sweeps) == 0;
    const Index n_clusters = is_turn_of_sweep ? std::min(n_clusters_, most_clusters) : 1;
    if (n_clusters > 1) {
        const Goal goal = solve_blocks(v, n_clusters, tol, monitor);
        counters.n_kernel_values += goal.n_kernel_values;
        // Every cluster may be content while the whole is not: then it takes a single block.
        if (goal.n_updates > 0) {
            if (!multiply(v, goal, monitor)) return 0;
            const double length = best_length(v, goal.moved, goal.beta, product_);
            go(goal, length, v);
            counters.add_sweep(n_clusters, length);
            if (length < short_step) n_clusters_ = std::max<Index>(1, n_clusters / 2);
            if (length > long_step) n_clusters_ = 2 * n_clusters;
            return goal.n_updates;
        }
    }
    const Goal goal = solve_blocks(v, 1, tol, monitor);
    counters.n_kernel_values += goal.n_kernel_values;
    ++counters.n_blocks;
    if (goal.n_updates == 0 || !multiply(v, goal, monitor)) return 0;
    go(goal, 1.0, v);
    return goal.n_updates;
}

template <class Real>
typename BlockSteps<Real>::Goal BlockSteps<Real>::solve_blocks(const DualVariables& v,
                                                               Index n_clusters, double tol,
                                                               Monitor& monitor) {
    const Index n = ssize(order_);
    const bool is_easy = by_likeness_ && n_steps_ < patience;
    const Index most = is_easy ? most_between_sweeps : most_in_block;
    const Index size = n_clusters > 1 ? std::min(most_of_cluster, cluster_size() / 2)
                                      : std::clamp(n / 8, least_in_block, most);
    std::vector<Goal> goals(n_clusters);
    columns_.computer().pool().run(
        n_clusters,
        [&](Index c) {
            if (monitor.should_stop(0)) return;
            const Index begin = n * c / n_clusters;
            const Index end = n * (c + 1) / n_clusters;
            const auto cluster = std::span<const Index>(order_).subspan(begin, end - begin);
            auto scratch = scratch_.borrow();
            const auto block = scratch->most_urgent.of(v, cluster, size);
            goals[c] = solve_block(v, block, tol, n_clusters == 1, *scratch);
            scratch_.give_back(std::move(scratch));
        },
        [&] { monitor.should_stop(0); });
    Goal joint;
    if (monitor.stopped()) return joint;
    for (const Goal& goal : goals) {
        joint.moved.insert(joint.moved.end(), goal.moved.begin(), goal.moved.end());
        joint.beta.insert(joint.beta.end(), goal.beta.begin(), goal.beta.end());
        joint.n_updates += goal.n_updates;
        joint.n_kernel_values += goal.n_kernel_values;
    }
    return joint;
}

template <class Real>
typename BlockSteps<Real>::Goal BlockSteps<Real>::solve_block(const DualVariables& v,
                                                              const std::vector<Index>& block,
                                                              double tol, bool alone,
                                                              Scratch& scratch) {
    const Index m = ssize(block);
    auto& box = scratch.box;
    box.resize(m);
    for (Index a = 0; a < m; ++a) {
        const Index k = block[a];
        box.set(a, v.diagonal[k], 0.0, v.lower[k], v.upper[k], v.beta[k], v.gradient[k]);
        box.clear_padding(a);
    }
    box.set_epsilon(v.epsilon);
    // A row of the block's matrix is computed when its variable first moves. A block that is alone
    // has all threads for it, which compute the whole matrix before they could agree on some rows.
    const RowsOfBlock<Real> rows(columns_, block);
    ThreadPool& pool = columns_.computer().pool();
    std::vector<bool> has_group(rows.n_groups(), false);
    if (alone && rows.are_cheap() && pool.n_threads() > 1) {
        pool.run(rows.n_groups(), [&](Index group) { rows.write(group, box); });
        has_group.assign(has_group.size(), true);
    }
    std::vector<bool> was_asked_for(m, false);
    Goal goal;
    const auto row_of = [&](Index a) {
        const Index group = a / rows.group_size();
        if (!has_group[group]) rows.write(group, box);
        has_group[group] = true;
        // How many are computed depends on the threads, so that only those count that are used.
        if (!was_asked_for[a]) goal.n_kernel_values += m;
        was_asked_for[a] = true;
        return box.matrix_row(a);
    };
    box.look();
    goal.n_updates = box.solve_pairs(std::max(tol, looseness * box.violation()),
                                     updates_per_variable * m, row_of);
    for (Index a = 0; a < m; ++a) {
        if (box.beta(a) == v.beta[block[a]]) continue;
        goal.moved.push_back(block[a]);
        goal.beta.push_back(box.beta(a));
    }
    return goal;
}

template <class Real>
bool BlockSteps<Real>::multiply(const DualVariables& v, const Goal& goal, Monitor& monitor) {
    const auto& loops = simd::loops<Real>();
    const Index n = columns_.padded_size();
    product_.assign(n, 0.0);
    // A long way over many samples: Ctrl-C does not wait for its end.
    const Index often = std::clamp(most_values / n, least_in_spread, most_in_spread);
    const Index step = std::min(columns_.capacity(), often);
    for (Index first = 0; first < ssize(goal.moved); first += step) {
        if (monitor.should_stop(0)) return false;
        const Index count = std::min(step, ssize(goal.moved) - first);
        const auto moved = std::span(goal.moved).subspan(first, count);
        columns_.prefetch(moved);
        std::vector<const Real*> column;
        std::vector<double> change;
        for (Index a = 0; a < count; ++a) {
            column.push_back(columns_.column(moved[a]));
            change.push_back(goal.beta[first + a] - v.beta[moved[a]]);
        }
        ThreadPool& pool = columns_.computer().pool();
        const Index share = simd::round_up(n / pool.n_threads(), simd::lanes<Real>);
        const Index size = std::clamp(share, least_in_range, most_in_range);
        pool.run((n + size - 1) / size, [&](Index range) {
            const Index begin = range * size;
            const Index length = std::min(size, n - begin);
            for (Index a = 0; a < count; ++a) {
                loops.add_scaled(column[a] + begin, change[a], product_.data() + begin, length);
            }
        });
    }
    return true;
}

template <class Real>
void BlockSteps<Real>::go(const Goal& goal, double length, DualVariables& v) const {
    for (Index a = 0; a < ssize(goal.moved); ++a) {
        const Index k = goal.moved[a];
        const double beta = v.beta[k] + length * (goal.beta[a] - v.beta[k]);
        // The goal may be a bound, which has to be met exactly.
        v.beta[k] = length == 1.0 ? goal.beta[a] : std::clamp(beta, v.lower[k], v.upper[k]);
        v.mark(k);
    }
    for (Index k = 0; k < v.padded(); ++k) v.gradient[k] += length * product_[k];
}

template class BlockSteps<float>;
template class BlockSteps<double>;

}  // namespace svmosaic
