#include "solvers/tune_ollawv.hpp"

#include <algorithm>
#include <limits>

#include "core/thread_pool.hpp"
#include "solvers/tune_scores.hpp"
#include "solvers/tune_stored.hpp"
#include "solvers/tune_streamed.hpp"

namespace svmosaic {

namespace {

// One machine of one fold.
struct Item {
    std::size_t fold;
    std::size_t machine;
};

std::vector<Item> items_of(const TunePlan& plan) {
    std::vector<Item> items;
    for (std::size_t f = 0; f < plan.folds.size(); ++f) {
        for (std::size_t m = 0; m < plan.folds[f].machines.size(); ++m) items.push_back({f, m});
    }
    return items;
}

// Writes the cells of one gamma.
void score(const TunePlan& plan, const std::vector<std::vector<MachineOutcome>>& outcomes,
           std::size_t g, const TuneSettings& settings, TuneResult& result) {
    const std::size_t n_settings = settings.margins.size() * settings.Cs.size();
    const auto n_cells = static_cast<std::size_t>(plan.n_classes * plan.n_classes);
    for (std::size_t s = 0; s < n_settings; ++s) {
        for (std::size_t f = 0; f < plan.folds.size(); ++f) {
            const std::size_t cell = (g * n_settings + s) * plan.folds.size() + f;
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
    const auto n_items = static_cast<Index>(items.size());
    monitor.expect_problems(n_items * static_cast<Index>(settings.gammas.size()));

    const double nan = std::numeric_limits<double>::quiet_NaN();
    TuneResult result;
    result.n_support.assign(
        settings.gammas.size() * settings.margins.size() * settings.Cs.size() * splits.size(), nan);
    result.confusion.assign(
        result.n_support.size() * static_cast<std::size_t>(plan.n_classes * plan.n_classes), nan);

    ThreadPool pool(n_threads);
    const bool fits =
        StoredTuner<Real>::bytes_needed(plan, settings, n_threads) <= settings.memory_mb * 1e6;
    StoredTuner<Real> tuner(rows, plan, settings);
    if (fits) tuner.measure(kernel.kind, pool, monitor);
    std::vector<std::vector<MachineOutcome>> outcomes;
    for (const auto& fold : plan.folds) outcomes.emplace_back(fold.machines.size());
    for (std::size_t g = 0; g < settings.gammas.size() && !monitor.stopped(); ++g) {
        KernelSpec of_gamma = kernel;
        of_gamma.gamma = settings.gammas[g];
        const auto evaluate = [&](Index i) {
            if (monitor.stopped()) return;
            const auto [f, m] = items[static_cast<std::size_t>(i)];
            const auto& fold = plan.folds[f];
            if (fits) {
                tuner.evaluate(fold, fold.machines[m], outcomes[f][m], monitor);
            } else {
                evaluate_streamed(rows, of_gamma, plan, fold, fold.machines[m], settings, pool,
                                  monitor, outcomes[f][m]);
            }
            monitor.problem_done();
        };
        if (fits) {
            tuner.apply(of_gamma, pool, monitor);
            pool.run(n_items, evaluate, [&] { monitor.should_stop(0); });
        } else {
            // Large machines one by one, each split over the threads.
            for (Index i = 0; i < n_items; ++i) evaluate(i);
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
