#include "solvers/refine.hpp"

#include <algorithm>
#include <numeric>

#include "solvers/cluster_start.hpp"
#include "solvers/rounds.hpp"

namespace svmosaic {

std::vector<Index> first_in_play(const Problem& problem, std::span<const Index> selected) {
    std::vector<Index> samples(selected.begin(), selected.end());
    if (problem.samples.size() < least_for_rounds) {
        samples.resize(problem.samples.size());
        std::iota(samples.begin(), samples.end(), Index{0});
    }
    std::sort(samples.begin(), samples.end());
    return samples;
}

template <class Real>
Solution refine(KernelColumns<Real>& columns, const Problem& problem,
                std::span<const Index> in_play, const RefineSettings& settings, Monitor& monitor) {
    const DualTask task{problem, settings.C, Loss::hinge, 0.0, settings.smo};
    return solve_in_rounds(columns, task, in_play, Start(problem.samples.size()), monitor);
}

template <class Real>
Solution refine(const Rows<Real>& rows, const KernelSpec& kernel, const Problem& problem,
                std::span<const Index> selected, const RefineSettings& settings, Index cache_bytes,
                ThreadPool& pool, Monitor& monitor) {
    if (helps_to_cluster(kernel, problem, settings.smo)) {
        const DualTask task{problem, settings.C, Loss::hinge, 0.0, settings.smo};
        return solve_by_clusters(rows, kernel, task, cache_bytes, pool, monitor);
    }
    const auto in_play = first_in_play(problem, selected);
    KernelColumns<Real> columns(rows, rows_of(problem, in_play), kernel, cache_bytes, pool,
                                problem.samples.size());
    return refine(columns, problem, in_play, settings, monitor);
}

template Solution refine(KernelColumns<float>&, const Problem&, std::span<const Index>,
                         const RefineSettings&, Monitor&);
template Solution refine(KernelColumns<double>&, const Problem&, std::span<const Index>,
                         const RefineSettings&, Monitor&);
template Solution refine(const Rows<float>&, const KernelSpec&, const Problem&,
                         std::span<const Index>, const RefineSettings&, Index, ThreadPool&,
                         Monitor&);
template Solution refine(const Rows<double>&, const KernelSpec&, const Problem&,
                         std::span<const Index>, const RefineSettings&, Index, ThreadPool&,
                         Monitor&);

}  // namespace svmosaic
