#include "solvers/ollawv.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "core/infinity.hpp"
#include "simd/loops.hpp"
#include "solvers/ollawv_loop.hpp"

namespace svmosaic {

namespace {

// The scores of a problem whose kernel columns are computed.
template <class Real>
class ComputedScores {
  public:
    ComputedScores(const Problem& problem, KernelColumns<Real>& columns, bool keep_columns)
        : columns_(columns),
          keep_columns_(keep_columns),
          ahead_(columns.gains_by_blocks()),
          n_ahead_(columns.computer().cheap_block()),
          targets_(columns.padded_size(), 1.0),
          scores_(columns.padded_size(), infinity),
          chunk_lowest_(columns.computer().n_chunks(), infinity),
          chunk_begin_(columns.computer().n_chunks(), 0) {
        std::copy(problem.targets.begin(), problem.targets.end(), targets_.begin());
        std::fill_n(scores_.begin(), problem.targets.size(), 0.0);
        const auto& diagonal = columns.diagonal();
        double scale = 0.0;
        for (const double d : diagonal) scale = std::max(scale, std::abs(d));
        tie_ = score_rounding * scale;
    }

    void remove(Index sample) { scores_[sample] = infinity; }

    double update(Index sample, double step, double shift) {
        pass(sample, step, shift);
        lowest_ = *std::min_element(chunk_lowest_.begin(), chunk_lowest_.end());
        return lowest_;
    }

    Index find_worst() const {
        const auto ties = [&](double score) { return score <= lowest_ + tie_; };
        const auto chunk = std::find_if(chunk_lowest_.begin(), chunk_lowest_.end(), ties);
        const Index begin = chunk_begin_[chunk - chunk_lowest_.begin()];
        const auto found = std::find_if(scores_.begin() + begin, scores_.end(), ties);
        return found - scores_.begin();
    }

  private:
    // Lines 10 and 15 in one pass over the column of `sample`.
    void pass(Index sample, double step, double shift) {
        const auto visit = [&](Index chunk, Index begin, Index end, const Real* values) {
            chunk_begin_[chunk] = begin;
            chunk_lowest_[chunk] = simd::loops<Real>().update_scores(
                values, targets_.data() + begin, step, shift, scores_.data() + begin,
                simd::round_up(end - begin, simd::lanes<Real>));
        };
        if (!ahead_ && !keep_columns_) {
            columns_.computer().stream(columns_.computer().samples()[sample], visit);
            return;
        }
        if (ahead_ && !columns_.holds(sample)) columns_.prefetch(with_next_worst(sample));
        ++n_visited_;
        columns_.computer().visit(columns_.column(sample), visit);
        if (keep_columns_) return;
        if (scores_[sample] == infinity) columns_.forget(sample);
    }

    // The sample and those that will probably be the worst soon: several columns cost little more
    // than one. What is computed is kept until it is used.
    std::vector<Index> with_next_worst(Index sample) {
        // As many as were of use since the last time, and more when all were.
        const Index of_use = std::exchange(n_visited_, 0);
        if (3 * of_use >= n_ahead_) n_ahead_ = std::min(2 * n_ahead_, Queries<Real>::capacity);
        if (4 * of_use < n_ahead_)
            n_ahead_ = std::max(columns_.computer().cheap_block(), n_ahead_ / 2);
        // The lowest chunks, by their lowest scores.
        chunk_order_.resize(chunk_lowest_.size());
        std::iota(chunk_order_.begin(), chunk_order_.end(), Index{0});
        const Index n_chunks = std::min(ssize(chunk_order_), 2 * n_ahead_);
        std::nth_element(chunk_order_.begin(), chunk_order_.begin() + n_chunks - 1,
                         chunk_order_.end(),
                         [&](Index a, Index b) { return chunk_lowest_[a] < chunk_lowest_[b]; });
        candidates_.clear();
        for (Index c = 0; c < n_chunks; ++c) {
            const Index chunk = chunk_order_[c];
            for (Index i = columns_.computer().chunk_begin(chunk);
                 i < columns_.computer().chunk_end(chunk); ++i) {
                const double score = scores_[i];
                if (score < infinity && i != sample && !columns_.holds(i)) {
                    candidates_.emplace_back(score, i);
                }
            }
        }
        const Index count = std::min(ssize(candidates_), n_ahead_ - 1);
        std::nth_element(candidates_.begin(), candidates_.begin() + count, candidates_.end());
        std::vector<Index> samples{sample};
        for (Index c = 0; c < count; ++c) samples.push_back(candidates_[c].second);
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
    std::vector<Index> chunk_order_;
    std::vector<std::pair<double, Index>> candidates_;
    double tie_ = 0.0;
    double lowest_ = infinity;
};

}  // namespace

template <class Real>
Solution solve_ollawv(const Problem& problem, Index start, const OllawvOptions& settings,
                      KernelColumns<Real>& columns, Monitor& monitor, const SelectionUse& use) {
    Solution solution;
    ComputedScores<Real> scores(problem, columns, use.keep_columns);
    solution.status =
        run_ollawv(problem.targets, problem.weights, start, settings, 1, monitor, scores,
                   [&](const OllawvStep& step) -> std::optional<Status> {
                       solution.intercept += step.bias;
                       solution.path_rows.push_back(step.sample);
                       solution.path_steps.push_back(step.lambda);
                       solution.path_violations.push_back(step.worst);
                       ++solution.n_iter;
                       const bool reached = step.worst >= settings.margin && step.worst < infinity;
                       const bool enough = use.enough > 0 && solution.n_iter >= use.enough;
                       return reached || enough ? std::optional(Status::converged) : std::nullopt;
                   });
    solution.violation = solution.path_violations.back();
    columns.add_to(solution.counters);
    return solution;
}

template Solution solve_ollawv(const Problem&, Index, const OllawvOptions&, KernelColumns<float>&,
                               Monitor&, const SelectionUse&);
template Solution solve_ollawv(const Problem&, Index, const OllawvOptions&, KernelColumns<double>&,
                               Monitor&, const SelectionUse&);

}  // namespace svmosaic
