// Progress, time limit and interruption: every loop asks the monitor whether to continue.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "core/problem.hpp"

namespace svmosaic {

// How far the work is, for progress displays.
struct Progress {
    Index problems_done = 0;
    Index problems_total = 0;
    Index steps = 0;
};

// The limit on the updates of an exact solver on n samples; 0 leaves it to us.
inline Index update_limit(Index max_iter, Index n) {
    return max_iter > 0 ? max_iter : std::max<Index>(10'000'000, 100 * n);
}

class Monitor {
  public:
    using Clock = std::chrono::steady_clock;

    // `poll` is called about twenty times a second, only ever in the thread that made the
    // monitor; it returns true when the user asked to stop. `max_time` <= 0 means no limit.
    Monitor(double max_time, std::function<bool(const Progress&)> poll)
        : poll_(std::move(poll)), owner_(std::this_thread::get_id()), started_(Clock::now()) {
        // Beyond thirty years the clock's integers overflow, and nobody waits.
        if (max_time > 0 && max_time < 1e9) {
            limited_ = true;
            deadline_ = started_ + std::chrono::duration_cast<Clock::duration>(
                                       std::chrono::duration<double>(max_time));
        }
        next_poll_ = started_ + poll_interval;
    }
    Monitor() : Monitor(0.0, {}) {}

    // True when the loop should stop now. `steps` counts what was done since the last call.
    bool should_stop(Index steps = 1) {
        steps_.fetch_add(steps, std::memory_order_relaxed);
        if (stopped()) return true;
        const auto now = Clock::now();
        if (limited_ && now >= deadline_) {
            stop(Status::max_time);
            return true;
        }
        if (std::this_thread::get_id() == owner_ && now >= next_poll_) {
            next_poll_ = now + poll_interval;
            if (poll_ && poll_(progress())) stop(Status::interrupted);
        }
        return stopped();
    }

    // The first reason counts.
    void stop(Status reason) {
        Status going_on = running;
        state_.compare_exchange_strong(going_on, reason);
    }
    bool stopped() const { return state_.load(std::memory_order_relaxed) != running; }
    Status reason() const { return state_.load(); }

    void expect_problems(Index n) { problems_total_.store(n); }
    void problem_done() { problems_done_.fetch_add(1); }
    Progress progress() const {
        return {problems_done_.load(), problems_total_.load(), steps_.load()};
    }
    double seconds() const {
        return std::chrono::duration<double>(Clock::now() - started_).count();
    }

  private:
    static constexpr auto poll_interval = std::chrono::milliseconds(50);

    std::function<bool(const Progress&)> poll_;
    std::thread::id owner_;
    Clock::time_point started_;
    Clock::time_point deadline_;
    Clock::time_point next_poll_;
    bool limited_ = false;
    // One value says both that the run has stopped and why.
    static constexpr Status running = Status::converged;
    std::atomic<Status> state_{running};
    std::atomic<Index> steps_{0};
    std::atomic<Index> problems_done_{0};
    std::atomic<Index> problems_total_{0};
};

}  // namespace svmosaic
