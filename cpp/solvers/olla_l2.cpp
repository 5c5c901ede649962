#include "solvers/olla_l2.hpp"

#include <algorithm>
#include <cmath>

namespace svmosaic {

namespace {

// Coefficients closer than this, relative to C, are equally small.
constexpr double equally_small = 1e-12;

// S of the paper, oldest first, when a budget limits it.
class Members {
  public:
    Members(Index budget, Index n_coefficients)
        : budget_(budget), is_member_(budget > 0 ? n_coefficients : 0, false) {}

    void enter(Index j) {
        if (budget_ == 0 || is_member_[j]) return;
        is_member_[j] = true;
        order_.push_back(j);
    }

    bool too_many() const { return budget_ > 0 && ssize(order_) > budget_; }

    // Takes out the oldest of the smallest coefficients, but never `kept`.
    Index leave(const std::vector<double>& alpha, Index kept, double width) {
        auto smallest = order_.end();
        for (auto member = order_.begin(); member != order_.end(); ++member) {
            if (*member == kept) continue;
            if (smallest == order_.end() ||
                std::abs(alpha[*member]) < std::abs(alpha[*smallest]) - width) {
                smallest = member;
            }
        }
        const Index gone = *smallest;
        order_.erase(smallest);
        is_member_[gone] = false;
        return gone;
    }

  private:
    Index budget_;
    std::vector<Index> order_;
    std::vector<bool> is_member_;
};

template <class Real>
OnlineSolution solve_one(const Rows<Real>& rows, const KernelSpec& kernel, const OnlineTask& task,
                         const OllaL2Settings& settings, Index cache_bytes, ThreadPool& pool,
                         Monitor& monitor) {
    const auto began = Monitor::Clock::now();
    const auto& problem = task.problem;
    const Index n_earlier = task.support.size();
    const double C = settings.C;
    const double beta = settings.beta;
    Visits visits(problem, settings.order, settings.epochs, settings.seed);
    Outputs<Real> outputs(rows, kernel, problem, visits, cache_bytes, pool);
    const double edge = 1.0 + tie_width(C * (outputs.scale() + beta));

    // The coefficients of the task come first.
    std::vector<double> alpha(task.coef.begin(), task.coef.end());
    alpha.resize(n_earlier + problem.samples.size(), 0.0);
    Members members(settings.budget, alpha.size());
    for (Index j = 0; j < n_earlier; ++j) members.enter(j);
    double b = task.intercept;
    double t = task.t;

    OnlineSolution solution;
    bool stopped = !add_earlier(task, outputs, monitor);
    // The coefficient and its column leave the outputs that are still read.
    const auto remove = [&](Index j, Index needed) {
        if (alpha[j] != 0.0) {
            const Index row = j < n_earlier ? task.support[j] : problem.samples[j - n_earlier];
            outputs.add_row(row, -alpha[j], needed);
        }
        alpha[j] = 0.0;
    };
    // A budget that was lowered since the last samples.
    while (members.too_many()) remove(members.leave(alpha, alpha.size(), equally_small * C), 0);

    Visit visit;
    while (!stopped && visits.next(visit)) {
        const Index i = visit.sample;
        const Index j = n_earlier + i;
        const double y = problem.targets[i];
        t += visit.share;
        const double eta = 2.0 / std::sqrt(t);
        if (y * (outputs[visit.sample] + b) <= edge) {
            const double lambda = eta * C * y;
            const double rho = eta * alpha[j];
            const double step = visit.share * (lambda - rho);
            members.enter(j);
            alpha[j] += step;
            b += step * beta;
            outputs.add(visit.sample, step, visit.needed);
            ++solution.counters.n_updates;
            while (members.too_many()) {
                remove(members.leave(alpha, j, equally_small * C), visit.needed);
            }
        }
        ++solution.n_iter;
        stopped = monitor.should_stop();
    }

    list_support(task, alpha, solution);
    solution.coef = solution.state;
    solution.intercept = solution.state_intercept = b;
    solution.t = t;
    outputs.add_to(solution.counters);
    close(monitor, stopped, began, solution);
    return solution;
}

}  // namespace

template <class Real>
std::vector<OnlineSolution> solve_olla_l2(const Rows<Real>& rows, const KernelSpec& kernel,
                                          std::span<const OnlineTask> tasks,
                                          const OllaL2Settings& settings, Index n_threads,
                                          Monitor& monitor) {
    return run_online(tasks, settings.cache_mb, true, n_threads, monitor,
                      [&](const OnlineTask& task, Index cache_bytes, ThreadPool& pool) {
                          return solve_one(rows, kernel, task, settings, cache_bytes, pool,
                                           monitor);
                      });
}

template std::vector<OnlineSolution> solve_olla_l2(const Rows<float>&, const KernelSpec&,
                                                   std::span<const OnlineTask>,
                                                   const OllaL2Settings&, Index, Monitor&);
template std::vector<OnlineSolution> solve_olla_l2(const Rows<double>&, const KernelSpec&,
                                                   std::span<const OnlineTask>,
                                                   const OllaL2Settings&, Index, Monitor&);

}  // namespace svmosaic
