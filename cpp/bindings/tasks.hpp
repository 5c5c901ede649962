// What a solver works on: a problem, and what it starts from. Each kind of task says how its
// Python record is read; the arrays stay alive while the views of them are used.
#pragma once

#include <span>

#include "bindings/convert.hpp"
#include "bindings/require.hpp"
#include "solvers/dual_part.hpp"
#include "solvers/online.hpp"
#include "solvers/smo_problem.hpp"

namespace svmosaic {

template <class Task>
struct TaskArrays;

template <>
struct TaskArrays<Problem> {
    ProblemArrays problem;

    static TaskArrays read(const nb::handle& record, Index n_rows) {
        return {read_problem(record, n_rows)};
    }
    Problem view() const { return problem.view(); }
};

template <>
struct TaskArrays<SmoTask> {
    ProblemArrays problem;
    Array1<double> initial;

    static TaskArrays read(const nb::handle& record, Index n_rows) {
        TaskArrays task{read_problem(record, n_rows), {}};
        if (record.attr("initial").is_none()) return task;
        task.initial = array1<double>(record, "initial");
        require(task.initial.size() == task.problem.samples.size(),
                "an initial solution needs one coefficient per sample");
        return task;
    }
    SmoTask view() const {
        if (!initial.is_valid()) return {problem.view(), {}};
        return {problem.view(), span_of(initial)};
    }
};

template <>
struct TaskArrays<DualPart> {
    Array1<Index> samples;
    Array1<double> lower, upper, beta, gradient;
    double epsilon;

    static TaskArrays read(const nb::handle& record, Index n_rows) {
        TaskArrays part{
            array1<Index>(record, "samples"),   array1<double>(record, "lower"),
            array1<double>(record, "upper"),    array1<double>(record, "beta"),
            array1<double>(record, "gradient"), nb::cast<double>(record.attr("epsilon"))};
        require_indices(span_of(part.samples), n_rows, "samples");
        for (const auto* array : {&part.lower, &part.upper, &part.beta, &part.gradient}) {
            require(array->size() == part.samples.size(),
                    "a part needs bounds, a coefficient and a gradient for each sample");
        }
        return part;
    }
    DualPart view() const {
        return {span_of(samples), span_of(lower),    span_of(upper),
                span_of(beta),    span_of(gradient), epsilon};
    }
};

// `coef` belongs to the support vectors or, where a solver works in the primal, to the features.
template <>
struct TaskArrays<OnlineTask> {
    ProblemArrays problem;
    Array1<Index> support;
    Array1<double> coef;
    double intercept;
    double t;

    static TaskArrays read(const nb::handle& record, Index n_rows) {
        TaskArrays task{read_problem(record.attr("problem"), n_rows),
                        array1<Index>(record, "support"), array1<double>(record, "coef"),
                        nb::cast<double>(record.attr("intercept")),
                        nb::cast<double>(record.attr("t"))};
        require_indices(span_of(task.support), n_rows, "support vectors");
        return task;
    }
    OnlineTask view() const {
        return {problem.view(), span_of(support), span_of(coef), intercept, t};
    }
};

template <class Task>
struct Tasks {
    std::vector<TaskArrays<Task>> arrays;
    std::vector<Task> views;

    Tasks(const nb::list& records, Index n_rows) {
        for (const auto record : records) {
            arrays.push_back(TaskArrays<Task>::read(record, n_rows));
        }
        for (const auto& task : arrays) views.push_back(task.view());
    }
    std::span<const Task> span() const { return views; }
};

// A dict with the fields of svmosaic.engine.tasks.OnlineSolution.
nb::dict to_dict(OnlineSolution&& solution);

}  // namespace svmosaic
