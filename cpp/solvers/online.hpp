// What the online solvers share: the order of visits, the outputs, where a stream continues.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/kernel_columns.hpp"
#include "core/monitor.hpp"
#include "core/problem.hpp"
#include "core/rows.hpp"
#include "core/sampling.hpp"
#include "core/thread_pool.hpp"
#include "simd/loops.hpp"
#include "solvers/run_all.hpp"

namespace svmosaic {

// shuffled: once, then in cycles; random: every visit drawn again; given: in cycles, as they came.
enum class VisitOrder { shuffled, random, given };

// A problem and the model to start from: rows of the same table, raw coefficients, and the
// weight visited before. Empty for a fresh start.
struct OnlineTask {
    Problem problem;
    std::span<const Index> support;
    std::span<const double> coef;
    double intercept = 0.0;
    double t = 0.0;
};

// The model, and what the solver needs to continue with more samples.
struct OnlineSolution : Solution {
    std::vector<double> state;     // raw coefficients of `support`, or of the features
    double state_intercept = 0.0;  // the raw constant term
    double t = 0.0;                // the weight visited so far
    std::vector<double> weights;   // feature weights of a linear model; else empty
};

// One visit of one sample.
struct Visit {
    Index sample = 0;    // position in problem.samples
    double share = 1.0;  // how much of a sample it counts
    Index needed = 0;    // outputs at packed places before this one are not read again
};

// A sample of weight w is visited ceil(w) times per epoch, as w copies of it would be; a last
// fraction r < 1 counts r. In random order a sample is drawn with probability proportional to its
// weight, as many times as all weights of all epochs add up to.
class Visits {
  public:
    Visits(const Problem& problem, VisitOrder order, Index epochs, Index seed);

    // False when all visits are done.
    bool next(Visit& visit);

    // The weight of all visits.
    double total() const { return total_; }
    // Positions in problem.samples by their last visit in an epoch: what is still to come is
    // contiguous.
    std::span<const Index> packing() const { return packing_; }
    // Whether some sample is visited more than once.
    bool revisits() const { return revisits_; }

  private:
    bool next_drawn(Visit& visit);
    void list_cycle(VisitOrder order);

    std::span<const double> weights_;
    bool drawn_;
    Index epochs_;
    double total_;
    bool revisits_;
    Sampler sampler_;
    std::vector<Index> packing_;

    // In cycles: the visits of one epoch, and what is left of each sample in this one.
    std::vector<std::uint32_t> cycle_;
    std::vector<std::uint32_t> last_visit_;
    std::vector<double> remaining_;
    Index at_ = 0;
    Index epoch_ = 0;
    Index n_finished_ = 0;

    // Drawn: the sums of the weights up to each sample, and what is done.
    std::vector<double> sums_;
    double done_ = 0.0;
};

// sum_j coef[j] k(x_j, x_i) for all samples i of a problem, kept up to date by one kernel column
// per change: what the sequential rule would compute at each visit, without its repetitions.
template <class Real>
class Outputs {
  public:
    Outputs(const Rows<Real>& rows, const KernelSpec& kernel, const Problem& problem,
            const Visits& visits, Index cache_bytes, ThreadPool& pool)
        : place_(problem.samples.size()),
          packed_(read_packing(problem, visits, place_)),
          columns_(rows, packed_, kernel, cache_bytes, pool, 0, ColumnUse::one_by_one),
          sums_(columns_.padded_size(), 0.0) {
        // Columns that are read again are kept if there is room for all; a part of them would be
        // pushed out in turn before it is read.
        const Index column_bytes = columns_.padded_size() * sizeof(Real);
        keep_ =
            visits.revisits() && ssize(packed_) <= cache_bytes / std::max<Index>(1, column_bytes);
        for (const double value : columns_.diagonal()) scale_ = std::max(scale_, std::abs(value));
    }

    double operator[](Index sample) const { return sums_[place(sample)]; }

    // coef[sample] += step.
    void add(Index sample, double step, Index needed) {
        const Index i = place(sample);
        if (!keep_) return add_row(packed_[i], step, needed);
        const Real* column = columns_.column(i);
        simd::loops<Real>().add_scaled(column, step, sums_.data(), columns_.padded_size());
    }

    // The same for any row of the table.
    void add_row(Index row, double step, Index needed) {
        if (needed >= columns_.size()) return;
        const auto& loops = simd::loops<Real>();
        columns_.computer().stream(
            row,
            [&](Index, Index begin, Index end, const Real* values) {
                loops.add_scaled(values, step, sums_.data() + begin,
                                 simd::round_up(end - begin, simd::lanes<Real>));
            },
            needed);
    }

    // The largest |k(x, x)|.
    double scale() const { return scale_; }
    void add_to(SolveCounters& counters) const { columns_.add_to(counters); }

  private:
    static std::vector<Index> read_packing(const Problem& problem, const Visits& visits,
                                           std::vector<Index>& place) {
        std::vector<Index> rows;
        rows.reserve(problem.samples.size());
        for (const Index sample : visits.packing()) {
            place[sample] = ssize(rows);
            rows.push_back(problem.samples[sample]);
        }
        return rows;
    }
    Index place(Index sample) const { return place_[sample]; }

    std::vector<Index> place_;   // of each sample among the packed rows
    std::vector<Index> packed_;  // rows of the table
    KernelColumns<Real> columns_;
    AlignedVector<double> sums_;
    bool keep_ = false;
    double scale_ = 0.0;
};

// Starts the outputs from the model of the task. False when the monitor says stop.
template <class Real>
bool add_earlier(const OnlineTask& task, Outputs<Real>& outputs, Monitor& monitor) {
    for (Index j = 0; j < ssize(task.support); ++j) {
        if (task.coef[j] != 0.0) outputs.add_row(task.support[j], task.coef[j], 0);
        if (monitor.should_stop(0)) return false;
    }
    return true;
}

// How far y f(x) may be from 1 by rounding alone. Without it, the form of the rows or the order
// of a sum could decide a tie of the mathematics.
inline double tie_width(double largest_term) {
    return std::min(1e-3, 1e-12 * std::max(1.0, largest_term));
}

// Lists the rows whose raw coefficient is not zero: those of the task first, then the problem's
// samples in their order. `raw` holds both in this order.
void list_support(const OnlineTask& task, std::span<const double> raw, OnlineSolution& solution);

// Says how the loop ended and how long it took.
void close(const Monitor& monitor, bool stopped, Monitor::Clock::time_point began,
           OnlineSolution& solution);

// Runs solve(task, cache_bytes, pool) for all tasks. One that cannot use the threads by itself
// (`splits` false) runs beside the others however large it is.
template <class Solve>
std::vector<OnlineSolution> run_online(std::span<const OnlineTask> tasks, double cache_mb,
                                       bool splits, Index n_threads, Monitor& monitor,
                                       const Solve& solve) {
    std::vector<Index> sizes;
    for (const auto& task : tasks) {
        const Index n = task.problem.samples.size();
        sizes.push_back(splits ? n : std::min(n, large_problem - 1));
    }
    std::vector<OnlineSolution> solutions(tasks.size());
    run_all(sizes, bytes_of(cache_mb), n_threads, monitor,
            [&](Index p, Index cache_bytes, ThreadPool& pool) {
                solutions[p] = solve(tasks[p], cache_bytes, pool);
                return Solution{};
            });
    return solutions;
}

}  // namespace svmosaic
