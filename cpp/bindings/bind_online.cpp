// Solvers that continue a model: NL-SGD and OLLA-L2.
#include "bindings/solver.hpp"
#include "solvers/kernel_sgd.hpp"
#include "solvers/olla_l2.hpp"

namespace nb = nanobind;
using namespace svmosaic;

namespace svmosaic {

nb::dict to_dict(OnlineSolution&& solution) {
    nb::dict record = to_dict(std::move(static_cast<Solution&>(solution)));
    record["state"] = to_numpy(std::move(solution.state));
    record["state_intercept"] = solution.state_intercept;
    record["t"] = solution.t;
    record["weights"] = to_numpy(std::move(solution.weights));
    return record;
}

}  // namespace svmosaic

namespace {

const Names<VisitOrder> visit_orders = {{"shuffled", VisitOrder::shuffled},
                                        {"random", VisitOrder::random},
                                        {"given", VisitOrder::given}};

void check_states(std::span<const OnlineTask> tasks) {
    for (const OnlineTask& task : tasks) {
        require(task.coef.size() == task.support.size(),
                "expected a coefficient for each support vector");
    }
}

// Of the primal form: a weight for each feature of samples.
template <class Real>
void check_weights(const Rows<Real>& rows, std::span<const OnlineTask> tasks) {
    const Index n_columns = std::visit(
        [](const auto& table) -> Index {
            if constexpr (requires { table.n_columns; }) return table.n_columns;
            return -1;
        },
        rows);
    require(n_columns >= 0 && !std::holds_alternative<PairwiseRows<Real>>(rows),
            "the primal form needs samples");
    for (const OnlineTask& task : tasks) {
        require(task.coef.empty() || ssize(task.coef) == n_columns,
                "expected a weight for each feature");
    }
}

void bind_kernel_sgd(nb::module_& m) {
    SettingsClass<KernelSgdSettings>(m, "KernelSgdSettings", "NL-SGD.")
        .field("C", &KernelSgdSettings::C, "1 / lambda.")
        .field("epochs", &KernelSgdSettings::epochs, "How often every sample is visited.")
        .field("average", &KernelSgdSettings::average,
               "The model is the mean over this last share of the visits.")
        .choice("order", &KernelSgdSettings::order, visit_orders, "Order of the visits.")
        .field("fit_intercept", &KernelSgdSettings::fit_intercept, "Use the kernel k(x, z) + 1.")
        .field("seed", &KernelSgdSettings::seed, seed_doc)
        .field("cache_mb", &KernelSgdSettings::cache_mb, cache_doc);
    bind_solver<KernelSgdSettings, OnlineTask>(
        m, "NL-SGD in kernel form.",
        [](const auto& rows, const KernelSpec& kernel, auto tasks,
           const KernelSgdSettings& settings, Index n_threads, Monitor& monitor) {
            check_states(tasks);
            return solve_kernel_sgd(rows, kernel, tasks, settings, n_threads, monitor);
        });
}

void bind_linear_sgd(nb::module_& m) {
    m.def(
        "solve_linear_sgd",
        [](const nb::object& rows, const nb::list& tasks, const KernelSgdSettings& settings,
           Index n_threads, double max_time, const nb::object& progress) {
            const auto solve = [&](const auto& table, auto views, Monitor& monitor) {
                check_weights(table, views);
                return solve_linear_sgd(table, views, settings, n_threads, monitor);
            };
            return run_solver<OnlineTask>(rows, tasks, max_time, progress, solve);
        },
        nb::arg("rows"), nb::arg("tasks"), nb::arg("settings"), nb::arg("n_threads"),
        nb::arg("max_time"), nb::arg("progress").none(),
        nb::sig("def solve_linear_sgd(rows: object, tasks: list[Any], settings: "
                "KernelSgdSettings, n_threads: int, max_time: float, progress: object | None) -> "
                "list[dict[str, Any]]"),
        "NL-SGD with the linear kernel in the primal, on dense or sparse rows.");
}

void bind_olla_l2(nb::module_& m) {
    SettingsClass<OllaL2Settings>(m, "OllaL2Settings", "OLLA-L2.")
        .field("C", &OllaL2Settings::C, "Penalty of the losses.")
        .field("epochs", &OllaL2Settings::epochs, "How often every sample is visited.")
        .choice("order", &OllaL2Settings::order, visit_orders, "Order of the visits.")
        .field("beta", &OllaL2Settings::beta, "The intercept's share of a step; 0 for none.")
        .field("budget", &OllaL2Settings::budget, "If positive, the limit on support vectors.")
        .field("seed", &OllaL2Settings::seed, seed_doc)
        .field("cache_mb", &OllaL2Settings::cache_mb, cache_doc);
    bind_solver<OllaL2Settings, OnlineTask>(
        m, "OLLA-L2.",
        [](const auto& rows, const KernelSpec& kernel, auto tasks, const OllaL2Settings& settings,
           Index n_threads, Monitor& monitor) {
            check_states(tasks);
            return solve_olla_l2(rows, kernel, tasks, settings, n_threads, monitor);
        });
}

}  // namespace

void bind_online(nb::module_& m) {
    bind_kernel_sgd(m);
    bind_linear_sgd(m);
    bind_olla_l2(m);
}
