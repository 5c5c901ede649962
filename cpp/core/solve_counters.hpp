// What a solver did: counts, and the seconds that went into each phase.
#pragma once

#include <algorithm>
#include <chrono>

#include "core/index.hpp"

namespace svmosaic {

// The work behind a solution. Like the solution, it is the same for any number of threads, as long
// as the kernel columns that are read again stay in the cache: evicted ones are computed again.
struct SolveCounters {
    Index n_kernel_values = 0;  // computed, or read from a matrix that was given
    Index n_columns = 0;        // kernel columns begun or completed; their values count above
    Index n_selections = 0;     // steps of OLLAWV
    Index n_updates = 0;        // of coefficients, by another solver
    Index n_rounds = 0;         // times the samples out of play were asked for violators
    Index n_blocks = 0;         // blocks of variables that were solved by themselves
    Index n_sweeps = 0;         // joint steps of several blocks, each with one line search
    double theta_sum = 0.0;     // lengths of the joint steps, 1 being the whole step
    double theta_min = 1.0;
    Index cache_bytes = 0;  // most memory of kernel columns at one time, for one problem

    bool operator==(const SolveCounters&) const = default;

    void add_sweep(Index blocks, double theta) {
        n_blocks += blocks;
        ++n_sweeps;
        theta_sum += theta;
        theta_min = std::min(theta_min, theta);
    }

    // Work on another part of the problem, or on another problem. Sums of theta depend on the
    // order, so parts are added in a fixed one.
    SolveCounters& operator+=(const SolveCounters& other) {
        n_kernel_values += other.n_kernel_values;
        n_columns += other.n_columns;
        n_selections += other.n_selections;
        n_updates += other.n_updates;
        n_rounds += other.n_rounds;
        n_blocks += other.n_blocks;
        n_sweeps += other.n_sweeps;
        theta_sum += other.theta_sum;
        theta_min = std::min(theta_min, other.theta_min);
        cache_bytes = std::max(cache_bytes, other.cache_bytes);
        return *this;
    }
};

// Wall-clock time of one problem. Parts of a problem that are solved side by side count once, by
// the phase that waits for them.
struct PhaseSeconds {
    double total = 0.0;
    double selection = 0.0;    // steps of OLLAWV
    double clusters = 0.0;     // solutions of clusters, from which the solver starts
    double start = 0.0;        // gradients at the coefficients to start from
    double solving = 0.0;      // updates of the samples in play
    double certificate = 0.0;  // the optimality conditions of all other samples
};

// Adds the time from its construction to its end.
class PhaseTimer {
  public:
    explicit PhaseTimer(double& seconds) : seconds_(seconds), began_(Clock::now()) {}
    ~PhaseTimer() { seconds_ += std::chrono::duration<double>(Clock::now() - began_).count(); }
    PhaseTimer(const PhaseTimer&) = delete;
    PhaseTimer& operator=(const PhaseTimer&) = delete;

  private:
    using Clock = std::chrono::steady_clock;
    double& seconds_;
    Clock::time_point began_;
};

}  // namespace svmosaic
