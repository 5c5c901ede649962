#include "solvers/left_out_scores.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/run_all.hpp"

namespace svmosaic {

namespace {

// The training part of a split, and where its last solution is.
class TrainingPart {
  public:
    TrainingPart(std::span<const Index> rows, std::span<const double> signs)
        : rows_(rows), weights_(rows.size(), 1.0) {
        for (const Index row : rows) signs_.push_back(signs[row]);
    }

    Solution solve(const Rows<double>& gram, const SmoSettings& settings, ThreadPool& pool,
                   Monitor& monitor) {
        Solution solution =
            solve_smo_problem(gram, {KernelKind::precomputed}, {{rows_, signs_, weights_}, coef_},
                              settings, bytes_of(settings.cache_mb), pool, monitor);
        coef_.assign(rows_.size(), 0.0);
        // Support vectors are in the order of the rows.
        for (Index i = 0, next = 0; i < ssize(rows_) && next < ssize(solution.support); ++i) {
            if (rows_[i] == solution.support[next]) coef_[i] = solution.coef[next++];
        }
        return solution;
    }

  private:
    std::span<const Index> rows_;
    std::vector<double> signs_;
    std::vector<double> weights_;
    std::vector<double> coef_;
};

double value_at(const PairwiseRows<double>& gram, Index row, const Solution& solution) {
    const double* values = gram.values + row * gram.n_columns;
    double sum = solution.intercept;
    for (Index j = 0; j < ssize(solution.support); ++j) {
        sum += solution.coef[j] * values[solution.support[j]];
    }
    return sum;
}

bool is_held_back(const Solution& solution, double C) {
    return std::ranges::any_of(solution.coef, [C](double coef) { return std::abs(coef) >= C; });
}

}  // namespace

std::vector<double> score_left_out(const PairwiseRows<double>& gram, std::span<const double> signs,
                                   std::span<const Split> splits, std::span<const double> Cs,
                                   const SmoSettings& settings, Monitor& monitor) {
    Index n_tested = 0;
    for (const auto& split : splits) n_tested += ssize(split.test);
    std::vector<double> scores(Cs.size() * n_tested);
    const Rows<double> rows = gram;
    ThreadPool alone(1);
    SmoSettings one = settings;
    double* first = scores.data();
    for (const auto& split : splits) {
        TrainingPart part(split.train, signs);
        bool is_final = false;
        for (Index c = 0; c < ssize(Cs) && !monitor.stopped(); ++c) {
            double* out = first + c * n_tested;
            if (is_final) {
                std::copy_n(out - n_tested, split.test.size(), out);
                continue;
            }
            one.C = Cs[c];
            const Solution solution = part.solve(rows, one, alone, monitor);
            for (Index t = 0; t < ssize(split.test); ++t) {
                out[t] = value_at(gram, split.test[t], solution);
            }
            is_final = !is_held_back(solution, one.C);
        }
        first += split.test.size();
    }
    return scores;
}

}  // namespace svmosaic
