// Scratch that is lent to whoever works: large buffers are made once per thread.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace svmosaic {

template <class Scratch>
class ScratchPool {
  public:
    // Made of these arguments if none is idle.
    template <class... Arguments>
    std::unique_ptr<Scratch> borrow(const Arguments&... arguments) {
        const std::lock_guard lock(mutex_);
        if (idle_.empty()) return std::make_unique<Scratch>(arguments...);
        auto scratch = std::move(idle_.back());
        idle_.pop_back();
        return scratch;
    }
    void give_back(std::unique_ptr<Scratch> scratch) {
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(scratch));
    }

  private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Scratch>> idle_;
};

}  // namespace svmosaic
