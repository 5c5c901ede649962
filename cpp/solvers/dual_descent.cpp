#include "solvers/dual_descent.hpp"

#include <algorithm>
#include <cmath>

#include "simd/loops.hpp"
#include "solvers/dual_variables.hpp"
#include "solvers/free_step.hpp"
#include "solvers/stopping.hpp"

namespace svmosaic {

namespace {

// More free variables than this make a joint step too dear; coordinates have to do.
constexpr Index most_joint = 2'000;

// Below this share of the largest diagonal entry a coordinate has no curvature.
constexpr double flat = 1e-12;

template <class Real>
class Descent {
  public:
    Descent(const Problem& problem, const DualDescentSettings& settings,
            KernelColumns<Real>& columns)
        : problem_(problem), columns_(columns), n_(problem.samples.size()) {
        v_.resize(n_, columns.padded_size());
        v_.diagonal = columns.diagonal();
        double largest = 0.0;
        for (Index i = 0; i < n_; ++i) {
            const double y = problem.targets[i];
            const double bound = settings.C * problem.weights[i];
            v_.lower[i] = y > 0 ? 0.0 : -bound;
            v_.upper[i] = y > 0 ? bound : 0.0;
            v_.gradient[i] = -y;
            v_.mark(i);
            largest = std::max(largest, v_.diagonal[i]);
        }
        least_curvature_ = std::max(flat * largest, 1e-300);
    }

    // The coordinate with most to gain; sets `violation` to the largest |g| of all that may move.
    Index best(double& violation) const {
        Index chosen = n_;
        double gain = 0.0;
        violation = 0.0;
        for (Index i = 0; i < n_; ++i) {
            const double g = v_.gradient[i];
            if (g < 0.0 ? v_.beta[i] >= v_.upper[i] : v_.beta[i] <= v_.lower[i]) continue;
            violation = std::max(violation, std::abs(g));
            const double promised = g * g / curvature(i);
            if (promised > gain) {
                gain = promised;
                chosen = i;
            }
        }
        return chosen;
    }

    void step(Index i) {
        const double wanted = v_.beta[i] - v_.gradient[i] / curvature(i);
        set(i, std::clamp(wanted, v_.lower[i], v_.upper[i]));
    }

    // All free variables to their joint minimum.
    void joint_step() {
        if (v_.n_free > most_joint) return;
        joint_.take(v_, [&](Index k) { return columns_.column(k); }, SumOfBeta::free);
    }

    // What a joint step costs, in updates of one coordinate.
    Index joint_cost() const {
        const auto m = static_cast<double>(v_.n_free);
        return static_cast<Index>((m * m / 3.0 / static_cast<double>(n_) + 2.0) * m) + 16;
    }

    void report(Solution& solution) const {
        double linear = 0.0;
        double square = 0.0;  // |w|^2
        double loss = 0.0;
        for (Index i = 0; i < n_; ++i) {
            const double y = problem_.targets[i];
            const double f = v_.gradient[i] + y;
            linear += y * v_.beta[i];
            square += v_.beta[i] * f;
            loss += (v_.upper[i] - v_.lower[i]) * std::max(0.0, 1.0 - y * f);
            if (v_.beta[i] == 0.0) continue;
            solution.support.push_back(problem_.samples[i]);
            solution.coef.push_back(v_.beta[i]);
        }
        solution.objective = linear - 0.5 * square;
        // Below zero by rounding only.
        solution.dual_gap = std::max(0.0, 0.5 * square + loss - solution.objective);
        columns_.add_to(solution.counters);
    }

  private:
    double curvature(Index i) const { return std::max(v_.diagonal[i], least_curvature_); }

    void set(Index i, double value) {
        const double delta = value - v_.beta[i];
        if (delta == 0.0) return;
        v_.beta[i] = value;
        v_.mark(i);
        simd::loops<Real>().add_scaled(columns_.column(i), delta, v_.gradient.data(),
                                       columns_.padded_size());
    }

    const Problem& problem_;
    KernelColumns<Real>& columns_;
    Index n_;
    DualVariables v_;
    FreeStep<Real> joint_;
    double least_curvature_ = 0.0;
};

}  // namespace

template <class Real>
Solution solve_dual_descent(const Problem& problem, const DualDescentSettings& settings,
                            KernelColumns<Real>& columns, Monitor& monitor) {
    const Index n = columns.size();
    const Index max_iter = update_limit(settings.max_iter, n);
    Descent<Real> descent(problem, settings, columns);
    Solution solution;
    Index next_joint = 2 * n;
    while (true) {
        double violation = 0.0;
        const Index i = descent.best(violation);
        solution.violation = violation;
        if (violation <= settings.tol) break;
        if (must_stop(max_iter, monitor, solution)) break;
        descent.step(i);
        ++solution.n_iter;
        if (solution.n_iter >= next_joint) {
            descent.joint_step();
            next_joint = solution.n_iter + descent.joint_cost();
        }
    }
    descent.report(solution);
    solution.counters.n_updates = solution.n_iter;
    return solution;
}

template Solution solve_dual_descent(const Problem&, const DualDescentSettings&,
                                     KernelColumns<float>&, Monitor&);
template Solution solve_dual_descent(const Problem&, const DualDescentSettings&,
                                     KernelColumns<double>&, Monitor&);

}  // namespace svmosaic
