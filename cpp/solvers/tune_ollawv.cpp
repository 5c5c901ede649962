#include "solvers/tune_ollawv.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <variant>

#include "core/thread_pool.hpp"
#include "solvers/block_steps.hpp"
#include "solvers/run_all.hpp"
#include "solvers/tune_scores.hpp"
#include "solvers/tune_stored.hpp"
#include "solvers/tune_streamed.hpp"

namespace svmosaic {

namespace {

// One problem of one fold.
struct Item {
    Index fold;
    Index problem;
};

bool is_large(const TunePlan& plan, const Item& item) {
    return plan.folds[item.fold].problems[item.problem].samples.size() >= large_problem;
}

// Folds that are evaluated together, from the first up to the last and without it.
struct FoldBatch {
    Index begin;
    Index end;
};

// Large problems first: they are split over the threads, one by one. The same classes of all folds
// follow one another: they read the same part of the kernel matrix.
std::vector<Item> items_of(const TunePlan& plan, const FoldBatch& batch) {
    std::vector<Item> items;
    for (Index f = batch.begin; f < batch.end; ++f) {
        for (Index m = 0; m < ssize(plan.folds[f].problems); ++m) items.push_back({f, m});
    }
    std::stable_sort(items.begin(), items.end(),
                     [](const Item& a, const Item& b) { return a.problem < b.problem; });
    std::stable_partition(items.begin(), items.end(),
                          [&](const Item& item) { return is_large(plan, item); });
    return items;
}

// Memory -----------------------------------------------------------------------------------------

// Every thread that reads stored kernel values needs memory of its own. Where problems are small,
// computing the values again takes up to seven times the processor time (usps, 45 pairs of digits):
// rather let threads wait for which there is no room. Solving larger ones takes longer than their
// columns: there has to be room for some threads.
constexpr Index small_problem = 3000;
constexpr Index workers_worth_waiting = 4;
// Per sample of a problem: its number, target, weight and place in the plan.
constexpr double planned_bytes = 32.0;
// Per sample of a problem that is being solved: bounds, gradient, coefficients, order.
constexpr double solved_bytes = 240.0;
// With fewer kernel columns than this the solvers crawl.
constexpr double least_columns = 64.0;

double plan_bytes(const TunePlan& plan) {
    double bytes = planned_bytes * static_cast<double>(plan.n_samples());
    for (const auto& fold : plan.folds) {
        for (const auto& problem : fold.problems) {
            bytes += planned_bytes * static_cast<double>(problem.samples.size());
        }
    }
    return bytes;
}

// What the binary classifiers of a fold say of its test samples, under all settings.
double outcome_bytes(const TunePlan& plan, const TuneFold& fold, const TuneSettings& settings) {
    const Index words = ssize(fold.test) + ProblemOutcome::words_of(plan.n_samples());
    const Index n_settings = settings.margins.size() * settings.Cs.size();
    return 8.0 * static_cast<double>(words * n_settings * ssize(fold.problems));
}

// The coefficients of exact models whose decisions are computed when a fold is complete: by problem
// and by support vector.
double pending_bytes(const TunePlan& plan, const FoldBatch& batch, const TuneSettings& settings) {
    if (settings.solver.refine.refinement == Refinement::none) return 0.0;
    double n_coefficients = 0.0;
    for (Index f = batch.begin; f < batch.end; ++f) {
        for (const auto& problem : plan.folds[f].problems) {
            n_coefficients += static_cast<double>(problem.samples.size());
        }
    }
    return 2.0 * 16.0 * n_coefficients * static_cast<double>(settings.Cs.size());
}

// As many folds at once as have their outcomes in a quarter of the memory, at least one.
std::vector<FoldBatch> batches_of(const TunePlan& plan, const TuneSettings& settings,
                                  double memory) {
    std::vector<FoldBatch> batches;
    double taken = 0.0;
    for (Index f = 0; f < ssize(plan.folds); ++f) {
        taken += outcome_bytes(plan, plan.folds[f], settings);
        if (batches.empty() || taken > memory / 4.0) {
            batches.push_back({f, f + 1});
            taken = outcome_bytes(plan, plan.folds[f], settings);
        } else {
            batches.back().end = f + 1;
        }
    }
    return batches;
}

double most_outcome_bytes(const TunePlan& plan, std::span<const FoldBatch> batches,
                          const TuneSettings& settings) {
    double most = 0.0;
    for (const auto& batch : batches) {
        double bytes = 0.0;
        for (Index f = batch.begin; f < batch.end; ++f) {
            bytes += outcome_bytes(plan, plan.folds[f], settings);
        }
        most = std::max(most, bytes);
    }
    return most;
}

// The packed copy of some samples.
template <class Real>
double copy_bytes(const Rows<Real>& rows, Index n_samples) {
    const auto n = static_cast<double>(n_samples);
    if (const auto* dense = std::get_if<DenseRows<Real>>(&rows)) {
        return n * static_cast<double>(dense->n_columns) * sizeof(Real);
    }
    if (const auto* sparse = std::get_if<CsrRows<Real>>(&rows)) {
        // Every row is filled up to groups of four.
        const auto n_values = static_cast<double>(sparse->offsets[sparse->n_rows]);
        const double per_row = n_values / static_cast<double>(sparse->n_rows) + 3.0;
        return n * (per_row * (sizeof(Real) + 4.0) + 24.0);
    }
    return 0.0;
}

// What is left for the kernel columns of a problem, of its share of the memory.
template <class Real>
Index column_bytes(const Rows<Real>& rows, const TuneProblem& problem, double share) {
    const auto n = static_cast<double>(problem.samples.size());
    const double blocks =
        static_cast<double>(values_in_blocks(ssize(problem.samples), 1)) * sizeof(Real);
    const double left =
        share - copy_bytes(rows, ssize(problem.samples)) - solved_bytes * n - blocks;
    return static_cast<Index>(std::max(left, least_columns * n * sizeof(Real)));
}

// Scores -----------------------------------------------------------------------------------------

// Writes the cells of one gamma and some folds.
void score(const TunePlan& plan, const FoldBatch& batch,
           const std::vector<std::vector<ProblemOutcome>>& outcomes, Index g,
           const TuneSettings& settings, TuneResult& result) {
    const Index n_settings = settings.margins.size() * settings.Cs.size();
    const Index n_cells = plan.n_classes * plan.n_classes;
    for (Index s = 0; s < n_settings; ++s) {
        for (Index f = batch.begin; f < batch.end; ++f) {
            const Index cell = (g * n_settings + s) * plan.folds.size() + f;
            const auto counts = std::span(result.confusion).subspan(cell * n_cells, n_cells);
            std::fill(counts.begin(), counts.end(), 0.0);
            count_predictions(plan, plan.folds[f], outcomes[f], s,
                              settings.multi_class == MultiClass::ovr, counts);
            result.n_support[cell] =
                static_cast<double>(count_support(outcomes[f], s, plan.rows.size()));
        }
    }
}

}  // namespace

template <class Real>
TuneResult tune_ollawv(const Rows<Real>& rows, const KernelSpec& kernel,
                       std::span<const Index> labels, std::span<const double> weights,
                       std::span<const Split> splits, const TuneSettings& settings, Index n_threads,
                       Monitor& monitor) {
    ThreadPool pool(n_threads);
    const PlanKind kind{settings.multi_class == MultiClass::ovr,
                        settings.solver.refine.refinement == Refinement::none};
    const TunePlan plan = make_plan(rows, labels, weights, splits, kind, pool, monitor);
    const auto memory = static_cast<double>(bytes_of(settings.memory_mb));
    const auto batches = batches_of(plan, settings, memory);
    const double held = plan_bytes(plan) + most_outcome_bytes(plan, batches, settings);
    Index n_problems = 0;
    for (const auto& fold : plan.folds) n_problems += ssize(fold.problems);
    monitor.expect_problems(n_problems * ssize(settings.gammas));

    const double nan = std::numeric_limits<double>::quiet_NaN();
    TuneResult result;
    result.n_support.assign(
        settings.gammas.size() * settings.margins.size() * settings.Cs.size() * splits.size(), nan);
    result.confusion.assign(result.n_support.size() * (plan.n_classes * plan.n_classes), nan);

    if (monitor.stopped()) return result;

    const double left = memory - held - copy_bytes(rows, plan.n_samples());
    const auto have_room = [&](Index workers) {
        return StoredTuner<Real>::bytes_needed(plan, settings, workers) <= left;
    };
    // Not by the number of threads: the two ways agree within the tolerance only.
    const bool fits = have_room(largest_problem(plan) < small_problem ? 1 : workers_worth_waiting);
    Index n_workers = n_threads;
    while (n_workers > 1 && !have_room(n_workers)) --n_workers;
    std::optional<ThreadPool> fewer;
    ThreadPool& workers = fits && n_workers < n_threads ? fewer.emplace(n_workers) : pool;
    StoredTuner<Real> tuner(rows, plan, settings);
    if (fits) tuner.measure(facts_of(kernel.kind).computed_from, pool, monitor);
    std::vector<std::vector<ProblemOutcome>> outcomes;
    for (const auto& fold : plan.folds) outcomes.emplace_back(fold.problems.size());
    const auto run_batch = [&](Index g, const KernelSpec& of_gamma, const FoldBatch& batch) {
        const auto items = items_of(plan, batch);
        const Index n_items = ssize(items);
        const Index n_large = std::count_if(items.begin(), items.end(),
                                            [&](const Item& item) { return is_large(plan, item); });
        // evaluate(i, one_problem) for the items from `first` on, side by side.
        const auto side_by_side = [&](Index first, const auto& one_problem) {
            workers.run(
                n_items - first,
                [&](Index k) {
                    if (monitor.should_stop(0)) return;
                    const auto [f, m] = items[first + k];
                    one_problem(plan.folds[f], plan.folds[f].problems[m], outcomes[f][m]);
                    monitor.problem_done();
                },
                [&] { monitor.should_stop(0); });
        };
        const auto streamed = [&](Index share, ThreadPool& threads) {
            return [&, share](const TuneFold& fold, const TuneProblem& problem,
                              ProblemOutcome& outcome) {
                const double for_columns = memory - held - pending_bytes(plan, batch, settings);
                const double part = for_columns / static_cast<double>(share);
                evaluate_streamed(rows, of_gamma, plan, fold, problem, settings,
                                  column_bytes(rows, problem, part), threads, monitor, outcome);
            };
        };
        if (fits) {
            side_by_side(
                0, [&](const TuneFold& fold, const TuneProblem& problem, ProblemOutcome& outcome) {
                    tuner.evaluate(fold, problem, outcome, monitor);
                });
        } else {
            for (Index i = 0; i < n_large && !monitor.stopped(); ++i) {
                const auto [f, m] = items[i];
                streamed(1, pool)(plan.folds[f], plan.folds[f].problems[m], outcomes[f][m]);
                monitor.problem_done();
            }
            side_by_side(n_large, [&](const TuneFold& fold, const TuneProblem& problem,
                                      ProblemOutcome& outcome) {
                ThreadPool alone(1);
                streamed(pool.n_threads(), alone)(fold, problem, outcome);
            });
            for (Index f = batch.begin; f < batch.end && !monitor.stopped(); ++f) {
                decide_streamed(rows, of_gamma, plan, plan.folds[f], settings, pool, monitor,
                                std::span(outcomes[f]));
            }
        }
        if (!monitor.stopped()) score(plan, batch, outcomes, g, settings, result);
        if (batches.size() == 1) return;
        for (Index f = batch.begin; f < batch.end; ++f) {
            outcomes[f] = std::vector<ProblemOutcome>(plan.folds[f].problems.size());
        }
    };
    for (Index g = 0; g < ssize(settings.gammas) && !monitor.stopped(); ++g) {
        KernelSpec of_gamma = kernel;
        of_gamma.gamma = settings.gammas[g];
        if (fits) tuner.apply(of_gamma, g + 1 == ssize(settings.gammas), pool, monitor);
        for (const auto& batch : batches) {
            if (!monitor.stopped()) run_batch(g, of_gamma, batch);
        }
    }
    return result;
}

template TuneResult tune_ollawv(const Rows<float>&, const KernelSpec&, std::span<const Index>,
                                std::span<const double>, std::span<const Split>,
                                const TuneSettings&, Index, Monitor&);
template TuneResult tune_ollawv(const Rows<double>&, const KernelSpec&, std::span<const Index>,
                                std::span<const double>, std::span<const Split>,
                                const TuneSettings&, Index, Monitor&);

}  // namespace svmosaic
