// Parameter tuning of epsilon-SVR, rbf or laplacian: many problems on the same samples.
#pragma once

#include <span>
#include <vector>

#include "core/monitor.hpp"
#include "core/problem.hpp"

namespace svmosaic {

struct RegressionTuneSettings {
    std::span<const double> gammas;
    std::span<const double> Cs;
    std::span<const double> epsilons;
    double tol = 1e-3;
    Index max_iter = 0;     // updates of a problem; 0 means max(10 million, 100 n)
    bool complete = false;  // try the whole grid for links with a `first` candidate, too
    // Whether distances are sums of absolute differences (laplacian) and not of squares (rbf).
    bool absolute = false;
    // How much of the best one's error on the folds to come a neighbour is expected to have, 0 to
    // 1. With 0 only those are given up that cannot win.
    double race = 0.0;
};

// One model to tune and to fit: a link of a chain. `columns` are added to the inputs, one value
// per sample.
struct RegressionLink {
    std::span<const double> target;
    std::vector<std::span<const double>> columns;
    // A link that is much like this one: its number among the `starts`, or -1 ...
    Index start = -1;
    // ... and its best candidate, which is tried first; -1 means that the whole grid is tried.
    Index first = -1;
};

// The samples of one fold: how often each counts for training and for testing, 0 if not at all.
struct RegressionFold {
    std::span<const double> train;
    std::span<const double> test;
};

// Everything that all links have in common.
struct RegressionTable {
    std::span<const double> distances;  // of all pairs of samples: squared, or absolute
    std::span<const double> weights;    // how often each sample counts in the final fit
    std::vector<RegressionFold> folds;
    // Coefficients of links tuned before, by (link, candidate, fold, sample).
    std::span<const double> starts;

    Index size() const { return weights.size(); }
};

// Candidates are numbered with C slowest and gamma fastest.
struct RegressionResult {
    // Squared error of each candidate over all test samples; infinite where it was given up.
    std::vector<double> errors;
    Index best = 0;  // the first of those with the least error
    // What the best candidate predicts for each sample while it is tested; nan for the others.
    std::vector<double> held_out;
    // The best candidate fitted to all samples.
    std::vector<double> coef;
    double intercept = 0.0;
    double violation = 0.0;
    Index n_updates = 0;
    double objective = 0.0;
};

// Given        samples by their distances, folds, and links.
// Returns      for each link the candidate of least error over the folds, fitted to all samples;
//              the same for any number of threads. With `kept`, also the coefficients of all
//              candidates on all folds.
// Method       a feature v beside the inputs adds (v_i - v_j)^2 to the squared distances, or
//              |v_i - v_j| to the absolute ones, so no distance between inputs is ever computed
//              again: the kernel matrix of a link is the element-wise product of that of the
//              inputs and that of the columns. One such matrix per link and gamma serves all
//              folds, all C and all epsilon.
// Warm start   along growing C and from one epsilon to the next; or from the same candidate of the
//              link `start`, where its dual objective is higher.
// Search       a link without a `first` candidate tries the whole grid. One with it goes from there
//              to the best neighbour (one step along gamma, C or epsilon) as long as that improves,
//              or tries the whole grid, too.
// Giving up    a link with a `first` candidate knows an error from the beginning. A candidate whose
//              error over some of the folds is above the best cannot win and sees no further fold.
//              Among neighbours `race` gives up earlier: those that would lose if they had that
//              share of the best one's error on the folds to come.
std::vector<RegressionResult> tune_regression(const RegressionTable& table,
                                              std::span<const RegressionLink> links,
                                              const RegressionTuneSettings& settings,
                                              Index n_threads, Monitor& monitor,
                                              std::vector<double>* kept);

}  // namespace svmosaic
