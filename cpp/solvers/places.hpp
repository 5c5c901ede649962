// Some places of a row of a kernel matrix.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/index.hpp"
#include "simd/loops.hpp"

namespace svmosaic {

// A list of places, and the values there. Places that follow one another are copied together.
class Places {
  public:
    void clear() {
        all_.clear();
        runs_.clear();
    }
    void push_back(Index place) {
        const int last = static_cast<int>(place);
        if (!all_.empty() && last == all_.back() + 1) {
            ++runs_.back().length;
        } else {
            runs_.push_back({place, 1});
        }
        all_.push_back(last);
    }
    Index size() const { return ssize(all_); }
    Index operator[](Index i) const { return all_[i]; }

    // Places that follow one another.
    struct Run {
        Index begin;
        Index length;
    };
    std::span<const Run> runs() const { return runs_; }
    // Whether they are so long that a run takes less time than its places one by one.
    bool has_long_runs() const { return ssize(runs_) * worthwhile_run <= size(); }

    // out[i] = row[place i]
    template <class Real>
    void copy(const Real* row, Real* out) const {
        if (!has_long_runs()) {
            simd::loops<Real>().gather(row, all_.data(), out, size());
            return;
        }
        for (const Run& run : runs_) out = std::copy_n(row + run.begin, run.length, out);
    }

  private:
    static constexpr Index worthwhile_run = 6;

    std::vector<int> all_;
    std::vector<Run> runs_;
};

}  // namespace svmosaic
