#include "solvers/tune_streamed.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/kernel_columns.hpp"
#include "expansion/decide.hpp"
#include "solvers/smo_problem.hpp"

namespace svmosaic {

namespace {

// How many steps a run with this margin takes.
Index length_at(const Solution& path, double margin) {
    const auto& seen = path.path_violations;
    const auto reached =
        std::find_if(seen.begin(), seen.end(), [&](double worst) { return worst >= margin; });
    return (reached - seen.begin()) + (reached == seen.end() ? 0 : 1);
}

template <class Real>
class StreamedProblem {
  public:
    StreamedProblem(const Rows<Real>& rows, const KernelSpec& kernel, const TunePlan& plan,
                    const TuneFold& fold, const TuneProblem& problem, const TuneSettings& settings,
                    Index cache_bytes, ThreadPool& pool, Monitor& monitor, ProblemOutcome& outcome)
        : table_(rows),
          kernel_(kernel),
          plan_(plan),
          problem_(problem),
          settings_(settings),
          cache_bytes_(cache_bytes),
          pool_(pool),
          monitor_(monitor),
          outcome_(outcome),
          rows_(rows_of(problem.samples)),
          test_rows_(rows_of(fold.test)) {
        outcome.reset(settings.margins.size() * settings.Cs.size(), test_rows_.size(),
                      plan.rows.size());
    }

    void evaluate() {
        if (settings_.solver.refine.refinement == Refinement::full) {
            solve_exactly();
            return;
        }
        select();
        if (!monitor_.stopped()) predict_prefixes();
    }

  private:
    std::vector<Index> rows_of(std::span<const Index> samples) const {
        std::vector<Index> rows;
        rows.reserve(samples.size());
        for (const Index s : samples) rows.push_back(plan_.rows[s]);
        return rows;
    }
    Problem view() const { return {rows_, problem_.targets, problem_.weights, problem_.start}; }
    std::span<double> decisions(Index setting) {
        return std::span(outcome_.decisions)
            .subspan(setting * test_rows_.size(), test_rows_.size());
    }
    void mark(Index setting, Index position) {
        const Index words = ProblemOutcome::words_of(plan_.rows.size());
        mark_support(std::span(outcome_.support).subspan(setting * words, words),
                     problem_.samples[position]);
    }

    // One run to the largest margin.
    void select() {
        OllawvOptions ollawv = settings_.solver.ollawv;
        ollawv.margin = *std::max_element(settings_.margins.begin(), settings_.margins.end());
        KernelColumns<Real> columns(table_, rows_, kernel_, 0, pool_);
        path_ = solve_ollawv(view(), problem_.start, ollawv, columns, monitor_);
    }

    // Each step is evaluated once: the outputs at a margin are those at the one before, and more.
    void predict_prefixes() {
        const double total = std::accumulate(problem_.weights.begin(), problem_.weights.end(), 0.0);
        std::vector<double> outputs(test_rows_.size(), 0.0);
        Index read = 0;
        for (const Index m : ascending(settings_.margins)) {
            const Index length = length_at(path_, settings_.margins[m]);
            std::vector<Index> taken;
            double bias = 0.0;
            for (Index t = read; t < length; ++t) {
                taken.push_back(rows_[path_.path_rows[t]]);
                if (settings_.solver.ollawv.fit_intercept) bias += path_.path_steps[t] / total;
            }
            const auto steps =
                std::span<const double>(path_.path_steps).subspan(read, taken.size());
            const auto change = expansion_values(table_, std::span<const Index>(test_rows_),
                                                 kernel_, taken, steps, pool_, monitor_);
            for (Index v = 0; v < ssize(outputs); ++v) outputs[v] += change[v] + bias;
            read = length;
            const Index setting = m * settings_.Cs.size();
            std::copy(outputs.begin(), outputs.end(), decisions(setting).begin());
            for (Index t = 0; t < length; ++t) mark(setting, path_.path_rows[t]);
        }
    }

    // The solutions on all samples, from small C to large, each from where the last one ended. They
    // are the same for all margins.
    void solve_exactly() {
        std::vector<double> start;
        for (const Index c : ascending(settings_.Cs)) {
            if (monitor_.stopped()) return;
            SmoSettings smo;
            smo.C = settings_.Cs[c];
            smo.smo = settings_.solver.refine.smo;
            const Solution solution = solve_smo_problem(table_, kernel_, SmoTask{view(), start},
                                                        smo, cache_bytes_, pool_, monitor_);
            start = write(c, solution);
        }
    }

    // Leaves a model pending. Returns its coefficients, one per sample.
    std::vector<double> write(Index setting, const Solution& solution) {
        PendingModel model{setting, {}, solution.coef, solution.intercept};
        std::vector<double> coef(rows_.size(), 0.0);
        // Support vectors come in the order of the samples.
        Index position = 0;
        for (Index k = 0; k < ssize(solution.support); ++k) {
            while (rows_[position] != solution.support[k]) ++position;
            mark(setting, position);
            model.samples.push_back(problem_.samples[position]);
            coef[position] = solution.coef[k];
        }
        outcome_.pending.push_back(std::move(model));
        return coef;
    }

    const Rows<Real>& table_;
    const KernelSpec& kernel_;
    const TunePlan& plan_;
    const TuneProblem& problem_;
    const TuneSettings& settings_;
    Index cache_bytes_;
    ThreadPool& pool_;
    Monitor& monitor_;
    ProblemOutcome& outcome_;
    std::vector<Index> rows_;
    std::vector<Index> test_rows_;
    Solution path_;
};

// The coefficients of all pending models by support vector, one output per model.
class PendingCoefficients {
  public:
    PendingCoefficients(const TunePlan& plan, std::span<const ProblemOutcome> outcomes) {
        std::vector<Index> begins(plan.n_samples() + 1, 0);
        for_models(outcomes, [&](const PendingModel& model) {
            for (const Index sample : model.samples) ++begins[sample + 1];
        });
        offsets_.push_back(0);
        for (Index s = 0; s < plan.n_samples(); ++s) {
            if (begins[s + 1] > 0) {
                support_.push_back(plan.rows[s]);
                offsets_.push_back(offsets_.back() + begins[s + 1]);
            }
            begins[s + 1] += begins[s];
        }
        outputs_.resize(offsets_.back());
        values_.resize(offsets_.back());
        for_models(outcomes, [&](const PendingModel& model) {
            for (Index k = 0; k < ssize(model.samples); ++k) {
                const Index place = begins[model.samples[k]]++;
                outputs_[place] = n_outputs_;
                values_[place] = model.coef[k];
            }
            ++n_outputs_;
        });
    }
    std::span<const Index> support() const { return support_; }
    Coefficients view() const { return {offsets_, outputs_, values_, n_outputs_}; }

  private:
    template <class Visit>
    static void for_models(std::span<const ProblemOutcome> outcomes, const Visit& visit) {
        for (const auto& outcome : outcomes) {
            for (const auto& model : outcome.pending) visit(model);
        }
    }

    std::vector<Index> support_;
    std::vector<Index> offsets_;
    std::vector<Index> outputs_;
    std::vector<double> values_;
    Index n_outputs_ = 0;
};

}  // namespace

template <class Real>
void decide_streamed(const Rows<Real>& rows, const KernelSpec& kernel, const TunePlan& plan,
                     const TuneFold& fold, const TuneSettings& settings, ThreadPool& pool,
                     Monitor& monitor, std::span<ProblemOutcome> outcomes) {
    const Index n_test = ssize(fold.test);
    std::vector<Index> test_rows;
    for (const Index sample : fold.test) test_rows.push_back(plan.rows[sample]);
    const PendingCoefficients coefficients(plan, outcomes);
    std::vector<double*> out;
    for (auto& outcome : outcomes) {
        for (const auto& model : outcome.pending) {
            out.push_back(outcome.decisions.data() + model.setting * n_test);
        }
    }
    if (out.empty()) return;
    expansion_values(rows, std::span<const Index>(test_rows), kernel, coefficients.support(),
                     coefficients.view(), std::span<double* const>(out), pool, monitor);
    const Index n_Cs = settings.Cs.size();
    for (auto& outcome : outcomes) {
        for (const auto& model : outcome.pending) {
            double* decisions = outcome.decisions.data() + model.setting * n_test;
            for (Index v = 0; v < n_test; ++v) decisions[v] += model.intercept;
        }
        outcome.pending.clear();
        // The exact solution is the same for all margins.
        for (Index m = 1; m < ssize(settings.margins); ++m) {
            outcome.copy_settings(0, m * n_Cs, n_Cs);
        }
    }
}

template <class Real>
void evaluate_streamed(const Rows<Real>& rows, const KernelSpec& kernel, const TunePlan& plan,
                       const TuneFold& fold, const TuneProblem& problem,
                       const TuneSettings& settings, Index cache_bytes, ThreadPool& pool,
                       Monitor& monitor, ProblemOutcome& outcome) {
    StreamedProblem<Real>(rows, kernel, plan, fold, problem, settings, cache_bytes, pool, monitor,
                          outcome)
        .evaluate();
}

template void evaluate_streamed(const Rows<float>&, const KernelSpec&, const TunePlan&,
                                const TuneFold&, const TuneProblem&, const TuneSettings&, Index,
                                ThreadPool&, Monitor&, ProblemOutcome&);
template void evaluate_streamed(const Rows<double>&, const KernelSpec&, const TunePlan&,
                                const TuneFold&, const TuneProblem&, const TuneSettings&, Index,
                                ThreadPool&, Monitor&, ProblemOutcome&);
template void decide_streamed(const Rows<float>&, const KernelSpec&, const TunePlan&,
                              const TuneFold&, const TuneSettings&, ThreadPool&, Monitor&,
                              std::span<ProblemOutcome>);
template void decide_streamed(const Rows<double>&, const KernelSpec&, const TunePlan&,
                              const TuneFold&, const TuneSettings&, ThreadPool&, Monitor&,
                              std::span<ProblemOutcome>);

}  // namespace svmosaic
