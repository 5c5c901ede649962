// OLLAWV on a stored kernel matrix, run once and seen at several margins.
#pragma once

#include <span>
#include <vector>

#include "core/aligned.hpp"
#include "core/monitor.hpp"
#include "simd/loops.hpp"
#include "solvers/kernel_matrix.hpp"
#include "solvers/ollawv.hpp"
#include "solvers/tune_plan.hpp"

namespace svmosaic {

// The same steps as solve_ollawv, number for number, and in the same pass the outputs of the
// samples to predict: f(x) of every sample of the table, training or not, is kept up to date. The
// machine for a smaller margin is a prefix of the run, so each is read off when the run passes its
// margin.
template <class Real>
class MarginRun {
  public:
    // Runs to the last of the ascending `margins` and calls seen(m, steps) once for each of them,
    // in order. Returns false when the monitor said stop.
    template <class Seen>
    bool run(const KernelMatrix<Real>& matrix, const TunePlan& plan, const TuneMachine& machine,
             const TuneFold& fold, std::span<const double> diagonal,
             std::span<const double> margins, const OllawvSettings& settings, Monitor& monitor,
             const Seen& seen) {
        prepare(plan, machine, fold, diagonal, settings);
        std::size_t next = 0;
        bool goes_on = true;
        while (goes_on && next < margins.size()) {
            goes_on = step(matrix, plan, machine, settings);
            const auto taken = static_cast<Index>(path_.size());
            if (taken % ask_every == 0 && monitor.should_stop(ask_every)) return false;
            for (; next < margins.size() && worst_ >= margins[next]; ++next) seen(next, taken);
        }
        monitor.should_stop(static_cast<Index>(path_.size()) % ask_every);
        for (; next < margins.size(); ++next) seen(next, static_cast<Index>(path_.size()));
        return !monitor.stopped();
    }

    // Positions in machine.samples, one per step.
    std::span<const Index> path() const { return path_; }
    // f(x) for C = 1 by place, as of now.
    std::span<const double> outputs() const { return outputs_; }

  private:
    static constexpr Index ask_every = 64;

    struct Part {
        PlaceRange range;
        double sign = 0.0;  // the target of its samples; 0 where they are only predicted
        double lowest = 0.0;
    };

    void prepare(const TunePlan& plan, const TuneMachine& machine, const TuneFold& fold,
                 std::span<const double> diagonal, const OllawvSettings& settings);
    // Takes one step. Returns false when there is no further one.
    bool step(const KernelMatrix<Real>& matrix, const TunePlan& plan, const TuneMachine& machine,
              const OllawvSettings& settings);
    void update(const Real* column, double step, double shift);
    Index find_worst() const;

    std::vector<Part> parts_;
    AlignedVector<double> outputs_;  // by place
    AlignedVector<double> blocked_;  // by place: 0 in the pool, else +infinity
    std::vector<Index> position_;    // by place: the position in machine.samples
    std::vector<double> remaining_;
    std::vector<Index> path_;
    double total_weight_ = 0.0;
    double tie_ = 0.0;
    Index max_iter_ = 0;
    Index n_support_ = 0;
    Index next_ = 0;      // position of the next sample
    double worst_ = 0.0;  // the lowest y f(x) in the pool
};

}  // namespace svmosaic
