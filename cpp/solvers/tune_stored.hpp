// The problems of parameter tuning on a stored kernel matrix.
#pragma once

#include <vector>

#include "core/aligned.hpp"
#include "core/large_buffer.hpp"
#include "core/scratch_pool.hpp"
#include "core/thread_pool.hpp"
#include "solvers/stored_dual.hpp"
#include "solvers/stored_scores.hpp"
#include "solvers/tune_ollawv.hpp"
#include "solvers/tune_scores.hpp"

namespace svmosaic {

// The exact solution for one C.
struct ExactModel {
    Index setting;
    double intercept;
};

// Scratch of one problem.
template <class Real>
struct TuneScratch {
    StoredScores<Real> scores;
    std::vector<Index> path;  // of the selection, as positions in problem.samples
    StoredDual<Real> dual;
    std::vector<Index> samples;
    std::vector<int> places;
    std::vector<double> targets, weights, diagonal;
    std::vector<PlaceRange> ranges;
    // Exact models that are to be evaluated, and their coefficients, one model after the other.
    std::vector<ExactModel> models;
    std::vector<double> betas;
    // Kernel values of the support vectors of any of them, and their coefficients by support vector
    // and model.
    std::vector<const Real*> columns;
    std::vector<double> coef;
    // The values against test samples that are scattered.
    LargeBuffer<Real> predicted;
    AlignedVector<double> sums;
};

template <class Real>
class StoredTuner {
  public:
    StoredTuner(const Rows<Real>& rows, const TunePlan& plan, const TuneSettings& settings);

    // Bytes that a tuner of this plan takes.
    static double bytes_needed(const TunePlan& plan, const TuneSettings& settings, Index n_threads);

    // Computes what the kernel is made from, for all pairs.
    void measure(PairValue value, ThreadPool& pool, Monitor& monitor);
    // Turns it into kernel values; for the last time in place.
    void apply(const KernelSpec& kernel, bool is_last, ThreadPool& pool, Monitor& monitor);
    // One problem of one fold under all settings. Any number of threads may ask at once.
    void evaluate(const TuneFold& fold, const TuneProblem& problem, ProblemOutcome& outcome,
                  Monitor& monitor);

  private:
    using Scratch = TuneScratch<Real>;

    // Loops read a few values behind the last row.
    Index room() const { return plan_.n_samples() * plan_.column_length + simd::lanes<Real>; }
    KernelMatrix<Real> matrix() const { return {matrix_, plan_.column_length}; }
    // One selection to the largest margin. The solution for a smaller margin is a prefix of the
    // run, so each is read off when the run passes its margin.
    void evaluate_plain(const TuneFold& fold, const TuneProblem& problem, Scratch& scratch,
                        ProblemOutcome& outcome, Monitor& monitor);
    void evaluate_full(const TuneFold& fold, const TuneProblem& problem, Scratch& scratch,
                       ProblemOutcome& outcome, Monitor& monitor);
    // Makes the samples the variables of the exact solver.
    void take_variables(const TuneProblem& problem, Scratch& scratch);
    // Solves on the variables for all C, as settings of the first margin.
    void refine_all(const TuneFold& fold, Scratch& scratch, ProblemOutcome& outcome,
                    Monitor& monitor);
    // Decision values of the exact models on the test samples.
    void predict(const TuneFold& fold, Scratch& scratch, ProblemOutcome& outcome, Monitor& monitor);

    const Rows<Real>& rows_;
    const TunePlan& plan_;
    const TuneSettings& settings_;
    std::vector<Index> margin_order_;  // the settings' margins, ascending
    std::vector<double> margins_;
    std::vector<Index> C_order_;  // the settings' Cs, ascending
    LargeBuffer<Real> base_values_;
    LargeBuffer<Real> kernel_values_;
    const Real* matrix_ = nullptr;  // the kernel values of the moment, in one of the two
    std::vector<double> diagonal_;
    ScratchPool<Scratch> idle_;
};

}  // namespace svmosaic
