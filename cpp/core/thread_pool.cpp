#include "core/thread_pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#ifndef _WIN32
#include <pthread.h>
#endif

namespace svmosaic {

namespace {

// Workers look for the next job this long before they sleep: waking a thread costs about as
// much, and a solver starts its next loop within microseconds.
constexpr auto spin_time = std::chrono::microseconds(60);
// Crews that may wait for their next pool. More are needed only while that many pools exist.
constexpr Index most_idle_crews = 4;

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
}

}  // namespace

// Workers and the job that they share.
class ThreadPool::Crew {
  public:
    Crew(Index n_workers, Start start) {
        // Room first: nothing may throw between the start of a thread and its place in the list.
        workers_.reserve(n_workers);
        try {
            for (Index i = 0; i < n_workers; ++i) workers_.push_back(start([this] { work(); }));
        } catch (const std::system_error&) {
        } catch (const std::bad_alloc&) {
        }
    }

    ~Crew() {
        quit_.store(true);
        epoch_.fetch_add(1);
        epoch_.notify_all();
        for (auto& worker : workers_) worker.join();
    }

    Index size() const { return ssize(workers_); }

    void run(Index n_tasks, Function function, const void* context,
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
        // Not kept: a crew outlives whatever the exception refers to.
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    }

  private:
    void take_tasks() {
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

    void work() {
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

// Crews between two pools. They are never ended: at the end of the process there may be nobody left
// who could wait for them.
class ThreadPool::IdleCrews {
  public:
    static IdleCrews& of_process() { return *here_; }

    // Null if there is none of this size.
    std::unique_ptr<Crew> take(Index n_workers) {
        const std::lock_guard lock(mutex_);
        const auto found = std::find_if(crews_.begin(), crews_.end(), [&](const auto& crew) {
            return crew->size() == n_workers;
        });
        if (found == crews_.end()) return nullptr;
        auto crew = std::move(*found);
        crews_.erase(found);
        return crew;
    }

    // The one that has waited longest ends if there are too many.
    void give_back(std::unique_ptr<Crew> crew) {
        std::unique_ptr<Crew> oldest;  // ends when the lock is open again
        const std::lock_guard lock(mutex_);
        crews_.push_back(std::move(crew));
        if (ssize(crews_) <= most_idle_crews) return;
        oldest = std::move(crews_.front());
        crews_.erase(crews_.begin());
    }

  private:
    // Room first: `give_back` may not throw.
    IdleCrews() { crews_.reserve(most_idle_crews + 1); }

    static IdleCrews* begin() {
#ifndef _WIN32
        // A forked process has a copy of everything but the threads.
        pthread_atfork(nullptr, nullptr, [] { here_ = new IdleCrews; });
#endif
        return new IdleCrews;
    }

    static IdleCrews* here_;

    std::mutex mutex_;
    std::vector<std::unique_ptr<Crew>> crews_;
};

ThreadPool::IdleCrews* ThreadPool::IdleCrews::here_ = begin();

std::thread ThreadPool::start(std::function<void()> work) {
    return std::thread(std::move(work));
}

ThreadPool::ThreadPool(Index n_threads, Start start) : outlives_pool_(start == ThreadPool::start) {
    if (n_threads <= 1) return;
    if (outlives_pool_) crew_ = IdleCrews::of_process().take(n_threads - 1);
    if (!crew_) crew_ = std::make_unique<Crew>(n_threads - 1, start);
}

ThreadPool::~ThreadPool() {
    if (crew_ && outlives_pool_) IdleCrews::of_process().give_back(std::move(crew_));
}

Index ThreadPool::n_threads() const {
    return crew_ ? crew_->size() + 1 : 1;
}

void ThreadPool::run_shared(Index n_tasks, Function function, const void* context,
                            const std::function<void()>& idle) {
    crew_->run(n_tasks, function, context, idle);
}

}  // namespace svmosaic
