#include "solvers/tune_streamed.hpp"

#include <algorithm>
#include <numeric>

#include "core/kernel_columns.hpp"
#include "expansion/decide.hpp"
#include "solvers/run_all.hpp"

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
                    ThreadPool& pool, Monitor& monitor, MachineOutcome& outcome)
        : table_(rows),
          kernel_(kernel),
          plan_(plan),
          machine_(machine),
          settings_(settings),
          pool_(pool),
          monitor_(monitor),
          outcome_(outcome),
          rows_(rows_of(machine.samples)),
          test_rows_(rows_of(fold.test)) {
        outcome.reset(settings.margins.size() * settings.Cs.size(), test_rows_.size(),
                      plan.rows.size());
    }

    void evaluate() {
        select();
        if (monitor_.stopped()) return;
        if (settings_.machine.refine.refinement == Refinement::none) {
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
        std::vector<std::size_t> order(settings_.margins.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return settings_.margins[a] < settings_.margins[b];
        });
        const double total = std::accumulate(machine_.weights.begin(), machine_.weights.end(), 0.0);
        std::vector<double> outputs(test_rows_.size(), 0.0);
        std::size_t read = 0;
        for (const std::size_t m : order) {
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

    // The refined machines of one margin, from small C to large.
    void refine_margin(std::size_t m) {
        std::vector<bool> in_play(rows_.size(), false);
        const std::size_t length = length_at(path_, settings_.margins[m]);
        for (std::size_t t = 0; t < length; ++t) {
            in_play[static_cast<std::size_t>(path_.path_rows[t])] = true;
        }
        std::vector<std::size_t> order(settings_.Cs.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(),
                  [&](std::size_t a, std::size_t b) { return settings_.Cs[a] < settings_.Cs[b]; });
        for (const std::size_t c : order) {
            if (monitor_.stopped()) return;
            refine_one(m * settings_.Cs.size() + c, settings_.Cs[c], in_play);
        }
    }

    void refine_one(std::size_t setting, double C, std::vector<bool>& in_play) {
        std::vector<Index> selected;
        for (std::size_t i = 0; i < in_play.size(); ++i) {
            if (in_play[i]) selected.push_back(static_cast<Index>(i));
        }
        RefineSettings refinement = settings_.machine.refine;
        refinement.C = C;
        const Solution solution = refine(table_, kernel_, problem(), selected, refinement,
                                         bytes_of(settings_.memory_mb), pool_, monitor_);
        const auto values = expansion_values(table_, std::span<const Index>(test_rows_), kernel_,
                                             solution.support, solution.coef, pool_, monitor_);
        const auto out = decisions(setting);
        for (std::size_t v = 0; v < out.size(); ++v) out[v] = values[v] + solution.intercept;
        // Support vectors come in the order of the samples.
        std::size_t position = 0;
        for (const Index row : solution.support) {
            while (rows_[position] != row) ++position;
            mark(setting, static_cast<Index>(position));
            if (refinement.refinement == Refinement::full) in_play[position] = true;
        }
    }

    const Rows<Real>& table_;
    const KernelSpec& kernel_;
    const TunePlan& plan_;
    const TuneMachine& machine_;
    const TuneSettings& settings_;
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
                       const TuneSettings& settings, ThreadPool& pool, Monitor& monitor,
                       MachineOutcome& outcome) {
    StreamedMachine<Real>(rows, kernel, plan, fold, machine, settings, pool, monitor, outcome)
        .evaluate();
}

template void evaluate_streamed(const Rows<float>&, const KernelSpec&, const TunePlan&,
                                const TuneFold&, const TuneMachine&, const TuneSettings&,
                                ThreadPool&, Monitor&, MachineOutcome&);
template void evaluate_streamed(const Rows<double>&, const KernelSpec&, const TunePlan&,
                                const TuneFold&, const TuneMachine&, const TuneSettings&,
                                ThreadPool&, Monitor&, MachineOutcome&);

}  // namespace svmosaic
