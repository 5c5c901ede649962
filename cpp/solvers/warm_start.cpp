#include "solvers/warm_start.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "expansion/decide.hpp"

namespace svmosaic {

namespace {

constexpr Index least_start = 200;
constexpr Index most_start = 1000;

// Cuts the coefficients to their bounds, then scales down the side that outweighs the other, so
// that they sum to zero.
void make_feasible(const DualTask& task, std::vector<double>& beta) {
    const auto bounds = [&](Index i) { return variable_of(task, i, 0.0, 0.0).box; };
    double positive = 0.0;
    double negative = 0.0;
    for (Index i = 0; i < ssize(beta); ++i) {
        beta[i] = std::clamp(beta[i], bounds(i).lower, bounds(i).upper);
        (beta[i] > 0 ? positive : negative) += std::abs(beta[i]);
    }
    const double common = std::min(positive, negative);
    double rest = 0.0;
    for (double& value : beta) {
        const double side = value > 0 ? positive : negative;
        // Not even a rounding where nothing is to be done: a bound is to be met exactly.
        if (side != common) value *= common / side;
        rest += value;
    }
    // What rounding left goes to the first variable with room for it.
    for (Index i = 0; i < ssize(beta) && rest != 0.0; ++i) {
        const double balanced = beta[i] - rest;
        if (beta[i] == 0.0 || balanced < bounds(i).lower || balanced > bounds(i).upper) continue;
        beta[i] = balanced;
        rest = 0.0;
    }
}

// A small problem is solved with all samples in play.
bool is_solved_at_once(const DualTask& task) {
    return ssize(task.problem.samples) < least_for_rounds || !task.smo.shrinking;
}

std::vector<Index> all_samples(const DualTask& task) {
    std::vector<Index> samples = count_up(task.problem.samples.size());
    return samples;
}

// Some hundred samples from everywhere: the rows are in canonical order.
std::vector<Index> some_samples(const DualTask& task) {
    const Index n = ssize(task.problem.samples);
    const Index enough = std::clamp(n / 100, least_start, most_start);
    std::vector<Index> samples;
    for (Index k = 0; k < enough; ++k) samples.push_back(k * n / enough);
    return samples;
}

// All of two ascending lists, ascending.
std::vector<Index> united(const std::vector<Index>& a, const std::vector<Index>& b) {
    std::vector<Index> both;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both;
}

// Feasible coefficients, and the values of the expansion that they make: for all samples that may
// be in play, which are the support vectors and some others of a large problem.
template <class Real>
Start take_start(std::span<const double> given, const Rows<Real>& rows, const KernelSpec& kernel,
                 const DualTask& task, SolveCounters& counters, ThreadPool& pool,
                 Monitor& monitor) {
    Start start(task.problem.samples.size());
    start.beta.assign(given.begin(), given.end());
    make_feasible(task, start.beta);
    std::vector<Index> support;
    std::vector<double> coef;
    for (Index i = 0; i < ssize(start.beta); ++i) {
        if (start.beta[i] == 0.0) continue;
        support.push_back(i);
        coef.push_back(start.beta[i]);
    }
    const auto samples =
        is_solved_at_once(task) ? all_samples(task) : united(support, some_samples(task));
    counters.n_kernel_values += ssize(samples) * ssize(support);
    const auto values = expansion_values(rows, rows_of(task.problem, samples), kernel,
                                         rows_of(task.problem, support), coef, pool, monitor);
    for (Index k = 0; k < ssize(samples); ++k) start.value[samples[k]] = values[k];
    return start;
}

// The samples that SMO begins with: all of a small problem, else some hundred from everywhere, and
// with them the support vectors near the margin of a warm start. Alone, those leave out whole
// regions: clusters with one class only have none.
std::vector<Index> first_samples(bool is_warm, const Start& start, const DualTask& task) {
    if (is_solved_at_once(task)) return all_samples(task);
    return is_warm ? united(near_margin(task, start), some_samples(task)) : some_samples(task);
}

}  // namespace

template <class Real>
Solution solve_from(std::span<const double> given, const Rows<Real>& rows, const KernelSpec& kernel,
                    const DualTask& task, Index cache_bytes, ThreadPool& pool, Monitor& monitor) {
    if (monitor.reason() == Status::interrupted) {
        // Nobody waits for the solution any more.
        Solution solution;
        solution.status = Status::interrupted;
        return solution;
    }
    const bool is_warm =
        std::any_of(given.begin(), given.end(), [](double beta) { return beta != 0.0; });
    SolveCounters counters;
    double seconds = 0.0;
    Start start(task.problem.samples.size());
    if (is_warm) {
        const PhaseTimer timer(seconds);
        start = take_start(given, rows, kernel, task, counters, pool, monitor);
    }
    const auto in_play = first_samples(is_warm, start, task);
    KernelColumns<Real> columns(rows, rows_of(task.problem, in_play), kernel, cache_bytes, pool,
                                task.problem.samples.size());
    Solution solution = solve_in_rounds(columns, task, in_play, start, monitor);
    solution.counters += counters;
    solution.seconds.start = seconds;
    return solution;
}

template Solution solve_from(std::span<const double>, const Rows<float>&, const KernelSpec&,
                             const DualTask&, Index, ThreadPool&, Monitor&);
template Solution solve_from(std::span<const double>, const Rows<double>&, const KernelSpec&,
                             const DualTask&, Index, ThreadPool&, Monitor&);

}  // namespace svmosaic
