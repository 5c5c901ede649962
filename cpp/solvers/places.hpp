// Some places of a row of a kernel matrix.
#pragma once

#include <algorithm>
#include <utility>
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

    // out[i] = row[place i]
    template <class Real>
    void copy(const Real* row, Real* out) const {
        if (ssize(runs_) * worthwhile_run > size()) {
            simd::loops<Real>().gather(row, all_.data(), out, size());
            return;
        }
        for (const Run& run : runs_) out = std::copy_n(row + run.begin, run.length, out);
    }

  private:
    // Shorter ones take longer than value after value.
    static constexpr Index worthwhile_run = 6;

    struct Run {
        Index begin;
        Index length;
    };
    std::vector<int> all_;
    std::vector<Run> runs_;
};

}  // namespace svmosaic
