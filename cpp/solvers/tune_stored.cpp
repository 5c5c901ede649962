#include "solvers/tune_stored.hpp"

#include <algorithm>
#include <optional>

#include "core/packed_rows.hpp"
#include "core/pairwise_values.hpp"
#include "solvers/ollawv_loop.hpp"

namespace svmosaic {

namespace {

// Rows of a matrix per task of a thread.
constexpr Index rows_per_task = 16;
// Rows of the kernel matrix that are read side by side; more are too many for a processor to read
// ahead, and too long without a question to the monitor.
constexpr Index columns_together = 64;
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
Index padded_test(const TuneFold& fold) {
    return simd::round_up(ssize(fold.test), 16);
}

// Whether a value takes longer to compute than to write far away from its neighbours. Dense rows
// only: there the value of (a, b) is that of (b, a) to the last bit.
template <class Real>
bool is_worth_mirroring(const Rows<Real>& rows) {
    constexpr Index enough_features = 24;
    const auto* dense = std::get_if<DenseRows<Real>>(&rows);
    return dense != nullptr && dense->n_columns >= enough_features;
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
    for (const Index m : margin_order_) margins_.push_back(settings.margins[m]);
}

template <class Real>
double StoredTuner<Real>::bytes_needed(const TunePlan& plan, const TuneSettings& settings,
                                       Index n_threads) {
    const auto n = static_cast<double>(plan.n_samples());
    const double n_matrices = settings.gammas.size() > 1 ? 2.0 : 1.0;
    double values = n * static_cast<double>(plan.column_length) * n_matrices;
    if (settings.solver.refine.refinement != Refinement::none) {
        const auto m = static_cast<double>(largest_problem(plan));
        // The columns of a problem and the triangle of a joint step, both at most this.
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
    base_values_.require(room());
    // Between classes: any number will do.
    for_rows(n, pool, monitor, [&](Index sample) {
        std::fill_n(base_values_.data() + sample * plan_.column_length, plan_.column_length,
                    Real{0});
    });
    const Index length = plan_.column_length;
    const int* places = plan_.places.data();
    const auto row_of = [&](Index sample) { return base_values_.data() + sample * length; };
    const auto store = [&](Index first, Index begin, Index n_values,
                           std::span<Real* const> values) {
        for (Index m = 0; m < ssize(values); ++m) {
            Real* row = row_of(first + m);
            for (Index i = 0; i < n_values; ++i) row[places[begin + i]] = values[m][i];
        }
    };
    // Of a pair, the call for the smaller sample writes both values: they have the same bits.
    const auto store_both = [&](Index first, Index begin, Index n_values,
                                std::span<Real* const> values) {
        for (Index m = 0; m < ssize(values); ++m) {
            Real* row = row_of(first + m);
            for (Index i = std::max<Index>(first + m - begin, 0); i < n_values; ++i) {
                row[places[begin + i]] = values[m][i];
            }
        }
        // Row by row: neighbours are written together.
        for (Index i = std::max<Index>(first - begin, 0); i < n_values; ++i) {
            Real* row = row_of(begin + i);
            const Index n_before = std::min(ssize(values), begin + i - first);
            for (Index m = 0; m < n_before; ++m) row[places[first + m]] = values[m][i];
        }
    };
    const std::span<const Index> samples(plan_.rows);
    if (is_worth_mirroring(rows_)) {
        for_base_values(packed, rows_, samples, value, pool, monitor, store_both, true);
    } else {
        for_base_values(packed, rows_, samples, value, pool, monitor, store);
    }
}

template <class Real>
void StoredTuner<Real>::apply(const KernelSpec& kernel, bool is_last, ThreadPool& pool,
                              Monitor& monitor) {
    const Index n = plan_.n_samples();
    const Index length = plan_.column_length;
    if (!is_last) kernel_values_.require(room());
    Real* values = is_last ? base_values_.data() : kernel_values_.data();
    matrix_ = values;
    diagonal_.resize(n);
    for_rows(n, pool, monitor, [&](Index sample) {
        const Index table_row = plan_.rows[sample];
        Real* row = values + sample * length;
        if (!is_last) std::copy_n(base_values_.data() + sample * length, length, row);
        apply_kernel(kernel, row, length);
        require_finite(kernel, row, length, table_row);
        diagonal_[sample] = kernel_diagonal(kernel, rows_, table_row);
    });
}

template <class Real>
void StoredTuner<Real>::evaluate(const TuneFold& fold, const TuneProblem& problem,
                                 ProblemOutcome& outcome, Monitor& monitor) {
    outcome.reset(settings_.margins.size() * settings_.Cs.size(), fold.test.size(),
                  plan_.rows.size());
    auto scratch = idle_.borrow();
    switch (settings_.solver.refine.refinement) {
        case Refinement::none:
            evaluate_plain(fold, problem, *scratch, outcome, monitor);
            break;
        case Refinement::full:
            evaluate_full(fold, problem, *scratch, outcome, monitor);
            break;
    }
    idle_.give_back(std::move(scratch));
}

template <class Real>
void StoredTuner<Real>::evaluate_plain(const TuneFold& fold, const TuneProblem& problem,
                                       Scratch& scratch, ProblemOutcome& outcome,
                                       Monitor& monitor) {
    const Index words = ProblemOutcome::words_of(plan_.rows.size());
    auto& path = scratch.path;
    path.clear();
    const auto read_off = [&](Index m) {
        const Index s = margin_order_[m] * settings_.Cs.size();
        double* decisions = outcome.decisions.data() + s * fold.test.size();
        for (Index v = 0; v < ssize(fold.test); ++v) {
            decisions[v] = scratch.scores.outputs()[fold.test_places[v]];
        }
        const auto bits = std::span(outcome.support).subspan(s * words, words);
        for (const Index i : path) mark_support(bits, problem.samples[i]);
    };
    scratch.scores.begin(matrix(), plan_, problem, fold, diagonal_);
    Index next = 0;
    run_ollawv(problem.targets, problem.weights, problem.start, settings_.solver.ollawv, ask_every,
               monitor, scratch.scores, [&](const OllawvStep& step) -> std::optional<Status> {
                   path.push_back(step.sample);
                   for (; next < ssize(margins_) && step.worst >= margins_[next]; ++next) {
                       read_off(next);
                   }
                   if (next < ssize(margins_)) return std::nullopt;
                   return Status::converged;
               });
    monitor.should_stop(ssize(path) % ask_every);
    if (monitor.stopped()) return;
    for (; next < ssize(margins_); ++next) read_off(next);
}

template <class Real>
void StoredTuner<Real>::take_variables(const TuneProblem& problem, Scratch& scratch) {
    scratch.samples.clear();
    scratch.places.clear();
    scratch.targets.clear();
    scratch.weights.clear();
    scratch.diagonal.clear();
    for (const Index position : problem.by_place) {
        const Index sample = problem.samples[position];
        scratch.samples.push_back(problem.samples[position]);
        scratch.places.push_back(plan_.places[sample]);
        scratch.targets.push_back(problem.targets[position]);
        scratch.weights.push_back(problem.weights[position]);
        scratch.diagonal.push_back(diagonal_[sample]);
    }
    scratch.ranges.clear();
    for (const Index label : problem.labels) {
        // Neighbours become one range: fewer, longer loops.
        const auto& range = plan_.ranges[label];
        if (!scratch.ranges.empty() && scratch.ranges.back().end == range.begin) {
            scratch.ranges.back().end = range.end;
        } else {
            scratch.ranges.push_back(range);
        }
    }
}

template <class Real>
void StoredTuner<Real>::predict(const TuneFold& fold, Scratch& scratch, ProblemOutcome& outcome,
                                Monitor& monitor) {
    const Index n_models = ssize(scratch.models);
    const Index n_variables = ssize(scratch.samples);
    const Index n_test = ssize(fold.test);
    scratch.columns.clear();
    scratch.coef.clear();
    for (Index v = 0; v < n_variables; ++v) {
        const auto coef = [&](Index m) { return scratch.betas[m * n_variables + v]; };
        bool is_support = false;
        for (Index m = 0; m < n_models; ++m) is_support = is_support || coef(m) != 0.0;
        if (!is_support) continue;
        scratch.columns.push_back(matrix().row(scratch.samples[v]));
        for (Index m = 0; m < n_models; ++m) scratch.coef.push_back(coef(m));
    }
    const Places::Run all{0, n_test};
    auto runs = fold.test_places.runs();
    if (!fold.test_places.has_long_runs()) {
        const Index length = padded_test(fold);
        scratch.predicted.require(scratch.columns.size() * length);
        Real* values = scratch.predicted.data();
        for (const Real*& column : scratch.columns) {
            fold.test_places.copy(column, values);
            std::fill(values + n_test, values + length, Real{0});
            column = values;
            values += length;
        }
        runs = std::span(&all, 1);
    }
    Index first = 0;
    for (const auto& run : runs) {
        const Index stride = simd::round_up(run.length, simd::lanes<Real>);
        scratch.sums.assign(n_models * stride, 0.0);
        for (Index begin = 0; begin < ssize(scratch.columns); begin += columns_together) {
            if (begin > 0 && monitor.should_stop(0)) return;
            const Index n_columns = std::min(columns_together, ssize(scratch.columns) - begin);
            simd::loops<Real>().multiply_columns(scratch.columns.data() + begin, run.begin,
                                                 scratch.coef.data() + begin * n_models, n_columns,
                                                 n_models, scratch.sums.data(), stride, stride);
        }
        for (Index m = 0; m < n_models; ++m) {
            const auto [setting, intercept] = scratch.models[m];
            const double* sums = scratch.sums.data() + m * stride;
            double* decisions = outcome.decisions.data() + setting * n_test + first;
            for (Index i = 0; i < run.length; ++i) decisions[i] = sums[i] + intercept;
        }
        first += run.length;
    }
}

template <class Real>
void StoredTuner<Real>::refine_all(const TuneFold& fold, Scratch& scratch, ProblemOutcome& outcome,
                                   Monitor& monitor) {
    const auto& smo = settings_.solver.refine.smo;
    const Index words = ProblemOutcome::words_of(plan_.rows.size());
    const StoredVariables variables{scratch.samples, scratch.places, scratch.targets,
                                    scratch.weights, scratch.diagonal};
    const Index max_updates = update_limit(smo.max_iter, variables.size());
    scratch.dual.bind(matrix(), scratch.ranges, variables);
    scratch.models.clear();
    scratch.betas.clear();
    for (const Index c : C_order_) {
        if (!scratch.dual.solve(settings_.Cs[c], smo.tol, max_updates, monitor)) return;
        if (monitor.should_stop(0)) return;
        const auto beta = scratch.dual.beta();
        scratch.models.push_back({c, scratch.dual.intercept()});
        scratch.betas.insert(scratch.betas.end(), beta.begin(), beta.end());
        const auto bits = std::span(outcome.support).subspan(c * words, words);
        for (Index v = 0; v < ssize(beta); ++v) {
            if (beta[v] != 0.0) mark_support(bits, scratch.samples[v]);
        }
        // It is the solution for all larger C, too.
        if (scratch.dual.is_final()) break;
    }
    predict(fold, scratch, outcome, monitor);
    const Index n_solved = ssize(scratch.models);
    for (Index c = n_solved; c < ssize(C_order_); ++c) {
        outcome.copy_settings(C_order_[n_solved - 1], C_order_[c], 1);
    }
}

template <class Real>
void StoredTuner<Real>::evaluate_full(const TuneFold& fold, const TuneProblem& problem,
                                      Scratch& scratch, ProblemOutcome& outcome, Monitor& monitor) {
    // In the order of their places: then copying a part of a row reads it from left to right.
    take_variables(problem, scratch);
    refine_all(fold, scratch, outcome, monitor);
    // The exact solution is the same for all margins.
    const Index one_margin = settings_.Cs.size();
    for (Index m = 1; m < ssize(settings_.margins); ++m) {
        outcome.copy_settings(0, m * one_margin, one_margin);
    }
}

template class StoredTuner<float>;
template class StoredTuner<double>;

}  // namespace svmosaic
