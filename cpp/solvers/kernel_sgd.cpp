#include "solvers/kernel_sgd.hpp"

#include <algorithm>
#include <utility>

namespace svmosaic {

namespace {

// The mean of alpha^(t) = C beta^(t) / t over the last visits, without their history.
//
// With h_t = sum of share_s / s over the visits of the window before t, a step added to a beta at
// visit t contributes step * (h_end - h_t) to the sum over the window. So it is enough to keep,
// per coefficient, the sum of step * h_t.
class LastMean {
  public:
    LastMean(double average, double total) : begin_(total - average * total) {
        // Rounding of fractional weights must not move the first visit of the window.
        begin_ += 1e-9 * std::min(1.0, total);
        if (average == 0.0) begin_ = 2.0 * total + 1.0;
    }

    // What a step at the present visit has to remember.
    double before() const { return harmonic_; }

    void visited(double share, double t) {
        seen_ += share;
        if (seen_ <= begin_) return;
        harmonic_ += share / t;
        weight_ += share;
    }

    // alpha / C of a coefficient with its sum of step * before(), at the end.
    double of(double beta, double remembered, double t) const {
        return weight_ > 0.0 ? (beta * harmonic_ - remembered) / weight_ : beta / t;
    }

  private:
    double begin_;
    double seen_ = 0.0;
    double harmonic_ = 0.0;
    double weight_ = 0.0;
};

template <class Real>
OnlineSolution solve_in_kernel_form(const Rows<Real>& rows, const KernelSpec& kernel,
                                    const OnlineTask& task, const KernelSgdSettings& settings,
                                    Index cache_bytes, ThreadPool& pool, Monitor& monitor) {
    const auto began = Monitor::Clock::now();
    const auto& problem = task.problem;
    const Index n_earlier = task.support.size();
    const double constant = settings.fit_intercept ? 1.0 : 0.0;
    Visits visits(problem, settings.order, settings.epochs, settings.seed);
    Outputs<Real> outputs(rows, kernel, problem, visits, cache_bytes, pool);
    const double edge = 1.0 - tie_width(settings.C * (outputs.scale() + constant));
    LastMean mean(settings.average, visits.total());

    // The coefficients of the task come first; they do not change any more.
    std::vector<double> beta(task.coef.begin(), task.coef.end());
    beta.resize(n_earlier + problem.samples.size(), 0.0);
    std::vector<double> remembered(beta.size(), 0.0);
    double bias = task.intercept;
    double bias_remembered = 0.0;
    double t = task.t;

    OnlineSolution solution;
    bool stopped = !add_earlier(task, outputs, monitor);
    Visit visit;
    while (!stopped && visits.next(visit)) {
        const Index i = visit.sample;
        const double y = problem.targets[i];
        t += visit.share;
        // y_i f(x_i) < 1 with alpha = C beta / t.
        if (settings.C * y * (outputs[visit.sample] + bias) < edge * t) {
            const double step = visit.share * y;
            beta[n_earlier + i] += step;
            remembered[n_earlier + i] += step * mean.before();
            bias += constant * step;
            bias_remembered += constant * step * mean.before();
            outputs.add(visit.sample, step, visit.needed);
            ++solution.counters.n_updates;
        }
        mean.visited(visit.share, t);
        ++solution.n_iter;
        stopped = monitor.should_stop();
    }

    list_support(task, beta, solution);
    const double last = t > 0.0 ? t : 1.0;
    for (Index j = 0; j < ssize(beta); ++j) {
        if (beta[j] == 0.0) continue;
        solution.coef.push_back(settings.C * mean.of(beta[j], remembered[j], last));
    }
    solution.intercept = settings.C * mean.of(bias, bias_remembered, last);
    solution.state_intercept = bias;
    solution.t = t;
    outputs.add_to(solution.counters);
    close(monitor, stopped, began, solution);
    return solution;
}

// Sums and products with one row, dense or sparse, in double precision.
template <class Real>
class RowAlgebra {
  public:
    explicit RowAlgebra(const Rows<Real>& rows)
        : dense_(std::get_if<DenseRows<Real>>(&rows)), csr_(std::get_if<CsrRows<Real>>(&rows)) {}

    Index n_features() const { return dense_ ? dense_->n_columns : csr_->n_columns; }

    double dot(Index row, const double* vector) const {
        if (csr_) {
            double sum = 0.0;
            for (Index p = csr_->offsets[row]; p < csr_->offsets[row + 1]; ++p) {
                sum += static_cast<double>(csr_->values[p]) * vector[csr_->columns[p]];
            }
            return sum;
        }
        // Eight sums side by side: a single one would wait for every addition.
        constexpr Index n_sums = 8;
        double sums[n_sums] = {};
        const auto values = dense_->row(row);
        Index f = 0;
        for (; f + n_sums <= ssize(values); f += n_sums) {
            for (Index k = 0; k < n_sums; ++k) {
                sums[k] += static_cast<double>(values[f + k]) * vector[f + k];
            }
        }
        for (; f < ssize(values); ++f) sums[0] += static_cast<double>(values[f]) * vector[f];
        return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
               ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    }

    void add(Index row, double step, double* vector) const {
        if (csr_) {
            for (Index p = csr_->offsets[row]; p < csr_->offsets[row + 1]; ++p) {
                vector[csr_->columns[p]] += step * static_cast<double>(csr_->values[p]);
            }
            return;
        }
        const auto values = dense_->row(row);
        for (Index f = 0; f < ssize(values); ++f) {
            vector[f] += step * static_cast<double>(values[f]);
        }
    }

    double squared_norm(Index row) const {
        double sum = 0.0;
        if (csr_) {
            for (Index p = csr_->offsets[row]; p < csr_->offsets[row + 1]; ++p) {
                const auto value = static_cast<double>(csr_->values[p]);
                sum += value * value;
            }
            return sum;
        }
        for (const Real value : dense_->row(row)) {
            sum += static_cast<double>(value) * static_cast<double>(value);
        }
        return sum;
    }

  private:
    const DenseRows<Real>* dense_;
    const CsrRows<Real>* csr_;
};

template <class Real>
OnlineSolution solve_in_primal_form(const Rows<Real>& rows, const OnlineTask& task,
                                    const KernelSgdSettings& settings, Monitor& monitor) {
    // A visit may be shorter than a look at the clock.
    constexpr Index ask_every = 16;
    const auto began = Monitor::Clock::now();
    const auto& problem = task.problem;
    const RowAlgebra<Real> algebra(rows);
    const double constant = settings.fit_intercept ? 1.0 : 0.0;
    Visits visits(problem, settings.order, settings.epochs, settings.seed);
    LastMean mean(settings.average, visits.total());
    double scale = 0.0;
    for (const Index row : problem.samples) scale = std::max(scale, algebra.squared_norm(row));
    const double edge = 1.0 - tie_width(settings.C * (scale + constant));

    // theta stays unscaled, so that the step w = C theta / t costs nothing for features that the
    // row does not have.
    std::vector<double> theta(task.coef.begin(), task.coef.end());
    theta.resize(algebra.n_features(), 0.0);
    std::vector<double> remembered(theta.size(), 0.0);
    double bias = task.intercept;
    double bias_remembered = 0.0;
    double t = task.t;

    OnlineSolution solution;
    bool stopped = monitor.should_stop(0);
    Visit visit;
    while (!stopped && visits.next(visit)) {
        const Index i = visit.sample;
        const Index row = problem.samples[i];
        const double y = problem.targets[i];
        t += visit.share;
        if (settings.C * y * (algebra.dot(row, theta.data()) + bias) < edge * t) {
            const double step = visit.share * y;
            algebra.add(row, step, theta.data());
            bias += constant * step;
            if (mean.before() > 0.0) {
                algebra.add(row, step * mean.before(), remembered.data());
                bias_remembered += constant * step * mean.before();
            }
            ++solution.counters.n_updates;
        }
        mean.visited(visit.share, t);
        ++solution.n_iter;
        if (solution.n_iter % ask_every == 0) stopped = monitor.should_stop(ask_every);
    }

    const double last = t > 0.0 ? t : 1.0;
    solution.weights.reserve(theta.size());
    for (Index f = 0; f < ssize(theta); ++f) {
        solution.weights.push_back(settings.C * mean.of(theta[f], remembered[f], last));
    }
    solution.intercept = settings.C * mean.of(bias, bias_remembered, last);
    solution.state = std::move(theta);
    solution.state_intercept = bias;
    solution.t = t;
    close(monitor, stopped, began, solution);
    return solution;
}

}  // namespace

template <class Real>
std::vector<OnlineSolution> solve_kernel_sgd(const Rows<Real>& rows, const KernelSpec& kernel,
                                             std::span<const OnlineTask> tasks,
                                             const KernelSgdSettings& settings, Index n_threads,
                                             Monitor& monitor) {
    return run_online(tasks, settings.cache_mb, true, n_threads, monitor,
                      [&](const OnlineTask& task, Index cache_bytes, ThreadPool& pool) {
                          return solve_in_kernel_form(rows, kernel, task, settings, cache_bytes,
                                                      pool, monitor);
                      });
}

template <class Real>
std::vector<OnlineSolution> solve_linear_sgd(const Rows<Real>& rows,
                                             std::span<const OnlineTask> tasks,
                                             const KernelSgdSettings& settings, Index n_threads,
                                             Monitor& monitor) {
    return run_online(tasks, settings.cache_mb, false, n_threads, monitor,
                      [&](const OnlineTask& task, Index, ThreadPool&) {
                          return solve_in_primal_form(rows, task, settings, monitor);
                      });
}

template std::vector<OnlineSolution> solve_kernel_sgd(const Rows<float>&, const KernelSpec&,
                                                      std::span<const OnlineTask>,
                                                      const KernelSgdSettings&, Index, Monitor&);
template std::vector<OnlineSolution> solve_kernel_sgd(const Rows<double>&, const KernelSpec&,
                                                      std::span<const OnlineTask>,
                                                      const KernelSgdSettings&, Index, Monitor&);
template std::vector<OnlineSolution> solve_linear_sgd(const Rows<float>&,
                                                      std::span<const OnlineTask>,
                                                      const KernelSgdSettings&, Index, Monitor&);
template std::vector<OnlineSolution> solve_linear_sgd(const Rows<double>&,
                                                      std::span<const OnlineTask>,
                                                      const KernelSgdSettings&, Index, Monitor&);

}  // namespace svmosaic
