// The settings of every solver, with the names and the documentation that Python has of them.
#include <nanobind/nanobind.h>

#include "bindings/settings.hpp"
#include "solvers/dual_descent.hpp"
#include "solvers/kernel_sgd.hpp"
#include "solvers/minimal_norm.hpp"
#include "solvers/nnisda.hpp"
#include "solvers/olla_l2.hpp"
#include "solvers/online_svm.hpp"
#include "solvers/simple_smo.hpp"
#include "solvers/smo_machine.hpp"
#include "solvers/solve.hpp"
#include "solvers/uniform.hpp"

namespace nb = nanobind;
using namespace svmosaic;

namespace {

const char* const upper_bound = "Upper bound of a coefficient, times the weight of its sample.";
const char* const tolerance = "Largest violation of the optimality conditions that is accepted.";
const char* const updates = "Limit on updates; 0 means max(10 million, 100 n).";
const char* const cache = "Memory in MB for kernel columns that are read again.";
const char* const seed = "Seed of the draws.";

const Names<VisitOrder> visit_orders = {{"shuffled", VisitOrder::shuffled},
                                        {"random", VisitOrder::random},
                                        {"given", VisitOrder::given}};

void bind_exact(nb::module_& m) {
    SettingsClass<SmoMachine>(m, "SmoSettings", "SMO for the L1-SVM or epsilon-SVR.")
        .choice(
            "loss", &SmoMachine::loss,
            Names<Loss>{{"hinge", Loss::hinge}, {"epsilon_insensitive", Loss::epsilon_insensitive}},
            "Classification, or regression.")
        .field("C", &SmoMachine::C, upper_bound)
        .field("epsilon", &SmoMachine::epsilon, "Half the width of the tube; regression only.")
        .field(
            "tol", [](SmoMachine& s) -> double& { return s.smo.tol; }, tolerance)
        .field(
            "max_iter", [](SmoMachine& s) -> Index& { return s.smo.max_iter; }, updates)
        .field(
            "shrinking", [](SmoMachine& s) -> bool& { return s.smo.shrinking; },
            "Leave out variables that stay at a bound for a while.")
        .field("cache_mb", &SmoMachine::cache_mb, cache);
    SettingsClass<SimpleSmoSettings>(m, "SimpleSmoSettings", "The randomised SMO of a textbook.")
        .choice("bounds", &SimpleSmoSettings::bounds,
                Names<Bounds>{{"per_sample", Bounds::per_sample},
                              {"uniform_feasible", Bounds::uniform_feasible},
                              {"uniform_printed", Bounds::uniform_printed}},
                "A bound for each coefficient, or one for their sum.")
        .field("C", &SimpleSmoSettings::C, upper_bound)
        .field("tol", &SimpleSmoSettings::tol,
               "A sweep that moves the coefficients by less, in norm, is the last.")
        .field("max_iter", &SimpleSmoSettings::max_iter, "Limit on sweeps.")
        .field("seed", &SimpleSmoSettings::seed, seed)
        .field("cache_mb", &SimpleSmoSettings::cache_mb, cache);
    SettingsClass<MinimalNormSettings>(m, "MinimalNormSettings", "MNSVM for the L2-SVM.")
        .field("C", &MinimalNormSettings::C, "Penalty of the squared slack, times the weight.")
        .field("tol", &MinimalNormSettings::tol,
               "Accepted spread of the gradient, relative to the squared norm.")
        .field("max_iter", &MinimalNormSettings::max_iter, updates)
        .field("draw", &MinimalNormSettings::draw,
               "Samples looked at in one search for violators; 0 means all.")
        .field("seed", &MinimalNormSettings::seed, seed)
        .field("cache_mb", &MinimalNormSettings::cache_mb, cache)
        .field("joint_steps", &MinimalNormSettings::joint_steps,
               "Solve for all free variables together now and then; unlike the published method.");
    SettingsClass<NnisdaSettings>(m, "NnisdaSettings", "NNISDA for the L2-SVM.")
        .field("C", &NnisdaSettings::C, "Penalty of the squared slack, times the weight.")
        .field("tol", &NnisdaSettings::tol, tolerance)
        .field("max_iter", &NnisdaSettings::max_iter, updates)
        .field("cache_mb", &NnisdaSettings::cache_mb, cache)
        .field("joint_steps", &NnisdaSettings::joint_steps,
               "Solve for all free variables together now and then; unlike the published method.");
    SettingsClass<DualDescentSettings>(m, "DualDescentSettings",
                                       "Coordinate descent for the L1-SVM without an intercept.")
        .field("C", &DualDescentSettings::C, upper_bound)
        .field("tol", &DualDescentSettings::tol, tolerance)
        .field("max_iter", &DualDescentSettings::max_iter, updates)
        .field("cache_mb", &DualDescentSettings::cache_mb, cache);
    SettingsClass<UniformSettings>(m, "UniformSettings", "The Uniform SVM by nearest points.")
        .field("C", &UniformSettings::C, "Penalty of the one slack.")
        .field("tol", &UniformSettings::tol,
               "Accepted spread of the gradients, relative to the squared distance of the hulls.")
        .field("max_iter", &UniformSettings::max_iter, updates)
        .field("cache_mb", &UniformSettings::cache_mb, cache);
}

void bind_ollawv(nb::module_& m) {
    SettingsClass<RefineSettings>(m, "RefineSettings", "What follows the selection of OLLAWV.")
        .choice("refinement", &RefineSettings::refinement,
                Names<Refinement>{{"none", Refinement::none},
                                  {"selected", Refinement::selected},
                                  {"full", Refinement::full}},
                "Solve the dual on the selected samples, or continue until it holds on all.")
        .field("C", &RefineSettings::C, upper_bound)
        .field(
            "tol", [](RefineSettings& s) -> double& { return s.smo.tol; }, tolerance)
        .field(
            "max_iter", [](RefineSettings& s) -> Index& { return s.smo.max_iter; }, updates)
        .field(
            "shrinking", [](RefineSettings& s) -> bool& { return s.smo.shrinking; },
            "Leave out variables that stay at a bound for a while.");
    SettingsClass<OllawvMachine>(m, "OllawvSettings",
                                 "OLLAWV, the OnLine Learning Algorithm using Worst-Violators.")
        .field(
            "margin", [](OllawvMachine& s) -> double& { return s.ollawv.margin; },
            "M / C. The loop ends when no sample has y f(x) / C below it.")
        .choice(
            "learning_rate",
            [](OllawvMachine& s) -> LearningRate& { return s.ollawv.learning_rate; },
            Names<LearningRate>{{"2/sqrt(t)", LearningRate::two_over_sqrt},
                                {"1/sqrt(t)", LearningRate::one_over_sqrt},
                                {"1/t", LearningRate::one_over}},
            "Size of step t.")
        .field(
            "fit_intercept", [](OllawvMachine& s) -> bool& { return s.ollawv.fit_intercept; },
            "The paper's beta.")
        .field(
            "max_iter_share", [](OllawvMachine& s) -> double& { return s.ollawv.max_iter_share; },
            "The loop takes at most this share of the total weight in steps.")
        .field(
            "max_iter", [](OllawvMachine& s) -> Index& { return s.ollawv.max_iter; },
            "If positive, the limit on steps instead of max_iter_share.")
        .field(
            "max_support", [](OllawvMachine& s) -> Index& { return s.ollawv.max_support; },
            "If positive, the limit on different samples.")
        .field("C", &OllawvMachine::C, "Scales coefficients and intercept where nothing refines.")
        .field("cache_mb", &OllawvMachine::cache_mb, cache)
        .field(
            "refine", [](OllawvMachine& s) -> RefineSettings& { return s.refine; },
            "What follows the selection.", "RefineSettings");
}

void bind_online(nb::module_& m) {
    SettingsClass<KernelSgdSettings>(m, "KernelSgdSettings", "NL-SGD.")
        .field("C", &KernelSgdSettings::C, "1 / lambda.")
        .field("epochs", &KernelSgdSettings::epochs, "How often every sample is visited.")
        .field("average", &KernelSgdSettings::average,
               "The model is the mean over this last share of the visits.")
        .choice("order", &KernelSgdSettings::order, visit_orders, "Order of the visits.")
        .field("fit_intercept", &KernelSgdSettings::fit_intercept, "Use the kernel k(x, z) + 1.")
        .field("seed", &KernelSgdSettings::seed, seed)
        .field("cache_mb", &KernelSgdSettings::cache_mb, cache);
    SettingsClass<OllaL2Settings>(m, "OllaL2Settings", "OLLA-L2.")
        .field("C", &OllaL2Settings::C, "Penalty of the losses.")
        .field("epochs", &OllaL2Settings::epochs, "How often every sample is visited.")
        .choice("order", &OllaL2Settings::order, visit_orders, "Order of the visits.")
        .field("beta", &OllaL2Settings::beta, "The intercept's share of a step; 0 for none.")
        .field("budget", &OllaL2Settings::budget, "If positive, the limit on support vectors.")
        .field("seed", &OllaL2Settings::seed, seed)
        .field("cache_mb", &OllaL2Settings::cache_mb, cache);
    SettingsClass<OnlineSvmSettings>(m, "OnlineSvmSettings",
                                     "The on-line SVM, plain and with boundary points.")
        .field("lam", &OnlineSvmSettings::lam, "lambda of the thesis; a step is 1 / (lam t).")
        .field("max_iter", &OnlineSvmSettings::max_iter, "Visits, when they are drawn at random.")
        .choice("order", &OnlineSvmSettings::order,
                Names<VisitOrder>{{"random", VisitOrder::random}, {"given", VisitOrder::given}},
                "Drawn by weight, or one pass over the samples as they come.")
        .choice("update", &OnlineSvmSettings::update,
                Names<Shrinking>{{"gradient", Shrinking::gradient},
                                 {"printed", Shrinking::printed},
                                 {"clipped", Shrinking::clipped}},
                "A step along the gradient of the norm, or coefficients that shrink by a factor, "
                "as printed or cut to [0, 1].")
        .field("seed", &OnlineSvmSettings::seed, seed);
}

}  // namespace

void bind_settings(nb::module_& m) {
    bind_exact(m);
    bind_ollawv(m);
    bind_online(m);
}
