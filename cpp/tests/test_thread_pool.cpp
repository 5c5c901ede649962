#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "core/monitor.hpp"
#include "core/thread_pool.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

void every_task_runs_once() {
    for (Index n_threads = 1; n_threads <= 4; ++n_threads) {
        ThreadPool pool(n_threads);
        check(pool.n_threads() == n_threads, "the caller counts as a thread");
        for (const Index n_tasks : {0, 1, 2, 3, 7, 1000}) {
            std::vector<std::atomic<int>> runs(n_tasks);

            pool.run(n_tasks, [&](Index i) { ++runs[i]; });

            check(std::all_of(runs.begin(), runs.end(), [](const auto& r) { return r == 1; }),
                  "each number once");
        }
    }
}

void thousands_of_tiny_jobs_leave_nothing_behind() {
    for (Index n_threads = 1; n_threads <= 4; ++n_threads) {
        ThreadPool pool(n_threads);
        bool complete = true;
        for (Index job = 0; job < 3000; ++job) {
            // Plain memory: the end of `run` has to make the workers' writes visible.
            std::vector<Index> seen(2 + job % 5, -1);
            pool.run(ssize(seen), [&](Index i) { seen[i] = job; });
            complete = complete && std::all_of(seen.begin(), seen.end(),
                                               [&](Index value) { return value == job; });
        }
        check(complete, "all tasks of every job");
    }
}

void refuse_thread() {
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
}
void refuse_memory() {
    throw std::bad_alloc();
}

// The system may refuse a thread, or the memory for it, when some are running already.
template <void (*refuse)()>
void a_pool_makes_do_with_the_threads_it_gets() {
    static std::atomic<int> started;
    started = 0;
    ThreadPool pool(6, [](std::function<void()> work) {
        if (started == 2) refuse();
        ++started;
        return std::thread(std::move(work));
    });
    std::atomic<Index> sum{0};

    pool.run(100, [&](Index i) { sum += i; });

    check(pool.n_threads() == 3, "two workers and the caller");
    check(sum == 4950, "0 + ... + 99");
}

// Jobs so far apart that the workers fall asleep in between.
void sleeping_workers_wake_up() {
    ThreadPool pool(3);
    for (int job = 0; job < 20; ++job) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        std::atomic<Index> sum{0};

        pool.run(10, [&](Index i) { sum += i; });

        check(sum == 45, "0 + ... + 9");
    }
}

void workers_take_part() {
    ThreadPool pool(2);
    std::atomic<int> inside{0};

    // Each task waits for the other one, so one thread alone would never finish.
    pool.run(2, [&](Index) {
        ++inside;
        while (inside < 2) std::this_thread::yield();
    });

    check(inside == 2, "two threads at once");
}

void exceptions_reach_the_caller() {
    for (Index n_threads = 1; n_threads <= 4; ++n_threads) {
        ThreadPool pool(n_threads);
        for (int round = 0; round < 50; ++round) {
            std::string message;
            try {
                pool.run(100, [](Index i) {
                    if (i == 37) throw std::runtime_error("task 37");
                });
            } catch (const std::runtime_error& error) {
                message = error.what();
            }
            check(message == "task 37", "the exception of the task");
        }
        std::atomic<Index> sum{0};
        pool.run(10, [&](Index i) { sum += i; });
        check(sum == 45, "the pool continues after an exception");
    }
}

void tasks_after_a_failure_are_skipped() {
    ThreadPool pool(2);
    std::atomic<Index> n_run{0};
    try {
        pool.run(1'000'000, [&](Index) {
            ++n_run;
            throw std::runtime_error("at once");
        });
    } catch (const std::runtime_error&) {
    }
    check(n_run >= 1 && n_run < 1000, "only tasks already begun have run");
}

void idle_is_called_by_the_caller_while_it_waits() {
    ThreadPool pool(2);
    const auto caller = std::this_thread::get_id();
    std::atomic<int> inside{0};
    std::atomic<bool> released{false};
    int n_idle = 0;
    bool only_caller = true;

    // Each thread gets one task; the worker's lasts until the caller was idle three times.
    pool.run(
        2,
        [&](Index) {
            ++inside;
            while (inside < 2) std::this_thread::yield();
            if (std::this_thread::get_id() == caller) return;
            while (!released) std::this_thread::yield();
        },
        [&] {
            ++n_idle;
            only_caller = only_caller && std::this_thread::get_id() == caller;
            if (n_idle == 3) released = true;
        });

    check(n_idle >= 3, "again and again");
    check(only_caller, "in the caller's thread");
}

void pools_nest() {
    ThreadPool outer(3);
    std::vector<Index> sums(20, 0);

    outer.run(20, [&](Index task) {
        ThreadPool inner(1 + task % 3);
        std::vector<Index> parts(10);
        inner.run(10, [&](Index i) { parts[i] = i * task; });
        sums[task] = std::accumulate(parts.begin(), parts.end(), Index{0});
    });

    for (Index task = 0; task < 20; ++task) check(sums[task] == 45 * task, "inner sum");
}

std::thread::id worker_of(ThreadPool& pool) {
    std::atomic<int> inside{0};
    std::thread::id found;
    const auto caller = std::this_thread::get_id();
    pool.run(2, [&](Index) {
        ++inside;
        while (inside < 2) std::this_thread::yield();
        if (std::this_thread::get_id() != caller) found = std::this_thread::get_id();
    });
    return found;
}

void workers_wait_for_the_next_pool() {
    std::thread::id first;
    {
        ThreadPool pool(2);
        first = worker_of(pool);
    }
    ThreadPool next(2);
    ThreadPool beside(2);

    check(worker_of(next) == first, "the same thread again");
    check(worker_of(beside) != first, "one pool at a time");
}

// More pools at a time than crews may wait for the next one.
void many_pools_at_once_end() {
    for (int round = 0; round < 3; ++round) {
        std::vector<std::unique_ptr<ThreadPool>> pools;
        for (Index k = 0; k < 12; ++k) pools.push_back(std::make_unique<ThreadPool>(2 + k % 2));
        std::atomic<Index> sum{0};

        for (auto& pool : pools) pool->run(10, [&](Index i) { sum += i; });

        check(sum == 12 * 45, "all tasks of every pool");
    }
}

// A thread that finds the monitor stopped must also find why. Two threads in lockstep, as often
// as a fifth of a second allows: one stops monitor after monitor, the other watches.
void a_stopped_monitor_knows_the_reason() {
    std::vector<Monitor> monitors(20'000);
    std::atomic<Index> turn{0};
    std::thread stopper([&] {
        for (Index k = 0; k < ssize(monitors); ++k) {
            Index now = turn;
            while (now <= k) now = turn;
            if (now > ssize(monitors)) return;
            monitors[k].stop(Status::max_time);
        }
    });
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    bool known = true;
    for (const Monitor& monitor : monitors) {
        if (std::chrono::steady_clock::now() >= deadline) break;
        ++turn;
        while (!monitor.stopped()) {
        }
        known = known && monitor.reason() == Status::max_time;
    }
    turn = monitors.size() + 1;
    stopper.join();
    check(known, "the reason is there as soon as stopped() is true");
}

}  // namespace

void test_thread_pool() {
    every_task_runs_once();
    thousands_of_tiny_jobs_leave_nothing_behind();
    a_pool_makes_do_with_the_threads_it_gets<refuse_thread>();
    a_pool_makes_do_with_the_threads_it_gets<refuse_memory>();
    sleeping_workers_wake_up();
    workers_take_part();
    exceptions_reach_the_caller();
    tasks_after_a_failure_are_skipped();
    idle_is_called_by_the_caller_while_it_waits();
    pools_nest();
    workers_wait_for_the_next_pool();
    many_pools_at_once_end();
    a_stopped_monitor_knows_the_reason();
}

}  // namespace svmosaic::test
