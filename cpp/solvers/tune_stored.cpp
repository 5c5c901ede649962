#include "solvers/tune_stored.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/packed_rows.hpp"
#include "core/pairwise_values.hpp"
#include "solvers/ollawv_loop.hpp"

namespace svmosaic {

namespace {

// Rows of a matrix per task of a thread.
constexpr Index rows_per_task = 16;
// Steps of a selection between two questions to the monitor.
constexpr Index ask_every = 64;

// Runs task(row) for all rows, some to a thread at a time.
template <class Task>
void for_rows(Index n_rows, ThreadPool& pool, Monitor& monitor, const Task& task) {
    pool.run((n_rows + rows_per_task - 1) / rows_per_task,
             [&](Index group) {
                 if (monitor.should_stop(0)) return;
                 const Index end = std::min(n_rows, (group + 1) * rows_per_task);
                 for (Index row = group * rows_per_task; row < end; ++row) task(row);
             },
             [&] { monitor.should_stop(0); });
}

// Room for one value per test sample, in whole vectors. It is a multiple for float, too.
std::size_t padded_test(const TuneFold& fold) {
    return static_cast<std::size_t>(simd::round_up(static_cast<Index>(fold.test.size()), 16));
}

Index largest_machine(const TunePlan& plan) {
    std::size_t largest = 0;
    for (const auto& fold : plan.folds) {
        for (const auto& machine : fold.machines) {
            largest = std::max(largest, machine.samples.size());
        }
    }
    return static_cast<Index>(largest);
}

}  // namespace

template <class Real>
StoredTuner<Real>::StoredTuner(const Rows<Real>& rows, const TunePlan& plan,
                               const TuneSettings& settings)
    : rows_(rows),
      plan_(plan),
      settings_(settings),
      margin_order_(ascending(settings.margins)),
      C_order_(ascending(settings.Cs)) {
    for (const std::size_t m : margin_order_) margins_.push_back(settings.margins[m]);
}

template <class Real>
double StoredTuner<Real>::bytes_needed(const TunePlan& plan, const TuneSettings& settings,
                                       Index n_threads) {
    const auto n = static_cast<double>(plan.n_samples());
    double values = n * static_cast<double>(plan.column_length) * 2.0;
    if (settings.machine.refine.refinement != Refinement::none) {
        const auto m = static_cast<double>(largest_machine(plan));
        // The columns of a machine and the triangle of a joint step, both at most this.
        values += static_cast<double>(n_threads) * m * n;
    }
    return values * sizeof(Real);
}

template <class Real>
void StoredTuner<Real>::measure(PairValue value, ThreadPool& pool, Monitor& monitor) {
    const Index n = plan_.n_samples();
    // By differences, which suit all gammas.
    const Layout layout = best_layout({KernelKind::linear, 1.0, 3, 0.0}, rows_, plan_.rows);
    const PackedRows<Real> packed(rows_, plan_.rows, layout);
    base_values_.require(static_cast<std::size_t>(n * plan_.column_length));
    // Between classes: any number will do.
    for_rows(n, pool, monitor, [&](Index sample) {
        std::fill_n(base_values_.data() + sample * plan_.column_length, plan_.column_length,
                    Real{0});
    });
    for_base_values(packed, rows_, std::span<const Index>(plan_.rows), value, pool, monitor,
                    [&](Index sample, Index begin, std::span<const Real> values) {
                        Real* row = base_values_.data() + sample * plan_.column_length;
                        const int* places = plan_.places.data() + begin;
                        for (std::size_t i = 0; i < values.size(); ++i) row[places[i]] = values[i];
                    });
}

template <class Real>
void StoredTuner<Real>::apply(const KernelSpec& kernel, ThreadPool& pool, Monitor& monitor) {
    const Index n = plan_.n_samples();
    const Index length = plan_.column_length;
    kernel_values_.require(static_cast<std::size_t>(n * length));
    diagonal_.resize(static_cast<std::size_t>(n));
    for_rows(n, pool, monitor, [&](Index sample) {
        const Index table_row = plan_.rows[static_cast<std::size_t>(sample)];
        Real* row = kernel_values_.data() + sample * length;
        std::copy_n(base_values_.data() + sample * length, length, row);
        apply_kernel(kernel, row, length);
        require_finite(kernel, row, length, table_row);
        diagonal_[static_cast<std::size_t>(sample)] = kernel_diagonal(kernel, rows_, table_row);
    });
}

template <class Real>
void StoredTuner<Real>::evaluate(const TuneFold& fold, const TuneMachine& machine,
                                 MachineOutcome& outcome, Monitor& monitor) {
    outcome.reset(settings_.margins.size() * settings_.Cs.size(), fold.test.size(),
                  plan_.rows.size());
    auto scratch = idle_.borrow();
    switch (settings_.machine.refine.refinement) {
        case Refinement::none:
            evaluate_plain(fold, machine, *scratch, outcome, monitor);
            break;
        case Refinement::selected:
            evaluate_selected(fold, machine, *scratch, outcome, monitor);
            break;
        case Refinement::full:
            evaluate_full(fold, machine, *scratch, outcome, monitor);
            break;
    }
    idle_.give_back(std::move(scratch));
}

template <class Real>
template <class Seen>
bool StoredTuner<Real>::select(const TuneFold& fold, const TuneMachine& machine, Scratch& scratch,
                               Monitor& monitor, const Seen& seen) {
    auto& path = scratch.path;
    path.clear();
    scratch.scores.begin(matrix(), plan_, machine, fold, diagonal_);
    std::size_t next = 0;
    run_ollawv(machine.targets, machine.weights, machine.start, settings_.machine.ollawv, ask_every,
               monitor, scratch.scores, [&](const OllawvStep& step) -> std::optional<Status> {
                   path.push_back(step.sample);
                   for (; next < margins_.size() && step.worst >= margins_[next]; ++next) {
                       seen(next);
                   }
                   if (next < margins_.size()) return std::nullopt;
                   return Status::converged;
               });
    monitor.should_stop(static_cast<Index>(path.size()) % ask_every);
    if (monitor.stopped()) return false;
    for (; next < margins_.size(); ++next) seen(next);
    return true;
}

template <class Real>
void StoredTuner<Real>::evaluate_plain(const TuneFold& fold, const TuneMachine& machine,
                                       Scratch& scratch, MachineOutcome& outcome,
                                       Monitor& monitor) {
    const std::size_t words = MachineOutcome::words_of(plan_.rows.size());
    select(fold, machine, scratch, monitor, [&](std::size_t m) {
        const std::size_t s = margin_order_[m] * settings_.Cs.size();
        double* decisions = outcome.decisions.data() + s * fold.test.size();
        for (std::size_t v = 0; v < fold.test.size(); ++v) {
            decisions[v] = scratch.scores.outputs()[static_cast<std::size_t>(fold.test_places[v])];
        }
        const auto bits = std::span(outcome.support).subspan(s * words, words);
        for (const Index i : scratch.path) {
            mark_support(bits, machine.samples[static_cast<std::size_t>(i)]);
        }
    });
}

template <class Real>
void StoredTuner<Real>::take_variables(const TuneMachine& machine, std::span<const Index> positions,
                                       const TuneFold& fold, Scratch& scratch) {
    scratch.samples.clear();
    scratch.places.clear();
    scratch.targets.clear();
    scratch.weights.clear();
    scratch.diagonal.clear();
    for (const Index position : positions) {
        const auto i = static_cast<std::size_t>(position);
        const auto sample = static_cast<std::size_t>(machine.samples[i]);
        scratch.samples.push_back(machine.samples[i]);
        scratch.places.push_back(plan_.places[sample]);
        scratch.targets.push_back(machine.targets[i]);
        scratch.weights.push_back(machine.weights[i]);
        scratch.diagonal.push_back(diagonal_[sample]);
    }
    scratch.ranges.clear();
    for (const Index label : machine.labels) {
        // Neighbours become one range: fewer, longer loops.
        const auto& range = plan_.ranges[static_cast<std::size_t>(label)];
        if (!scratch.ranges.empty() && scratch.ranges.back().end == range.begin) {
            scratch.ranges.back().end = range.end;
        } else {
            scratch.ranges.push_back(range);
        }
    }
    scratch.predicted.require(positions.size() * padded_test(fold));
    scratch.is_copied.assign(positions.size(), 0);
}

template <class Real>
const Real* StoredTuner<Real>::predicted_values(std::size_t variable, const TuneFold& fold,
                                                Scratch& scratch) {
    const std::size_t length = padded_test(fold);
    Real* values = scratch.predicted.data() + variable * length;
    if (scratch.is_copied[variable] == 0) {
        scratch.is_copied[variable] = 1;
        simd::loops<Real>().gather(matrix().row(scratch.samples[variable]), fold.test_places.data(),
                                   values, static_cast<Index>(fold.test.size()));
        std::fill(values + fold.test.size(), values + length, Real{0});
    }
    return values;
}

// Decision values of the exact machine on the test samples.
template <class Real>
void StoredTuner<Real>::predict(const TuneFold& fold, Scratch& scratch,
                                std::span<double> decisions) {
    const auto& loops = simd::loops<Real>();
    scratch.sums.assign(padded_test(fold), 0.0);
    const auto beta = scratch.dual.beta();
    for (std::size_t v = 0; v < beta.size(); ++v) {
        if (beta[v] == 0.0) continue;
        loops.add_scaled(predicted_values(v, fold, scratch), beta[v], scratch.sums.data(),
                         static_cast<Index>(scratch.sums.size()));
    }
    const double intercept = scratch.dual.intercept();
    for (std::size_t i = 0; i < decisions.size(); ++i) decisions[i] = scratch.sums[i] + intercept;
}

template <class Real>
void StoredTuner<Real>::refine_all(std::size_t n, std::size_t m, const TuneFold& fold,
                                   Scratch& scratch, MachineOutcome& outcome, Monitor& monitor) {
    const auto& smo = settings_.machine.refine.smo;
    const Index max_updates = update_limit(smo.max_iter, static_cast<Index>(n));
    const std::size_t words = MachineOutcome::words_of(plan_.rows.size());
    const MachineVariables variables{scratch.samples, scratch.places, scratch.targets,
                                     scratch.weights, scratch.diagonal};
    scratch.dual.bind(matrix(), scratch.ranges, variables.first(n));
    std::size_t last = 0;
    bool is_final = false;
    for (const std::size_t c : C_order_) {
        const std::size_t s = m * settings_.Cs.size() + c;
        if (is_final) {
            outcome.copy_settings(last, s, 1);
            continue;
        }
        last = s;
        if (!scratch.dual.solve(settings_.Cs[c], smo.tol, max_updates, monitor)) return;
        is_final = scratch.dual.is_final();
        predict(fold, scratch,
                std::span(outcome.decisions).subspan(s * fold.test.size(), fold.test.size()));
        const auto bits = std::span(outcome.support).subspan(s * words, words);
        const auto beta = scratch.dual.beta();
        for (std::size_t v = 0; v < beta.size(); ++v) {
            if (beta[v] != 0.0) mark_support(bits, scratch.samples[v]);
        }
    }
}

template <class Real>
void StoredTuner<Real>::evaluate_full(const TuneFold& fold, const TuneMachine& machine,
                                      Scratch& scratch, MachineOutcome& outcome, Monitor& monitor) {
    std::vector<Index> everyone(machine.samples.size());
    std::iota(everyone.begin(), everyone.end(), Index{0});
    // In the order of their places: then copying a part of a row reads it from left to right.
    const auto place_of = [&](Index position) {
        const Index sample = machine.samples[static_cast<std::size_t>(position)];
        return plan_.places[static_cast<std::size_t>(sample)];
    };
    std::sort(everyone.begin(), everyone.end(),
              [&](Index a, Index b) { return place_of(a) < place_of(b); });
    take_variables(machine, everyone, fold, scratch);
    refine_all(everyone.size(), 0, fold, scratch, outcome, monitor);
    // The exact machine is the same for all margins.
    const std::size_t one_margin = settings_.Cs.size();
    for (std::size_t m = 1; m < settings_.margins.size(); ++m) {
        outcome.copy_settings(0, m * one_margin, one_margin);
    }
}

template <class Real>
void StoredTuner<Real>::evaluate_selected(const TuneFold& fold, const TuneMachine& machine,
                                          Scratch& scratch, MachineOutcome& outcome,
                                          Monitor& monitor) {
    // Samples in the order of their selection: those of a smaller margin are the first ones.
    std::vector<Index> selected;
    std::vector<bool> is_selected(machine.samples.size(), false);
    std::vector<std::size_t> n_selected(margins_.size(), 0);
    std::size_t read = 0;
    const bool complete = select(fold, machine, scratch, monitor, [&](std::size_t m) {
        for (; read < scratch.path.size(); ++read) {
            const Index position = scratch.path[read];
            const auto i = static_cast<std::size_t>(position);
            if (!is_selected[i]) selected.push_back(position);
            is_selected[i] = true;
        }
        n_selected[m] = selected.size();
    });
    if (!complete) return;
    take_variables(machine, selected, fold, scratch);
    const std::size_t one_margin = settings_.Cs.size();
    for (std::size_t m = 0; m < margins_.size(); ++m) {
        const std::size_t to = margin_order_[m];
        if (m > 0 && n_selected[m] == n_selected[m - 1]) {
            // Different margins often select the same samples.
            outcome.copy_settings(margin_order_[m - 1] * one_margin, to * one_margin, one_margin);
            continue;
        }
        refine_all(n_selected[m], to, fold, scratch, outcome, monitor);
    }
}

template class StoredTuner<float>;
template class StoredTuner<double>;

}  // namespace svmosaic
