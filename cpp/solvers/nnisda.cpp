#include "solvers/nnisda.hpp"

#include <algorithm>

#include "solvers/dual_point.hpp"
#include "solvers/joint_step.hpp"
#include "solvers/l2_report.hpp"
#include "solvers/stopping.hpp"

namespace svmosaic {

namespace {

struct Violator {
    Index sample;
    double violation;
};

// A gradient below zero wants its variable to grow; one above zero, to shrink if it still can.
template <class Real>
Violator worst_of(const DualPoint<Real>& point) {
    const auto lowest = point.lowest();
    const auto highest = point.highest_held();
    if (-lowest.value >= highest.value) return {lowest.index, -lowest.value};
    return {highest.index, highest.value};
}

}  // namespace

template <class Real>
Solution solve_nnisda(const Problem& problem, const NnisdaSettings& settings,
                      KernelColumns<Real>& columns, Monitor& monitor) {
    const Index n = columns.size();
    const Index max_iter = update_limit(settings.max_iter, n);
    std::vector<double> softness;
    for (const double weight : problem.weights) softness.push_back(1.0 / (settings.C * weight));
    DualPoint<Real> point(columns, 1.0);
    point.enter(problem.targets, softness, std::vector<double>(problem.targets.size(), -1.0));

    Solution solution;
    const double ceiling = highest_objective(problem, settings.C);
    double objective = 0.0;
    JointStep<Real> joint_step;
    while (true) {
        if (settings.joint_steps && joint_step.due(point) &&
            joint_step.find(point, -settings.tol, objective, monitor)) {
            for (const auto& [k, value] : joint_step.values()) point.move(k, value);
            objective = 0.5 * joint_step.sum();
            solution.n_iter += ssize(joint_step.values());
        }
        const auto [i, violation] = worst_of(point);
        solution.violation = std::max(0.0, violation);
        if (violation <= settings.tol) break;
        if (must_stop(max_iter, monitor, solution)) break;
        const double curvature = point.diagonal(i);
        const double g = point.gradient(i);
        const double a = std::max(0.0, point.alpha(i) - g / curvature);
        const double delta = a - point.alpha(i);
        objective -= delta * (g + 0.5 * curvature * delta);
        if (curvature <= 0.0 || !(objective <= ceiling)) {
            solution.status = Status::indefinite;
            break;
        }
        point.move(i, a);
        joint_step.count(1);
        ++solution.n_iter;
    }
    std::vector<Index> number = count_up(problem.samples.size());
    // The gradient is Q a - 1.
    report_l2(problem, number, point, 1.0, 1.0, 0.0, solution);
    solution.counters.n_updates = solution.n_iter;
    columns.add_to(solution.counters);
    return solution;
}

template Solution solve_nnisda(const Problem&, const NnisdaSettings&, KernelColumns<float>&,
                               Monitor&);
template Solution solve_nnisda(const Problem&, const NnisdaSettings&, KernelColumns<double>&,
                               Monitor&);

}  // namespace svmosaic
