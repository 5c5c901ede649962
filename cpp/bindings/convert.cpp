#include "bindings/convert.hpp"

#include "bindings/require.hpp"

namespace svmosaic {

namespace {

KernelKind kind_of(const std::string& name) {
    for (const auto& kernel : kernels) {
        if (kernel.name == name) return kernel.kind;
    }
    throw nb::value_error(("unknown kernel '" + name + "'").c_str());
}

std::string record_name(const nb::handle& record) {
    return nb::cast<std::string>(record.type().attr("__name__"));
}

template <class Real>
Array2<Real> matrix(const nb::handle& record) {
    Array2<Real> array;
    if (!nb::try_cast<Array2<Real>>(record.attr("values"), array, false)) {
        throw nb::type_error("field 'values' is not a C-contiguous matrix of the expected type");
    }
    return array;
}

IndexView indices(const nb::handle& record, const char* field, std::vector<nb::object>& keep) {
    keep.push_back(record.attr(field));
    Array1<std::int32_t> narrow;
    if (nb::try_cast<Array1<std::int32_t>>(record.attr(field), narrow, false)) {
        return IndexView(span_of(narrow));
    }
    return IndexView(span_of(array1<std::int64_t>(record, field)));
}

}  // namespace

KernelSpec read_kernel(const nb::handle& record) {
    return {kind_of(nb::cast<std::string>(record.attr("kind"))),
            nb::cast<double>(record.attr("gamma")), nb::cast<Index>(record.attr("degree")),
            nb::cast<double>(record.attr("coef0"))};
}

bool is_single(const nb::handle& record) {
    // A callback returns whatever its kernel computes; it is read in double precision.
    if (record_name(record) == "CallbackRows") return false;
    const auto dtype = record.attr("values").attr("dtype");
    // Its name is made by Python, which takes longer than a prediction.
    const auto letter = nb::cast<std::string>(dtype.attr("char"));
    if (letter == "f") return true;
    if (letter == "d") return false;
    const auto name = nb::cast<std::string>(dtype.attr("name"));
    throw nb::type_error(("rows of type " + name + "; float32 or float64 expected").c_str());
}

template <class Real>
Table<Real> read_table(const nb::handle& record) {
    const std::string type = record_name(record);
    Table<Real> table;
    if (type == "CallbackRows") {
        const auto n_rows = nb::cast<Index>(record.attr("n_rows"));
        const nb::object column = record.attr("column");
        const auto diagonal = array1<double>(record, "diagonal");
        require(ssize(diagonal) == n_rows,
                "a kernel function needs one value of the diagonal per row");
        table.keep = {column, record.attr("diagonal")};
        CallbackRows<Real> rows;
        rows.n_rows = n_rows;
        rows.diagonal = diagonal.data();
        // The handle stays valid: `keep` holds the object.
        rows.column = [callable = nb::handle(column)](Index j, std::span<Real> out) {
            const nb::gil_scoped_acquire gil;
            const nb::object values = callable(j);
            Array1<Real> array;
            if (!nb::try_cast<Array1<Real>>(values, array, false) || array.size() != out.size()) {
                throw nb::type_error("the kernel column has the wrong type or length");
            }
            std::copy(array.data(), array.data() + array.size(), out.begin());
        };
        table.rows = std::move(rows);
        return table;
    }
    table.keep.push_back(record.attr("values"));
    if (type == "CsrRows") {
        const auto values = array1<Real>(record, "values");
        CsrRows<Real> rows;
        rows.values = values.data();
        rows.columns = indices(record, "columns", table.keep);
        rows.offsets = indices(record, "offsets", table.keep);
        rows.n_rows = nb::cast<Index>(record.attr("offsets").attr("size")) - 1;
        rows.n_columns = nb::cast<Index>(record.attr("n_columns"));
        require_csr(rows, ssize(values), nb::cast<Index>(record.attr("columns").attr("size")));
        table.rows = rows;
        return table;
    }
    const auto values = matrix<Real>(record);
    const Index n_rows = values.shape(0);
    const Index n_columns = values.shape(1);
    if (type == "PairwiseRows") {
        const auto symmetric = nb::cast<bool>(record.attr("symmetric"));
        require(!symmetric || n_rows == n_columns, "a symmetric matrix must be square");
        table.rows = PairwiseRows<Real>{values.data(), n_rows, n_columns, symmetric};
    } else {
        table.rows = DenseRows<Real>{values.data(), n_rows, n_columns};
    }
    return table;
}

template Table<float> read_table<float>(const nb::handle&);
template Table<double> read_table<double>(const nb::handle&);

ProblemArrays read_problem(const nb::handle& record, Index n_rows) {
    ProblemArrays arrays{array1<Index>(record, "samples"), array1<double>(record, "targets"),
                         array1<double>(record, "weights"), nb::cast<Index>(record.attr("first"))};
    const Index size = arrays.samples.size();
    require(ssize(arrays.targets) == size && ssize(arrays.weights) == size,
            "samples, targets and weights differ in length");
    require(arrays.start < std::max<Index>(size, 1), "a problem starts at one of its samples");
    require_indices(span_of(arrays.samples), n_rows, "samples");
    return arrays;
}

nb::dict to_dict(const SolveCounters& counters) {
    nb::dict record;
    record["n_kernel_values"] = counters.n_kernel_values;
    record["n_columns"] = counters.n_columns;
    record["n_selections"] = counters.n_selections;
    record["n_updates"] = counters.n_updates;
    record["n_rounds"] = counters.n_rounds;
    record["n_blocks"] = counters.n_blocks;
    record["n_sweeps"] = counters.n_sweeps;
    record["theta_sum"] = counters.theta_sum;
    record["theta_min"] = counters.theta_min;
    record["cache_bytes"] = counters.cache_bytes;
    return record;
}

nb::dict to_dict(const PhaseSeconds& seconds) {
    nb::dict record;
    record["total"] = seconds.total;
    record["selection"] = seconds.selection;
    record["clusters"] = seconds.clusters;
    record["start"] = seconds.start;
    record["solving"] = seconds.solving;
    record["certificate"] = seconds.certificate;
    return record;
}

nb::dict to_dict(Solution&& solution) {
    nb::dict record;
    record["support"] = to_numpy(std::move(solution.support));
    record["coef"] = to_numpy(std::move(solution.coef));
    record["intercept"] = solution.intercept;
    record["status"] = std::string(name_of(solution.status));
    record["n_iter"] = solution.n_iter;
    record["violation"] = solution.violation;
    record["objective"] = solution.objective;
    record["dual_gap"] = solution.dual_gap;
    record["width"] = solution.width;
    record["counters"] = to_dict(solution.counters);
    record["seconds"] = to_dict(solution.seconds);
    record["path_rows"] = to_numpy(std::move(solution.path_rows));
    record["path_steps"] = to_numpy(std::move(solution.path_steps));
    record["path_violations"] = to_numpy(std::move(solution.path_violations));
    return record;
}

std::function<bool(const Progress&)> python_poll(const nb::object& progress) {
    return [progress = nb::handle(progress)](const Progress& state) {
        const nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) return true;
        if (progress.is_none()) return false;
        try {
            progress(state.problems_done, state.problems_total, state.steps);
        } catch (nb::python_error& error) {
            error.restore();
            return true;
        }
        return false;
    };
}

void raise_if_interrupted(const Monitor& monitor) {
    if (monitor.stopped() && monitor.reason() == Status::interrupted && PyErr_Occurred()) {
        throw nb::python_error();
    }
}

}  // namespace svmosaic
