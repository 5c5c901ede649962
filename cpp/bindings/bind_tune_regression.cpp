// Tuning of epsilon-SVR: distances, folds, links and a grid in, fitted models out.
#include <nanobind/nanobind.h>

#include "bindings/convert.hpp"
#include "bindings/require.hpp"
#include "expansion/distances.hpp"
#include "solvers/tune_regression.hpp"

namespace nb = nanobind;
using namespace svmosaic;

namespace {

template <class T>
std::span<const T> row_of(const Array2<T>& array, Index row) {
    return {array.data() + row * array.shape(1), array.shape(1)};
}

nb::dict to_dict(RegressionResult&& result) {
    nb::dict record;
    record["errors"] = to_numpy(std::move(result.errors));
    record["best"] = result.best;
    record["held_out"] = to_numpy(std::move(result.held_out));
    record["coef"] = to_numpy(std::move(result.coef));
    record["intercept"] = result.intercept;
    record["violation"] = result.violation;
    record["n_updates"] = result.n_updates;
    record["objective"] = result.objective;
    return record;
}

nb::tuple tune_links(const Array2<double>& distances, const Array2<double>& targets,
                     const Array2<double>& columns, const nb::list& links,
                     const Array1<double>& weights, const Array2<double>& train,
                     const Array2<double>& test, const Array1<double>& starts,
                     const Array1<double>& gammas, const Array1<double>& Cs,
                     const Array1<double>& epsilons, double tol, Index max_iter, bool complete,
                     bool absolute, double race, bool keep, Index n_threads,
                     const nb::object& progress) {
    const RegressionTuneSettings settings{span_of(gammas), span_of(Cs), span_of(epsilons), tol,
                                          max_iter,        complete,    absolute,          race};
    const std::size_t size = weights.size();
    require(distances.shape(0) == size && distances.shape(1) == size,
            "expected a distance and a weight for each pair of samples");
    require(targets.shape(1) == size && (columns.shape(0) == 0 || columns.shape(1) == size),
            "expected a target and a value of each column for each sample");
    require(train.shape(0) == test.shape(0) &&
                (train.shape(0) == 0 || (train.shape(1) == size && test.shape(1) == size)),
            "expected a training and a test weight for each sample and fold");
    const Index n_candidates = gammas.size() * Cs.size() * epsilons.size();
    require(n_candidates > 0 && (n_candidates == 1 || train.shape(0) > 0),
            "without folds there must be one candidate");
    const std::size_t start_size = n_candidates * train.shape(0) * size;
    const Index n_starts = start_size == 0 ? 0 : starts.size() / start_size;
    RegressionTable table;
    table.distances = {distances.data(), distances.size()};
    table.weights = span_of(weights);
    table.starts = span_of(starts);
    for (std::size_t f = 0; f < train.shape(0); ++f) {
        table.folds.push_back({row_of(train, f), row_of(test, f)});
    }
    std::vector<RegressionLink> views;
    for (const auto item : links) {
        RegressionLink view;
        const auto target = nb::cast<Index>(item.attr("target"));
        require_indices({&target, 1}, targets.shape(0), "targets");
        view.target = row_of(targets, target);
        const auto numbers = array1<Index>(item, "columns");
        require_indices(span_of(numbers), columns.shape(0), "columns");
        for (const Index column : span_of(numbers)) {
            view.columns.push_back(row_of(columns, column));
        }
        view.start = nb::cast<Index>(item.attr("start"));
        view.first = nb::cast<Index>(item.attr("first"));
        require(view.start < 0 || starts.size() == 0 || view.start < n_starts,
                "a link starts from one of the links tuned before");
        require(view.first < n_candidates, "there is no such candidate");
        views.push_back(std::move(view));
    }
    Monitor monitor(0.0, python_poll(progress));
    std::vector<RegressionResult> results;
    std::vector<double> kept;
    {
        const nb::gil_scoped_release release;
        results =
            tune_regression(table, views, settings, n_threads, monitor, keep ? &kept : nullptr);
    }
    raise_if_interrupted(monitor);
    nb::list records;
    for (auto& result : results) records.append(to_dict(std::move(result)));
    return nb::make_tuple(records, to_numpy(std::move(kept)));
}

template <class Real>
nb::object distances(const nb::object& rows, const nb::object& vectors, bool absolute,
                     Index n_threads) {
    const auto queries = read_table<Real>(rows);
    const auto table = read_table<Real>(vectors);
    require_same_width(queries.rows, table.rows);
    Monitor monitor(0.0, python_poll(nb::none()));
    UnsetVector<double> values;
    {
        const nb::gil_scoped_release release;
        ThreadPool pool(n_threads);
        values = pair_distances(queries.rows, table.rows, absolute, pool, monitor);
    }
    raise_if_interrupted(monitor);
    return nb::cast(to_numpy(std::move(values)));
}

}  // namespace

void bind_tune_regression(nb::module_& m) {
    m.def(
        "pair_distances",
        [](const nb::object& rows, const nb::object& vectors, bool absolute, Index n_threads) {
            return is_single(rows) ? distances<float>(rows, vectors, absolute, n_threads)
                                   : distances<double>(rows, vectors, absolute, n_threads);
        },
        nb::arg("rows"), nb::arg("vectors"), nb::arg("absolute"), nb::arg("n_threads"),
        nb::sig("def pair_distances(rows: object, vectors: object, absolute: bool, n_threads: int) "
                "-> DoubleArray"),
        "Distances of all rows to all vectors, squared or absolute, row by row.");
    m.def(
        "tune_regression", &tune_links, nb::arg("distances").noconvert(),
        nb::arg("targets").noconvert(), nb::arg("columns").noconvert(), nb::arg("links"),
        nb::arg("weights").noconvert(), nb::arg("train").noconvert(), nb::arg("test").noconvert(),
        nb::arg("starts").noconvert(), nb::arg("gammas").noconvert(), nb::arg("Cs").noconvert(),
        nb::arg("epsilons").noconvert(), nb::arg("tol"), nb::arg("max_iter"), nb::arg("complete"),
        nb::arg("absolute"), nb::arg("race"), nb::arg("keep"), nb::arg("n_threads"),
        nb::arg("progress").none(),
        nb::sig("def tune_regression(distances: DoubleArray, targets: DoubleArray, columns: "
                "DoubleArray, links: list[Any], weights: DoubleArray, train: DoubleArray, test: "
                "DoubleArray, starts: DoubleArray, gammas: DoubleArray, Cs: DoubleArray, epsilons: "
                "DoubleArray, tol: float, max_iter: int, complete: bool, absolute: bool, race: "
                "float, keep: bool, n_threads: int, "
                "progress: object | None) -> tuple[list[Any], DoubleArray]"),
        "Choose gamma, C and epsilon of each link by cross-validation and fit it to all samples.");
}
