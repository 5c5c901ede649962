// The scores of OLLAWV on a stored kernel matrix, and the outputs of the samples to predict.
#pragma once

#include <span>
#include <vector>

#include "core/aligned.hpp"
#include "solvers/kernel_matrix.hpp"
#include "solvers/tune_plan.hpp"

namespace svmosaic {

// f(x) of every sample of the table, training or not, is kept up to date in the pass that finds
// the worst score, so that predictions of every prefix of a run cost nothing more. All samples of
// a class have one target: the loops take a class at a time and need no targets. Sample i of the
// run is problem.samples[i]. The scores are those of a run on computed columns, number for number.
template <class Real>
class StoredScores {
  public:
    // Begins a run; what is given here has to stay until it ends.
    void begin(const KernelMatrix<Real>& matrix, const TunePlan& plan, const TuneProblem& problem,
               const TuneFold& fold, std::span<const double> diagonal);

    // What run_ollawv asks for.
    void remove(Index i);
    double update(Index i, double step, double shift);
    Index find_worst() const;

    // f(x) for C = 1 by place, as of now.
    std::span<const double> outputs() const { return outputs_; }

  private:
    struct Part {
        PlaceRange range;
        double sign = 0.0;  // the target of its samples; 0 where they are only predicted
        double lowest = 0.0;
    };

    Index sample(Index i) const { return problem_->samples[i]; }

    KernelMatrix<Real> matrix_;
    const TunePlan* plan_ = nullptr;
    const TuneProblem* problem_ = nullptr;
    std::vector<Part> parts_;
    AlignedVector<double> outputs_;  // by place
    AlignedVector<double> blocked_;  // by place: 0 in the pool, else +infinity
    std::vector<Index> position_;    // by place: the position in problem.samples
    double tie_ = 0.0;
    double lowest_ = 0.0;
};

}  // namespace svmosaic
