// Solvers of the L1-SVM: OLLAWV and its refinement, SMO, nu-SVMs, coordinate descent.
#include "bindings/solver.hpp"
#include "solvers/dual_descent.hpp"
#include "solvers/dual_part.hpp"
#include "solvers/nu_svm.hpp"
#include "solvers/simple_smo.hpp"
#include "solvers/smo_problem.hpp"
#include "solvers/solve.hpp"

namespace nb = nanobind;
using namespace svmosaic;

namespace {

void bind_ollawv(nb::module_& m) {
    SettingsClass<RefineSettings>(m, "RefineSettings", "What follows the selection of OLLAWV.")
        .choice("refinement", &RefineSettings::refinement,
                Names<Refinement>{{"none", Refinement::none}, {"full", Refinement::full}},
                "Solve the dual on all samples, from those that were selected.")
        .field("C", &RefineSettings::C, upper_bound_doc)
        .field(
            "tol", [](RefineSettings& s) -> double& { return s.smo.tol; }, tolerance_doc)
        .field(
            "max_iter", [](RefineSettings& s) -> Index& { return s.smo.max_iter; }, updates_doc)
        .field(
            "shrinking", [](RefineSettings& s) -> bool& { return s.smo.shrinking; },
            "Leave out variables that stay at a bound for a while.");
    SettingsClass<OllawvSettings>(m, "OllawvSettings",
                                  "OLLAWV, the OnLine Learning Algorithm using Worst-Violators.")
        .field(
            "margin", [](OllawvSettings& s) -> double& { return s.ollawv.margin; },
            "M / C. The loop ends when no sample has y f(x) / C below it.")
        .choice(
            "learning_rate",
            [](OllawvSettings& s) -> LearningRate& { return s.ollawv.learning_rate; },
            Names<LearningRate>{{"2/sqrt(t)", LearningRate::two_over_sqrt},
                                {"1/sqrt(t)", LearningRate::one_over_sqrt},
                                {"1/t", LearningRate::one_over}},
            "Size of step t.")
        .field(
            "fit_intercept", [](OllawvSettings& s) -> bool& { return s.ollawv.fit_intercept; },
            "The paper's beta.")
        .field(
            "max_iter_share", [](OllawvSettings& s) -> double& { return s.ollawv.max_iter_share; },
            "The loop takes at most this share of the total weight in steps.")
        .field(
            "max_iter", [](OllawvSettings& s) -> Index& { return s.ollawv.max_iter; },
            "If positive, the limit on steps instead of max_iter_share.")
        .field(
            "max_support", [](OllawvSettings& s) -> Index& { return s.ollawv.max_support; },
            "If positive, the limit on different samples.")
        .field("C", &OllawvSettings::C, "Scales coefficients and intercept where nothing refines.")
        .field("cache_mb", &OllawvSettings::cache_mb, cache_doc)
        .nested("refine", &OllawvSettings::refine, "RefineSettings", "What follows the selection.");
    bind_solver<OllawvSettings, Problem>(
        m, "OLLAWV, refined as the settings say.",
        [](const auto& rows, const KernelSpec& kernel, auto problems,
           const OllawvSettings& settings, Index n_threads, Monitor& monitor) {
            return solve_all(rows, kernel, problems, settings, n_threads, monitor);
        });
}

void bind_smo(nb::module_& m) {
    SettingsClass<SmoSettings>(m, "SmoSettings", "SMO for the L1-SVM or epsilon-SVR.")
        .choice(
            "loss", &SmoSettings::loss,
            Names<Loss>{{"hinge", Loss::hinge}, {"epsilon_insensitive", Loss::epsilon_insensitive}},
            "Classification, or regression.")
        .field("C", &SmoSettings::C, upper_bound_doc)
        .field("epsilon", &SmoSettings::epsilon, "Half the width of the tube; regression only.")
        .field(
            "tol", [](SmoSettings& s) -> double& { return s.smo.tol; }, tolerance_doc)
        .field(
            "max_iter", [](SmoSettings& s) -> Index& { return s.smo.max_iter; }, updates_doc)
        .field(
            "shrinking", [](SmoSettings& s) -> bool& { return s.smo.shrinking; },
            "Leave out variables that stay at a bound for a while.")
        .field("cache_mb", &SmoSettings::cache_mb, cache_doc);
    bind_solver<SmoSettings, SmoTask>(
        m, "The L1-SVM or epsilon-SVR by SMO.",
        [](const auto& rows, const KernelSpec& kernel, auto tasks, const SmoSettings& settings,
           Index n_threads, Monitor& monitor) {
            return solve_smo_problems(rows, kernel, tasks, settings, n_threads, monitor);
        });
}

void bind_parts(nb::module_& m) {
    SettingsClass<PartSettings>(m, "PartSettings",
                                "SMO on a part of the variables, while the others stay.")
        .field(
            "tol", [](PartSettings& s) -> double& { return s.smo.tol; }, tolerance_doc)
        .field(
            "max_iter", [](PartSettings& s) -> Index& { return s.smo.max_iter; }, updates_doc)
        .field("cache_mb", &PartSettings::cache_mb, cache_doc);
    bind_solver<PartSettings, DualPart>(
        m, "The exact dual on parts of its variables.",
        [](const auto& rows, const KernelSpec& kernel, auto parts, const PartSettings& settings,
           Index n_threads, Monitor& monitor) {
            return solve_parts(rows, kernel, parts, settings, n_threads, monitor);
        });
}

void bind_simple_smo(nb::module_& m) {
    SettingsClass<SimpleSmoSettings>(m, "SimpleSmoSettings", "The randomised SMO of a textbook.")
        .choice("bounds", &SimpleSmoSettings::bounds,
                Names<Bounds>{{"per_sample", Bounds::per_sample},
                              {"uniform_feasible", Bounds::uniform_feasible},
                              {"uniform_printed", Bounds::uniform_printed}},
                "A bound for each coefficient, or one for their sum.")
        .field("C", &SimpleSmoSettings::C, upper_bound_doc)
        .field("tol", &SimpleSmoSettings::tol,
               "A sweep that moves the coefficients by less, in norm, is the last.")
        .field("max_iter", &SimpleSmoSettings::max_iter, "Limit on sweeps.")
        .field("seed", &SimpleSmoSettings::seed, seed_doc)
        .field("cache_mb", &SimpleSmoSettings::cache_mb, cache_doc);
    bind_column_solver<SimpleSmoSettings>(
        m, "The randomised SMO of a textbook.",
        [](auto&&... given) { return solve_simple_smo(given...); });
}

void bind_nu_svm(nb::module_& m) {
    SettingsClass<NuSettings>(m, "NuSettings", "SMO for the nu-SVMs and the one-class SVM.")
        .choice("task", &NuSettings::task,
                Names<NuTask>{{"classification", NuTask::classification},
                              {"regression", NuTask::regression},
                              {"one_class", NuTask::one_class}},
                "Two classes, real targets, or none.")
        .field("nu", &NuSettings::nu,
               "Bounds the share of margin errors from above and that of support vectors from "
               "below.")
        .field("C", &NuSettings::C, "Upper bound of a coefficient, for regression.")
        .field(
            "tol", [](NuSettings& s) -> double& { return s.smo.tol; }, tolerance_doc)
        .field(
            "max_iter", [](NuSettings& s) -> Index& { return s.smo.max_iter; }, updates_doc)
        .field(
            "shrinking", [](NuSettings& s) -> bool& { return s.smo.shrinking; },
            "Leave out variables that stay at a bound for a while.")
        .field("cache_mb", &NuSettings::cache_mb, cache_doc);
    bind_column_solver<NuSettings>(m, "A nu-SVM or the one-class SVM by SMO.",
                                   [](auto&&... given) { return solve_nu_svm(given...); });
}

void bind_dual_descent(nb::module_& m) {
    SettingsClass<DualDescentSettings>(m, "DualDescentSettings",
                                       "Coordinate descent for the L1-SVM without an intercept.")
        .field("C", &DualDescentSettings::C, upper_bound_doc)
        .field("tol", &DualDescentSettings::tol, tolerance_doc)
        .field("max_iter", &DualDescentSettings::max_iter, updates_doc)
        .field("cache_mb", &DualDescentSettings::cache_mb, cache_doc);
    bind_column_solver<DualDescentSettings>(
        m, "The L1-SVM without an intercept by coordinate descent.",
        [](auto&&... given) { return solve_dual_descent(given...); });
}

}  // namespace

void bind_l1(nb::module_& m) {
    bind_ollawv(m);
    bind_smo(m);
    bind_parts(m);
    bind_simple_smo(m);
    bind_nu_svm(m);
    bind_dual_descent(m);
}
