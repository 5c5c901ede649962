// Solvers of the L2-SVM and of the Uniform SVM.
#include "bindings/solver.hpp"
#include "solvers/minimal_norm.hpp"
#include "solvers/nnisda.hpp"
#include "solvers/uniform.hpp"

namespace nb = nanobind;
using namespace svmosaic;

namespace {

void bind_minimal_norm(nb::module_& m) {
    SettingsClass<MinimalNormSettings>(m, "MinimalNormSettings", "MNSVM for the L2-SVM.")
        .field("C", &MinimalNormSettings::C, "Penalty of the squared slack, times the weight.")
        .field("tol", &MinimalNormSettings::tol,
               "Accepted spread of the gradient, relative to the squared norm.")
        .field("max_iter", &MinimalNormSettings::max_iter, updates_doc)
        .field("draw", &MinimalNormSettings::draw,
               "Samples looked at in one search for violators; 0 means all.")
        .field("seed", &MinimalNormSettings::seed, seed_doc)
        .field("cache_mb", &MinimalNormSettings::cache_mb, cache_doc)
        .field("joint_steps", &MinimalNormSettings::joint_steps,
               "Solve for all free variables together now and then; unlike the published method.");
    bind_solver<MinimalNormSettings, Problem>(
        m, "The L2-SVM by the minimal norm.",
        [](const auto& rows, const KernelSpec& kernel, auto problems,
           const MinimalNormSettings& settings, Index n_threads, Monitor& monitor) {
            return solve_each(problems, settings.cache_mb, n_threads, monitor,
                              [&](const Problem& problem, Index cache_bytes, ThreadPool& pool) {
                                  return solve_minimal_norm(rows, kernel, problem, settings,
                                                            cache_bytes, pool, monitor);
                              });
        });
}

void bind_nnisda(nb::module_& m) {
    SettingsClass<NnisdaSettings>(m, "NnisdaSettings", "NNISDA for the L2-SVM.")
        .field("C", &NnisdaSettings::C, "Penalty of the squared slack, times the weight.")
        .field("tol", &NnisdaSettings::tol, tolerance_doc)
        .field("max_iter", &NnisdaSettings::max_iter, updates_doc)
        .field("cache_mb", &NnisdaSettings::cache_mb, cache_doc)
        .field("joint_steps", &NnisdaSettings::joint_steps,
               "Solve for all free variables together now and then; unlike the published method.");
    bind_column_solver<NnisdaSettings>(m, "The L2-SVM one coordinate at a time.",
                                       [](auto&&... given) { return solve_nnisda(given...); });
}

void bind_uniform(nb::module_& m) {
    SettingsClass<UniformSettings>(m, "UniformSettings", "The Uniform SVM by nearest points.")
        .field("C", &UniformSettings::C, "Penalty of the one slack.")
        .field("tol", &UniformSettings::tol,
               "Accepted spread of the gradients, relative to the squared distance of the hulls.")
        .field("max_iter", &UniformSettings::max_iter, updates_doc)
        .field("cache_mb", &UniformSettings::cache_mb, cache_doc);
    bind_column_solver<UniformSettings>(m, "The Uniform SVM by nearest points of hulls.",
                                        [](auto&&... given) { return solve_uniform(given...); });
}

}  // namespace

void bind_l2(nb::module_& m) {
    bind_minimal_norm(m);
    bind_nnisda(m);
    bind_uniform(m);
}
