// A small pool of threads for loops of a few microseconds and for whole solver runs.
#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "core/problem.hpp"

namespace svmosaic {

// `run` hands the numbers 0 .. n-1 to the caller's thread and the workers, in order, each
// number once. Which thread takes which number is left to chance, so a task may not depend
// on it: that is how results stay the same for any number of threads.
//
// Workers outlive their pool: they sleep until another pool of this process wants as many. To start
// and join a thread takes as long as half a million kernel values.
class ThreadPool {
  public:
    // Starts a thread. Tests bring one that fails; its threads end with the pool.
    using Start = std::thread (*)(std::function<void()> work);
    static std::thread start(std::function<void()> work);

    // `n_threads` counts the caller: 1 means no worker at all. When the system gives no more
    // threads, the pool makes do with those it has: results are the same for any number.
    explicit ThreadPool(Index n_threads, Start start = ThreadPool::start);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    Index n_threads() const;

    // Returns when every task is done. The first exception of a task is rethrown here; tasks
    // not yet begun are then skipped. `idle`, if given, is called every few milliseconds in the
    // caller's thread while it waits for the workers.
    template <class Task>
    void run(Index n_tasks, const Task& task, const std::function<void()>& idle = {}) {
        if (n_threads() == 1 || n_tasks <= 1) {
            for (Index i = 0; i < n_tasks; ++i) task(i);
            return;
        }
        run_shared(
            n_tasks, [](const void* context, Index i) { (*static_cast<const Task*>(context))(i); },
            &task, idle);
    }

  private:
    using Function = void (*)(const void*, Index);

    class Crew;
    class IdleCrews;

    void run_shared(Index n_tasks, Function function, const void* context,
                    const std::function<void()>& idle);

    std::unique_ptr<Crew> crew_;  // null without workers
    bool outlives_pool_ = false;
};

}  // namespace svmosaic
