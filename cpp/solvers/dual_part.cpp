#include "solvers/dual_part.hpp"

#include "core/kernel_columns.hpp"
#include "core/thread_pool.hpp"
#include "expansion/decide.hpp"
#include "solvers/run_all.hpp"

namespace svmosaic {

namespace {

// Smaller parts are solved with all of their variables at all times.
constexpr Index least_to_shrink = 8'000;

// Without shrinking, SMO needs the gradients alone. With it, it recomputes gradients from its
// own variables: what those elsewhere add is then part of the target.
template <class Real>
DualState state_of_part(const Rows<Real>& rows, const KernelSpec& kernel, const DualPart& part,
                        bool shrinks, ThreadPool& pool, Monitor& monitor) {
    std::vector<Index> support;
    std::vector<double> coef;
    for (Index i = 0; i < ssize(part.samples) && shrinks; ++i) {
        if (part.beta[i] == 0.0) continue;
        support.push_back(part.samples[i]);
        coef.push_back(part.beta[i]);
    }
    std::vector<double> values(part.samples.size(), 0.0);
    if (!support.empty()) {
        values = expansion_values(rows, part.samples, kernel, support, coef, pool, monitor);
    }
    DualState state;
    state.epsilon = part.epsilon;
    state.loss = part.epsilon > 0.0 ? Loss::epsilon_insensitive : Loss::hinge;
    for (Index i = 0; i < ssize(part.samples); ++i) {
        state.add(i, values[i] - part.gradient[i], {part.lower[i], part.upper[i]}, part.beta[i],
                  values[i]);
    }
    state.counters.n_kernel_values += ssize(support) * ssize(part.samples);
    return state;
}

template <class Real>
Solution solve_part(const Rows<Real>& rows, const KernelSpec& kernel, const DualPart& part,
                    const PartSettings& settings, Index cache_bytes, ThreadPool& pool,
                    Monitor& monitor) {
    SmoOptions smo = settings.smo;
    smo.shrinking = ssize(part.samples) >= least_to_shrink;
    DualState state = state_of_part(rows, kernel, part, smo.shrinking, pool, monitor);
    Solution solution;
    if (monitor.stopped()) {
        // Where it was: no coefficients at all would be another point.
        for (Index i = 0; i < ssize(part.samples); ++i) {
            if (part.beta[i] == 0.0) continue;
            solution.support.push_back(part.samples[i]);
            solution.coef.push_back(part.beta[i]);
        }
        solution.status = monitor.reason();
        return solution;
    }
    KernelColumns<Real> columns(rows, part.samples, kernel, cache_bytes, pool);
    solve_smo(columns, state, smo, monitor, false);
    columns.add_to(state.counters);
    for (Index k = 0; k < state.size(); ++k) {
        if (state.beta[k] == 0.0) continue;
        solution.support.push_back(part.samples[state.sample[k]]);
        solution.coef.push_back(state.beta[k]);
    }
    solution.status = state.status;
    solution.violation = state.violation;
    solution.n_iter = state.counters.n_updates;
    solution.counters = state.counters;
    return solution;
}

}  // namespace

template <class Real>
std::vector<Solution> solve_parts(const Rows<Real>& rows, const KernelSpec& kernel,
                                  std::span<const DualPart> parts, const PartSettings& settings,
                                  Index n_threads, Monitor& monitor) {
    std::vector<Index> sizes;
    for (const auto& part : parts) sizes.push_back(ssize(part.samples));
    return run_all(sizes, bytes_of(settings.cache_mb), n_threads, monitor,
                   [&](Index p, Index cache_bytes, ThreadPool& pool) {
                       return solve_part(rows, kernel, parts[p], settings, cache_bytes, pool,
                                         monitor);
                   });
}

template std::vector<Solution> solve_parts(const Rows<float>&, const KernelSpec&,
                                           std::span<const DualPart>, const PartSettings&, Index,
                                           Monitor&);
template std::vector<Solution> solve_parts(const Rows<double>&, const KernelSpec&,
                                           std::span<const DualPart>, const PartSettings&, Index,
                                           Monitor&);

}  // namespace svmosaic
