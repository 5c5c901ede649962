// A small pool of threads for loops of a few microseconds and for whole solver runs.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "core/problem.hpp"

namespace svmosaic {

// `run` hands the numbers 0 .. n-1 to the caller's thread and the workers, in order, each
// number once. Which thread takes which number is left to chance, so a task may not depend
// on it: that is how results stay the same for any number of threads.
class ThreadPool {
  public:
    // Starts a thread. Tests bring one that fails.
    using Start = std::thread (*)(std::function<void()> work);
    static std::thread start(std::function<void()> work);

    // `n_threads` counts the caller: 1 means no worker at all. When the system gives no more
    // threads, the pool makes do with those it has: results are the same for any number.
    explicit ThreadPool(Index n_threads, Start start = ThreadPool::start);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    Index n_threads() const { return ssize(workers_) + 1; }

    // Returns when every task is done. The first exception of a task is rethrown here; tasks
    // not yet begun are then skipped. `idle`, if given, is called every few milliseconds in the
    // caller's thread while it waits for the workers.
    template <class Task>
    void run(Index n_tasks, const Task& task, const std::function<void()>& idle = {}) {
        if (workers_.empty() || n_tasks <= 1) {
            for (Index i = 0; i < n_tasks; ++i) task(i);
            return;
        }
        run_shared(
            n_tasks, [](const void* context, Index i) { (*static_cast<const Task*>(context))(i); },
            &task, idle);
    }

  private:
    using Function = void (*)(const void*, Index);

    void run_shared(Index n_tasks, Function function, const void* context,
                    const std::function<void()>& idle);
    void work();
    void take_tasks();

    // The job of the moment. Written by the caller only while no worker has joined.
    Function function_ = nullptr;
    const void* context_ = nullptr;
    Index n_tasks_ = 0;
    std::atomic<Index> next_{0};

    std::atomic<unsigned> epoch_{0};  // grows with every job; sleeping workers wait on it
    std::atomic<bool> open_{false};   // may workers join the job?
    std::atomic<int> joined_{0};      // workers inside the job
    std::atomic<bool> quit_{false};

    std::mutex failure_mutex_;
    std::exception_ptr failure_;

    std::vector<std::thread> workers_;
};

}  // namespace svmosaic
