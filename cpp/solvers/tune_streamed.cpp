#include "solvers/tune_streamed.hpp"

#include <algorithm>
#include <numeric>

#include "core/kernel_columns.hpp"
#include "expansion/decide.hpp"
#include "solvers/refine.hpp"
#include "solvers/smo_machine.hpp"

namespace svmosaic {

namespace {

// How many steps a run with this margin takes.
std::size_t length_at(const Solution& path, double margin) {
    const auto& seen = path.path_violations;
    const auto reached =
        std::find_if(seen.begin(), seen.end(), [&](double worst) { return worst >= margin; });
    return static_cast<std::size_t>(reached - seen.begin()) + (reached == seen.end() ? 0 : 1);
}

template <class Real>
class StreamedMachine {
  public:
    StreamedMachine(const Rows<Real>& rows, const KernelSpec& kernel, const TunePlan& plan,
                    const TuneFold& fold, const TuneMachine& machine, const TuneSettings& settings,
                    std::size_t cache_bytes, ThreadPool& pool, Monitor& monitor,
                    MachineOutcome& outcome)
        : table_(rows),
          kernel_(kernel),
          plan_(plan),
          machine_(machine),
          settings_(settings),
          cache_bytes_(cache_bytes),
          pool_(pool),
          monitor_(monitor),
          outcome_(outcome),
          rows_(rows_of(machine.samples)),
          test_rows_(rows_of(fold.test)) {
        outcome.reset(settings.margins.size() * settings.Cs.size(), test_rows_.size(),
                      plan.rows.size());
    }

    void evaluate() {
        const auto refinement = settings_.machine.refine.refinement;
        if (refinement == Refinement::full) {
            solve_exactly();
            return;
        }
        select();
        if (monitor_.stopped()) return;
        if (refinement == Refinement::none) {
            predict_prefixes();
        } else {
            for (std::size_t m = 0; m < settings_.margins.size(); ++m) refine_margin(m);
        }
    }

  private:
    std::vector<Index> rows_of(std::span<const Index> samples) const {
        std::vector<Index> rows;
        rows.reserve(samples.size());
        for (const Index s : samples) rows.push_back(plan_.rows[static_cast<std::size_t>(s)]);
        return rows;
    }
    Problem problem() const { return {rows_, machine_.targets, machine_.weights, machine_.start}; }
    std::span<double> decisions(std::size_t setting) {
        return std::span(outcome_.decisions)
            .subspan(setting * test_rows_.size(), test_rows_.size());
    }
    void mark(std::size_t setting, Index position) {
        const std::size_t words = MachineOutcome::words_of(plan_.rows.size());
        mark_support(std::span(outcome_.support).subspan(setting * words, words),
                     machine_.samples[static_cast<std::size_t>(position)]);
    }

    // One run to the largest margin.
    void select() {
        OllawvSettings ollawv = settings_.machine.ollawv;
        ollawv.margin = *std::max_element(settings_.margins.begin(), settings_.margins.end());
        KernelColumns<Real> columns(table_, rows_, kernel_, 0, pool_);
        path_ = solve_ollawv(problem(), machine_.start, ollawv, columns, monitor_);
    }

    // Each step is evaluated once: the outputs at a margin are those at the one before, and more.
    void predict_prefixes() {
        const double total = std::accumulate(machine_.weights.begin(), machine_.weights.end(), 0.0);
        std::vector<double> outputs(test_rows_.size(), 0.0);
        std::size_t read = 0;
        for (const std::size_t m : ascending(settings_.margins)) {
            const std::size_t length = length_at(path_, settings_.margins[m]);
            std::vector<Index> taken;
            double bias = 0.0;
            for (std::size_t t = read; t < length; ++t) {
                taken.push_back(rows_[static_cast<std::size_t>(path_.path_rows[t])]);
                if (settings_.machine.ollawv.fit_intercept) bias += path_.path_steps[t] / total;
            }
            const auto steps =
                std::span<const double>(path_.path_steps).subspan(read, taken.size());
            const auto change = expansion_values(table_, std::span<const Index>(test_rows_),
                                                 kernel_, taken, steps, pool_, monitor_);
            for (std::size_t v = 0; v < outputs.size(); ++v) outputs[v] += change[v] + bias;
            read = length;
            const std::size_t setting = m * settings_.Cs.size();
            std::copy(outputs.begin(), outputs.end(), decisions(setting).begin());
            for (std::size_t t = 0; t < length; ++t) mark(setting, path_.path_rows[t]);
        }
    }

    // The machines on the samples that a margin selects, for all C.
    void refine_margin(std::size_t m) {
        std::vector<bool> is_selected(rows_.size(), false);
        const std::size_t length = length_at(path_, settings_.margins[m]);
        for (std::size_t t = 0; t < length; ++t) {
            is_selected[static_cast<std::size_t>(path_.path_rows[t])] = true;
        }
        std::vector<Index> selected;
        for (std::size_t i = 0; i < is_selected.size(); ++i) {
            if (is_selected[i]) selected.push_back(static_cast<Index>(i));
        }
        for (std::size_t c = 0; c < settings_.Cs.size(); ++c) {
            if (monitor_.stopped()) return;
            RefineSettings refinement = settings_.machine.refine;
            refinement.C = settings_.Cs[c];
            write(m * settings_.Cs.size() + c, refine(table_, kernel_, problem(), selected,
                                                      refinement, cache_bytes_, pool_, monitor_));
        }
    }

    // The machines on all samples, from small C to large, each from where the last one ended. They
    // are the same for all margins.
    void solve_exactly() {
        std::vector<double> start;
        for (const std::size_t c : ascending(settings_.Cs)) {
            if (monitor_.stopped()) return;
            SmoMachine machine;
            machine.C = settings_.Cs[c];
            machine.smo = settings_.machine.refine.smo;
            const Solution solution = solve_smo_machine(table_, kernel_, SmoTask{problem(), start},
                                                        machine, cache_bytes_, pool_, monitor_);
            start = write(c, solution);
        }
        for (std::size_t m = 1; m < settings_.margins.size(); ++m) {
            outcome_.copy_settings(0, m * settings_.Cs.size(), settings_.Cs.size());
        }
    }

    // What a machine says of the test samples. Returns its coefficients, one per sample.
    std::vector<double> write(std::size_t setting, const Solution& solution) {
        const auto values = expansion_values(table_, std::span<const Index>(test_rows_), kernel_,
                                             solution.support, solution.coef, pool_, monitor_);
        const auto out = decisions(setting);
        for (std::size_t v = 0; v < out.size(); ++v) out[v] = values[v] + solution.intercept;
        std::vector<double> coef(rows_.size(), 0.0);
        // Support vectors come in the order of the samples.
        std::size_t position = 0;
        for (std::size_t k = 0; k < solution.support.size(); ++k) {
            while (rows_[position] != solution.support[k]) ++position;
            mark(setting, static_cast<Index>(position));
            coef[position] = solution.coef[k];
        }
        return coef;
    }

    const Rows<Real>& table_;
    const KernelSpec& kernel_;
    const TunePlan& plan_;
    const TuneMachine& machine_;
    const TuneSettings& settings_;
    std::size_t cache_bytes_;
    ThreadPool& pool_;
    Monitor& monitor_;
    MachineOutcome& outcome_;
    std::vector<Index> rows_;
    std::vector<Index> test_rows_;
    Solution path_;
};

}  // namespace

template <class Real>
void evaluate_streamed(const Rows<Real>& rows, const KernelSpec& kernel, const TunePlan& plan,
                       const TuneFold& fold, const TuneMachine& machine,
                       const TuneSettings& settings, std::size_t cache_bytes, ThreadPool& pool,
                       Monitor& monitor, MachineOutcome& outcome) {
    StreamedMachine<Real>(rows, kernel, plan, fold, machine, settings, cache_bytes, pool, monitor,
                          outcome)
        .evaluate();
}

template void evaluate_streamed(const Rows<float>&, const KernelSpec&, const TunePlan&,
                                const TuneFold&, const TuneMachine&, const TuneSettings&,
                                std::size_t, ThreadPool&, Monitor&, MachineOutcome&);
template void evaluate_streamed(const Rows<double>&, const KernelSpec&, const TunePlan&,
                                const TuneFold&, const TuneMachine&, const TuneSettings&,
                                std::size_t, ThreadPool&, Monitor&, MachineOutcome&);

}  // namespace svmosaic
