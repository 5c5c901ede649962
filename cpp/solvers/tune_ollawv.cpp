#include "solvers/tune_ollawv.hpp"

#include <algorithm>
#include <limits>

#include "core/thread_pool.hpp"
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

// Large problems first: they are split over the threads, one by one.
std::vector<Item> items_of(const TunePlan& plan) {
    std::vector<Item> items;
    for (Index f = 0; f < ssize(plan.folds); ++f) {
        for (Index m = 0; m < ssize(plan.folds[f].problems); ++m) items.push_back({f, m});
    }
    std::stable_partition(items.begin(), items.end(),
                          [&](const Item& item) { return is_large(plan, item); });
    return items;
}

// Writes the cells of one gamma.
void score(const TunePlan& plan, const std::vector<std::vector<ProblemOutcome>>& outcomes, Index g,
           const TuneSettings& settings, TuneResult& result) {
    const Index n_settings = settings.margins.size() * settings.Cs.size();
    const Index n_cells = plan.n_classes * plan.n_classes;
    for (Index s = 0; s < n_settings; ++s) {
        for (Index f = 0; f < ssize(plan.folds); ++f) {
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
    const TunePlan plan =
        make_plan(rows, labels, weights, splits, settings.multi_class == MultiClass::ovr);
    const auto items = items_of(plan);
    const Index n_items = ssize(items);
    const Index n_large = std::count_if(items.begin(), items.end(),
                                        [&](const Item& item) { return is_large(plan, item); });
    monitor.expect_problems(n_items * ssize(settings.gammas));

    const double nan = std::numeric_limits<double>::quiet_NaN();
    TuneResult result;
    result.n_support.assign(
        settings.gammas.size() * settings.margins.size() * settings.Cs.size() * splits.size(), nan);
    result.confusion.assign(result.n_support.size() * (plan.n_classes * plan.n_classes), nan);

    ThreadPool pool(n_threads);
    const bool fits =
        StoredTuner<Real>::bytes_needed(plan, settings, n_threads) <= settings.memory_mb * 1e6;
    StoredTuner<Real> tuner(rows, plan, settings);
    if (fits) tuner.measure(facts_of(kernel.kind).computed_from, pool, monitor);
    std::vector<std::vector<ProblemOutcome>> outcomes;
    for (const auto& fold : plan.folds) outcomes.emplace_back(fold.problems.size());
    for (Index g = 0; g < ssize(settings.gammas) && !monitor.stopped(); ++g) {
        KernelSpec of_gamma = kernel;
        of_gamma.gamma = settings.gammas[g];
        // evaluate(i, one_problem) for the items from `first` on, side by side.
        const auto side_by_side = [&](Index first, const auto& one_problem) {
            pool.run(
                n_items - first,
                [&](Index k) {
                    if (monitor.stopped()) return;
                    const auto [f, m] = items[first + k];
                    one_problem(plan.folds[f], plan.folds[f].problems[m], outcomes[f][m]);
                    monitor.problem_done();
                },
                [&] { monitor.should_stop(0); });
        };
        const auto streamed = [&](Index share, ThreadPool& threads) {
            return [&, share](const TuneFold& fold, const TuneProblem& problem,
                              ProblemOutcome& outcome) {
                evaluate_streamed(rows, of_gamma, plan, fold, problem, settings,
                                  bytes_of(settings.memory_mb) / share, threads, monitor, outcome);
            };
        };
        if (fits) {
            tuner.apply(of_gamma, pool, monitor);
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
        }
        if (!monitor.stopped()) score(plan, outcomes, g, settings, result);
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
