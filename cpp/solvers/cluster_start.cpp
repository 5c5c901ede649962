#include "solvers/cluster_start.hpp"

#include <algorithm>
#include <vector>

#include "core/even_clusters.hpp"

namespace svmosaic {

namespace {

// Larger clusters leave less to do afterwards and take longer themselves. Measured on ijcnn1,
// adult, covertype and w3a: between 2000 and 6000 it hardly matters.
constexpr Index most_at_start = 4000;
// Clusters need not be solved well: their neighbours change them anyway.
constexpr double cluster_tol = 0.5;

// Some samples of a problem, as a problem of their own.
struct Cluster {
    std::vector<Index> numbers;  // in the whole problem, ascending
    std::vector<Index> samples;
    std::vector<double> targets, weights;

    Cluster(const Problem& problem, std::span<const Index> members)
        : numbers(members.begin(), members.end()) {
        std::sort(numbers.begin(), numbers.end());
        for (const Index i : numbers) {
            samples.push_back(problem.samples[i]);
            targets.push_back(problem.targets[i]);
            weights.push_back(problem.weights[i]);
        }
    }
    Problem problem() const { return {samples, targets, weights}; }
    bool has_one_target() const {
        return std::all_of(targets.begin(), targets.end(),
                           [&](double target) { return target == targets.front(); });
    }
    // Support vectors are in the order of the samples.
    void write(const Solution& solution, std::vector<double>& beta) const {
        Index next = 0;
        for (Index k = 0; k < ssize(samples) && next < ssize(solution.support); ++k) {
            if (solution.support[next] == samples[k]) beta[numbers[k]] = solution.coef[next++];
        }
    }
};

}  // namespace

bool helps_to_cluster(const KernelSpec& kernel, const Problem& problem, const SmoOptions& smo) {
    return ssize(problem.samples) >= least_for_clusters && smo.max_iter == 0 && smo.shrinking &&
           is_distance(facts_of(kernel.kind).computed_from);
}

template <class Real>
Solution solve_by_clusters(const Rows<Real>& rows, const KernelSpec& kernel, const DualTask& task,
                           Index cache_bytes, ThreadPool& pool, Monitor& monitor) {
    const Problem& problem = task.problem;
    std::vector<double> beta;
    std::vector<SolveCounters> of_clusters;
    double seconds = 0.0;
    std::vector<Index> rank;
    if (helps_to_cluster(kernel, problem, task.smo)) {
        const PhaseTimer timer(seconds);
        int depth = 0;
        while ((ssize(problem.samples) >> depth) > most_at_start) ++depth;
        const auto order = order_by_clusters(rows, problem.samples, depth, pool, monitor);
        const Index n_clusters = order.empty() ? 0 : Index{1} << depth;
        rank.resize(order.size());
        for (Index k = 0; k < ssize(order); ++k) rank[order[k]] = k;
        beta.assign(order.size(), 0.0);
        of_clusters.resize(n_clusters);
        SmoOptions loose = task.smo;
        loose.tol = std::max(task.smo.tol, cluster_tol * half_range(problem.targets));
        pool.run(
            n_clusters,
            [&](Index p) {
                const Cluster cluster(problem, cluster_of(order, p, depth));
                if (cluster.has_one_target() || monitor.stopped()) return;
                ThreadPool alone(1);
                const Solution solution = solve_from<Real>(
                    {}, rows, kernel, {cluster.problem(), task.C, task.loss, task.epsilon, loose},
                    cache_bytes / pool.n_threads(), alone, monitor);
                cluster.write(solution, beta);
                of_clusters[p] = solution.counters;
            },
            [&] { monitor.should_stop(0); });
    }
    DualTask whole = task;
    whole.rank = rank;
    Solution solution = solve_from<Real>(beta, rows, kernel, whole, cache_bytes, pool, monitor);
    for (const auto& counters : of_clusters) solution.counters += counters;
    solution.seconds.clusters = seconds;
    return solution;
}

template Solution solve_by_clusters(const Rows<float>&, const KernelSpec&, const DualTask&, Index,
                                    ThreadPool&, Monitor&);
template Solution solve_by_clusters(const Rows<double>&, const KernelSpec&, const DualTask&, Index,
                                    ThreadPool&, Monitor&);

}  // namespace svmosaic
