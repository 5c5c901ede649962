#include "solvers/ollawv.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "simd/loops.hpp"

namespace svmosaic {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Scores closer than this, relative to the largest k(x, x), differ by rounding only.
constexpr double rounding = 1e-12;
// A remaining weight below this is a rounding error, not a fraction of a sample.
constexpr double least_weight = 1e-12;

double learning_rate(LearningRate rate, Index t) {
    const auto step = static_cast<double>(t);
    switch (rate) {
        case LearningRate::two_over_sqrt:
            return 2.0 / std::sqrt(step);
        case LearningRate::one_over_sqrt:
            return 1.0 / std::sqrt(step);
        case LearningRate::one_over:
            break;
    }
    return 1.0 / step;
}

struct Violator {
    Index sample;
    double score;  // its y f(x)
};

// The pool of samples not yet used up, with their scores y f(x).
template <class Real>
class Pool {
  public:
    Pool(const Problem& problem, KernelColumns<Real>& columns, bool keep_columns)
        : columns_(columns),
          keep_columns_(keep_columns),
          ahead_(columns.gains_by_blocks()),
          n_ahead_(columns.cheap_block()),
          targets_(static_cast<std::size_t>(columns.padded_size()), 1.0),
          scores_(static_cast<std::size_t>(columns.padded_size()), infinity),
          chunk_lowest_(static_cast<std::size_t>(columns.n_chunks()), infinity),
          chunk_begin_(static_cast<std::size_t>(columns.n_chunks()), 0) {
        std::copy(problem.targets.begin(), problem.targets.end(), targets_.begin());
        std::fill_n(scores_.begin(), problem.targets.size(), 0.0);
        const auto& diagonal = columns.diagonal();
        double scale = 0.0;
        for (const double d : diagonal) scale = std::max(scale, std::abs(d));
        tie_ = rounding * scale;
    }

    void remove(Index sample) { scores_[static_cast<std::size_t>(sample)] = infinity; }

    // Lines 10 and 15 in one pass over the column of `sample`.
    void update(Index sample, double step, double shift) {
        const auto visit = [&](Index chunk, Index begin, Index end, const Real* values) {
            const auto c = static_cast<std::size_t>(chunk);
            chunk_begin_[c] = begin;
            chunk_lowest_[c] = simd::loops<Real>().update_scores(
                values, targets_.data() + begin, step, shift, scores_.data() + begin,
                simd::round_up(end - begin, simd::lanes<Real>));
        };
        if (!ahead_ && !keep_columns_) {
            columns_.stream(columns_.samples()[static_cast<std::size_t>(sample)], visit);
            return;
        }
        if (ahead_ && !columns_.holds(sample)) columns_.prefetch(with_next_worst(sample));
        ++n_visited_;
        columns_.visit(sample, visit);
        if (keep_columns_) return;
        if (scores_[static_cast<std::size_t>(sample)] == infinity) columns_.forget(sample);
    }

    // The first sample whose score is the lowest, up to rounding.
    Violator worst() const {
        const double lowest = *std::min_element(chunk_lowest_.begin(), chunk_lowest_.end());
        if (lowest == infinity) return {-1, infinity};
        const auto ties = [&](double score) { return score <= lowest + tie_; };
        const auto chunk = std::find_if(chunk_lowest_.begin(), chunk_lowest_.end(), ties);
        const Index begin = chunk_begin_[static_cast<std::size_t>(chunk - chunk_lowest_.begin())];
        const auto found = std::find_if(scores_.begin() + begin, scores_.end(), ties);
        return {static_cast<Index>(found - scores_.begin()), lowest};
    }

  private:
    // The sample and those that will probably be the worst soon: several columns cost little more
    // than one. What is computed is kept until it is used.
    std::vector<Index> with_next_worst(Index sample) {
        // As many as were of use since the last time, and more when all were.
        const Index of_use = std::exchange(n_visited_, 0);
        if (3 * of_use >= n_ahead_) n_ahead_ = std::min(2 * n_ahead_, Queries<Real>::capacity);
        if (4 * of_use < n_ahead_) n_ahead_ = std::max(columns_.cheap_block(), n_ahead_ / 2);
        const auto most = static_cast<std::size_t>(n_ahead_);
        // The lowest chunks, by their lowest scores.
        chunk_order_.resize(chunk_lowest_.size());
        std::iota(chunk_order_.begin(), chunk_order_.end(), std::size_t{0});
        const std::size_t n_chunks = std::min(chunk_order_.size(), 2 * most);
        std::nth_element(
            chunk_order_.begin(), chunk_order_.begin() + static_cast<std::ptrdiff_t>(n_chunks) - 1,
            chunk_order_.end(),
            [&](std::size_t a, std::size_t b) { return chunk_lowest_[a] < chunk_lowest_[b]; });
        candidates_.clear();
        for (std::size_t c = 0; c < n_chunks; ++c) {
            const auto chunk = static_cast<Index>(chunk_order_[c]);
            for (Index i = columns_.chunk_begin(chunk); i < columns_.chunk_end(chunk); ++i) {
                const double score = scores_[static_cast<std::size_t>(i)];
                if (score < infinity && i != sample && !columns_.holds(i)) {
                    candidates_.emplace_back(score, i);
                }
            }
        }
        const std::size_t count = std::min(candidates_.size(), most - 1);
        std::nth_element(candidates_.begin(),
                         candidates_.begin() + static_cast<std::ptrdiff_t>(count),
                         candidates_.end());
        std::vector<Index> samples{sample};
        for (std::size_t c = 0; c < count; ++c) samples.push_back(candidates_[c].second);
        return samples;
    }

    KernelColumns<Real>& columns_;
    bool keep_columns_;
    bool ahead_;  // columns are computed ahead of their use
    Index n_ahead_;
    Index n_visited_ = 0;
    AlignedVector<double> targets_;
    AlignedVector<double> scores_;
    std::vector<double> chunk_lowest_;
    std::vector<Index> chunk_begin_;
    std::vector<std::size_t> chunk_order_;
    std::vector<std::pair<double, Index>> candidates_;
    double tie_ = 0.0;
};

Index step_limit(const OllawvSettings& settings, double total_weight) {
    if (settings.max_iter > 0) return settings.max_iter;
    // Kept below what an Index holds.
    const double steps = std::min(settings.max_iter_share * total_weight, 1e15);
    return std::max<Index>(1, static_cast<Index>(steps));
}

}  // namespace

template <class Real>
Solution solve_ollawv(const Problem& problem, Index start, const OllawvSettings& settings,
                      KernelColumns<Real>& columns, Monitor& monitor, const SelectionUse& use) {
    const double n = std::accumulate(problem.weights.begin(), problem.weights.end(), 0.0);
    const double beta = settings.fit_intercept ? 1.0 : 0.0;
    const Index max_iter = step_limit(settings, n);

    Solution solution;
    Pool<Real> pool(problem, columns, use.keep_columns);
    std::vector<double> remaining(problem.weights.begin(), problem.weights.end());
    Index n_support = 0;
    Index t = 0;
    Violator worst{start, 0.0};
    while (true) {
        const auto wv = static_cast<std::size_t>(worst.sample);
        const bool is_new = remaining[wv] == problem.weights[wv];
        if (is_new && settings.max_support > 0 && n_support == settings.max_support) {
            solution.status = Status::max_support;
            break;
        }
        ++t;
        const double share = std::min(1.0, remaining[wv]);
        const double lambda =
            learning_rate(settings.learning_rate, t) * problem.targets[wv] * share;
        const double bias = beta * lambda / n;

        remaining[wv] -= share;
        if (remaining[wv] < least_weight) pool.remove(worst.sample);
        pool.update(worst.sample, lambda, bias);
        solution.intercept += bias;
        n_support += is_new ? 1 : 0;

        worst = pool.worst();
        solution.path_rows.push_back(static_cast<Index>(wv));
        solution.path_steps.push_back(lambda);
        solution.path_violations.push_back(worst.score);

        if (worst.score >= settings.margin && worst.sample >= 0) break;
        if (use.enough > 0 && t >= use.enough) break;
        if (worst.sample < 0) {
            solution.status = Status::exhausted;
            break;
        }
        if (t >= max_iter) {
            solution.status = Status::max_iter;
            break;
        }
        if (monitor.should_stop()) {
            solution.status = monitor.reason();
            break;
        }
    }
    solution.n_iter = t;
    solution.violation = worst.score;
    solution.n_columns = columns.n_computed();
    return solution;
}

template Solution solve_ollawv(const Problem&, Index, const OllawvSettings&, KernelColumns<float>&,
                               Monitor&, const SelectionUse&);
template Solution solve_ollawv(const Problem&, Index, const OllawvSettings&, KernelColumns<double>&,
                               Monitor&, const SelectionUse&);

}  // namespace svmosaic
