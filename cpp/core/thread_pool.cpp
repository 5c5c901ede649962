#include "core/thread_pool.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <system_error>
#include <utility>

namespace svmosaic {

namespace {

// Workers look for the next job this long before they sleep: waking a thread costs about as
// much, and a solver starts its next loop within microseconds.
constexpr auto spin_time = std::chrono::microseconds(60);

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
}

}  // namespace

std::thread ThreadPool::start(std::function<void()> work) {
    return std::thread(std::move(work));
}

ThreadPool::ThreadPool(Index n_threads, Start start) {
    // Room first: nothing may throw between the start of a thread and its place in the list.
    workers_.reserve(std::max<Index>(0, n_threads - 1));
    try {
        for (Index i = 1; i < n_threads; ++i) workers_.push_back(start([this] { work(); }));
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
}

ThreadPool::~ThreadPool() {
    quit_.store(true);
    epoch_.fetch_add(1);
    epoch_.notify_all();
    for (auto& worker : workers_) worker.join();
}

void ThreadPool::take_tasks() {
    try {
        for (Index i = next_.fetch_add(1); i < n_tasks_; i = next_.fetch_add(1)) {
            function_(context_, i);
        }
    } catch (...) {
        const std::lock_guard lock(failure_mutex_);
        if (!failure_) failure_ = std::current_exception();
        next_.store(n_tasks_);
    }
}

void ThreadPool::work() {
    unsigned seen = 0;
    while (true) {
        const auto sleep_at = std::chrono::steady_clock::now() + spin_time;
        while (epoch_.load(std::memory_order_acquire) == seen) {
            if (std::chrono::steady_clock::now() < sleep_at) {
                pause_briefly();
            } else {
                epoch_.wait(seen);
            }
        }
        seen = epoch_.load(std::memory_order_acquire);
        if (quit_.load()) return;
        // Join first, look second. The caller closes first and looks at `joined_` second, so
        // either this worker finds the job closed or the caller waits for it.
        joined_.fetch_add(1);
        if (open_.load()) take_tasks();
        joined_.fetch_sub(1);
    }
}

void ThreadPool::run_shared(Index n_tasks, Function function, const void* context,
                            const std::function<void()>& idle) {
    function_ = function;
    context_ = context;
    n_tasks_ = n_tasks;
    next_.store(0);
    failure_ = nullptr;
    open_.store(true);
    epoch_.fetch_add(1);
    epoch_.notify_all();

    take_tasks();

    open_.store(false);
    auto next_idle = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
    while (joined_.load() != 0) {
        pause_briefly();
        if (idle && std::chrono::steady_clock::now() >= next_idle) {
            idle();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            next_idle = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
        }
    }
    if (failure_) std::rethrow_exception(failure_);
}

}  // namespace svmosaic
