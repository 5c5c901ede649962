// Sums of z z' over samples: what the equations of least squares need, left and right. A z is a
// sample with what belongs to it, such as a one for the intercept and its target.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/aligned.hpp"
#include "core/monitor.hpp"
#include "core/thread_pool.hpp"
#include "simd/loops.hpp"

namespace svmosaic {

// Samples of a task.
inline constexpr Index samples_of_task = 512;

// Runs tasks over samples, in threads where the multiplications take longer than it takes to wake a
// thread. A sample costs something even without features.
template <class Task>
void run_over_samples(ThreadPool& pool, Index n_tasks, Index n_samples, Index cost_of_sample,
                      const Task& task) {
    constexpr Index worth_a_thread = 1'000'000;
    constexpr Index least_cost = 200;
    if (n_samples * (cost_of_sample + least_cost) > worth_a_thread) return pool.run(n_tasks, task);
    for (Index t = 0; t < n_tasks; ++t) task(t);
}

// `Samples` has n_samples(), the size() of a z, its stride() with zeros up to whole vectors, and
// write(m, z), which writes that of sample m into zeros or over another one.
template <class Samples>
class SquareSums {
  public:
    SquareSums(const Samples& samples, ThreadPool& pool, Monitor& monitor)
        : samples_(samples),
          pool_(pool),
          monitor_(monitor),
          sums_(samples.size() * samples.stride(), 0.0) {}

    // From its diagonal on.
    const double* row(Index a) const { return sums_.data() + a * samples_.stride(); }

    void clear() { std::ranges::fill(sums_, 0.0); }
    void add(std::span<const Index> chosen) { change(chosen, simd::algebra().add_squares); }
    void subtract(std::span<const Index> chosen) {
        change(chosen, simd::algebra().subtract_squares);
    }

  private:
    using Update = void (*)(double*, Index, Index, const double*, Index);
    // Samples that are added together, and numbers in the matrices of all tasks, at most.
    static constexpr Index panel = 128;
    static constexpr Index most_numbers = Index{1} << 23;

    // In parts that depend on nothing but their sizes, the first of them in place.
    void change(std::span<const Index> chosen, Update update) {
        const Index n = ssize(chosen);
        const Index size = samples_.size();
        const Index stride = samples_.stride();
        const Index most = std::min<Index>(8, most_numbers / ssize(sums_));
        const Index n_parts = std::max<Index>(1, std::min(most, n / samples_of_task));
        if (ssize(others_) < n_parts - 1) others_.resize(n_parts - 1);
        run_over_samples(pool_, n_parts, n, size * size, [&](Index part) {
            AlignedVector<double>& sums = part == 0 ? sums_ : others_[part - 1];
            if (part > 0) sums.assign(sums_.size(), 0.0);
            const Index begin = part * n / n_parts;
            const Index end = (part + 1) * n / n_parts;
            AlignedVector<double> rows(std::min(panel, end - begin) * stride, 0.0);
            for (Index first = begin; first < end && !monitor_.should_stop(0); first += panel) {
                const Index last = std::min(first + panel, end);
                for (Index k = first; k < last; ++k) {
                    samples_.write(chosen[k], rows.data() + (k - first) * stride);
                }
                update(sums.data(), stride, size, rows.data(), last - first);
            }
        });
        for (Index part = 1; part < n_parts; ++part) {
            const double* other = others_[part - 1].data();
            for (double& sum : sums_) sum += *other++;
        }
    }

    const Samples& samples_;
    ThreadPool& pool_;
    Monitor& monitor_;
    AlignedVector<double> sums_;
    std::vector<AlignedVector<double>> others_;
};

}  // namespace svmosaic
