#include "solvers/dual_descent.hpp"

#include <algorithm>
#include <cmath>

#include "simd/loops.hpp"
#include "solvers/newton_direction.hpp"

namespace svmosaic {

namespace {

// More free variables than this make a joint step too dear; coordinates have to do.
constexpr std::size_t most_joint = 2'000;

// Below this share of the largest diagonal entry a coordinate has no curvature.
constexpr double flat = 1e-12;

template <class Real>
class Descent {
  public:
    Descent(const Problem& problem, const DualDescentSettings& settings,
            KernelColumns<Real>& columns)
        : problem_(problem),
          columns_(columns),
          n_(problem.samples.size()),
          beta_(n_, 0.0),
          gradient_(static_cast<std::size_t>(columns.padded_size()), 0.0),
          diagonal_(columns.diagonal().begin(), columns.diagonal().end()) {
        double largest = 0.0;
        for (std::size_t i = 0; i < n_; ++i) {
            const double y = problem.targets[i];
            const double bound = settings.C * problem.weights[i];
            lower_.push_back(y > 0 ? 0.0 : -bound);
            upper_.push_back(y > 0 ? bound : 0.0);
            gradient_[i] = -y;
            largest = std::max(largest, diagonal_[i]);
        }
        least_curvature_ = std::max(flat * largest, 1e-300);
    }

    // The coordinate with most to gain; sets `violation` to the largest |g| of all that may move.
    std::size_t best(double& violation) const {
        std::size_t chosen = n_;
        double gain = 0.0;
        violation = 0.0;
        for (std::size_t i = 0; i < n_; ++i) {
            const double g = gradient_[i];
            if (g < 0.0 ? beta_[i] >= upper_[i] : beta_[i] <= lower_[i]) continue;
            violation = std::max(violation, std::abs(g));
            const double promised = g * g / curvature(i);
            if (promised > gain) {
                gain = promised;
                chosen = i;
            }
        }
        return chosen;
    }

    void step(std::size_t i) {
        const double wanted = beta_[i] - gradient_[i] / curvature(i);
        set(i, std::clamp(wanted, lower_[i], upper_[i]));
    }

    // All free variables to their joint minimum, or to the first bound on the way.
    void joint_step() {
        free_.clear();
        for (std::size_t i = 0; i < n_; ++i) {
            if (beta_[i] > lower_[i] && beta_[i] < upper_[i]) free_.push_back(i);
        }
        const std::size_t m = free_.size();
        if (m < 2 || m > most_joint) return;
        matrix_.resize(m * m);
        slope_.resize(m);
        for (std::size_t a = 0; a < m; ++a) {
            const Real* column = columns_.column(static_cast<Index>(free_[a]));
            for (std::size_t b = 0; b < m; ++b) {
                matrix_[a * m + b] = static_cast<double>(column[free_[b]]);
            }
            slope_[a] = gradient_[free_[a]];
        }
        const auto direction = newton_direction_free(matrix_, slope_);
        if (direction.empty()) return;
        double length = 1.0;
        std::size_t first = m;
        for (std::size_t a = 0; a < m; ++a) {
            const std::size_t i = free_[a];
            const double end = direction[a] > 0.0 ? upper_[i] : lower_[i];
            if (direction[a] != 0.0 && (end - beta_[i]) / direction[a] < length) {
                length = (end - beta_[i]) / direction[a];
                first = a;
            }
        }
        for (std::size_t a = 0; a < m; ++a) {
            const std::size_t i = free_[a];
            const double end = direction[a] > 0.0 ? upper_[i] : lower_[i];
            set(i, a == first ? end
                              : std::clamp(beta_[i] + length * direction[a], lower_[i], upper_[i]));
        }
    }

    // What a joint step costs, in updates of one coordinate.
    Index joint_cost() const {
        std::size_t m = 0;
        for (std::size_t i = 0; i < n_; ++i) m += beta_[i] > lower_[i] && beta_[i] < upper_[i];
        const double work = static_cast<double>(m * m) / 3.0 / static_cast<double>(n_) + 2.0;
        return static_cast<Index>(work * static_cast<double>(m)) + 16;
    }

    void report(Solution& solution) const {
        double linear = 0.0;
        double square = 0.0;  // |w|^2
        double loss = 0.0;
        for (std::size_t i = 0; i < n_; ++i) {
            const double y = problem_.targets[i];
            const double f = gradient_[i] + y;
            linear += y * beta_[i];
            square += beta_[i] * f;
            loss += (upper_[i] - lower_[i]) * std::max(0.0, 1.0 - y * f);
            if (beta_[i] == 0.0) continue;
            solution.support.push_back(problem_.samples[i]);
            solution.coef.push_back(beta_[i]);
        }
        solution.objective = linear - 0.5 * square;
        // Below zero by rounding only.
        solution.dual_gap = std::max(0.0, 0.5 * square + loss - solution.objective);
        solution.n_columns = columns_.n_computed();
    }

  private:
    double curvature(std::size_t i) const { return std::max(diagonal_[i], least_curvature_); }

    void set(std::size_t i, double value) {
        const double delta = value - beta_[i];
        if (delta == 0.0) return;
        beta_[i] = value;
        simd::loops<Real>().add_scaled(columns_.column(static_cast<Index>(i)), delta,
                                       gradient_.data(), columns_.padded_size());
    }

    const Problem& problem_;
    KernelColumns<Real>& columns_;
    std::size_t n_;
    std::vector<double> beta_, lower_, upper_;
    AlignedVector<double> gradient_;
    std::vector<double> diagonal_;
    double least_curvature_ = 0.0;
    std::vector<std::size_t> free_;
    std::vector<double> matrix_, slope_;
};

}  // namespace

template <class Real>
Solution solve_dual_descent(const Problem& problem, const DualDescentSettings& settings,
                            KernelColumns<Real>& columns, Monitor& monitor) {
    const Index n = columns.size();
    const Index max_iter =
        settings.max_iter > 0 ? settings.max_iter : std::max<Index>(10'000'000, 100 * n);
    Descent<Real> descent(problem, settings, columns);
    Solution solution;
    Index next_joint = 2 * n;
    while (true) {
        double violation = 0.0;
        const std::size_t i = descent.best(violation);
        solution.violation = violation;
        if (violation <= settings.tol) break;
        if (solution.n_iter >= max_iter) {
            solution.status = Status::max_iter;
            break;
        }
        if (monitor.should_stop()) {
            solution.status = monitor.reason();
            break;
        }
        descent.step(i);
        ++solution.n_iter;
        if (solution.n_iter >= next_joint) {
            descent.joint_step();
            next_joint = solution.n_iter + descent.joint_cost();
        }
    }
    descent.report(solution);
    solution.n_updates = solution.n_iter;
    return solution;
}

template Solution solve_dual_descent(const Problem&, const DualDescentSettings&,
                                     KernelColumns<float>&, Monitor&);
template Solution solve_dual_descent(const Problem&, const DualDescentSettings&,
                                     KernelColumns<double>&, Monitor&);

}  // namespace svmosaic
