"""What a fit says of itself: counts that are true, and the same for any number of threads."""

from __future__ import annotations

import logging
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.metrics.pairwise import rbf_kernel

from svmosaic import (
    KernelPrimalSVC,
    MNSVMClassifier,
    NNISDAClassifier,
    NuSMOClassifier,
    NuSMORegressor,
    OLLAWVClassifier,
    OLLAWVClassifierCV,
    OneClassSMO,
    SMOClassifier,
    SMORegressor,
    UniformSVC,
)
from svmosaic.engine.counters import PhaseSeconds, SolveCounters
from svmosaic.persistence.model_file import decode, encode

X, Y = make_classification(
    n_samples=400, n_features=5, n_informative=4, n_redundant=0, n_classes=3, random_state=0
)
ESTIMATORS = [
    OLLAWVClassifier(),
    OLLAWVClassifier(refine=None),
    SMOClassifier(),
    SMOClassifier(variant="simple", random_state=0),
    MNSVMClassifier(),
    NNISDAClassifier(),
    KernelPrimalSVC(),
    UniformSVC(),
    SMORegressor(),
    NuSMOClassifier(nu=0.3),
    NuSMORegressor(),
    OneClassSMO(nu=0.2),
]


def name_of(model):
    changed = {k: v for k, v in model.get_params().items() if v != type(model)().get_params()[k]}
    return f"{type(model).__name__} {changed or ''}"


@pytest.mark.parametrize("model", ESTIMATORS, ids=name_of)
def test_a_report_agrees_with_the_model(model):
    model = clone(model).fit(X, Y)

    report = model.fit_report_

    assert report.estimator == type(model).__name__
    assert report.n_samples == 400
    assert report.n_support == model.support_.size
    assert report.n_problems == model.intercept_.size
    assert report.stop_reasons == {
        str(reason): int((model.stop_reason_ == reason).sum()) for reason in model.stop_reason_
    }
    if np.isnan(model.dual_gap_).all():
        assert report.dual_gap is None
    else:
        assert report.dual_gap == model.dual_gap_.max()
    assert report.counters.n_kernel_values > 0
    assert report.counters.n_columns > 0
    # Plain OLLAWV reads each column of a small problem once.
    keeps = getattr(model, "refine", "full") is not None
    assert (report.counters.cache_bytes > 0) == keeps
    assert report.n_threads == 1
    assert 0.0 < report.preparation_seconds < report.seconds
    assert 0.0 < report.phases.total < report.seconds
    parts = report.phases.selection + report.phases.solving + report.phases.certificate
    assert 0.0 < parts <= report.phases.total
    if isinstance(model, OLLAWVClassifier):
        assert report.counters.n_selections == model.n_iter_.sum()
    elif not isinstance(model, SMOClassifier) or model.variant != "simple":
        assert report.counters.n_updates == model.n_iter_.sum()


@pytest.mark.parametrize("model", ESTIMATORS, ids=name_of)
def test_counts_do_not_depend_on_the_number_of_threads(model):
    alone = clone(model).set_params(n_jobs=1).fit(X, Y).fit_report_

    for n_jobs in (2, 3):
        assert clone(model).set_params(n_jobs=n_jobs).fit(X, Y).fit_report_ == alone


def test_counts_of_a_large_fit_do_not_depend_on_the_number_of_threads():
    rows, labels = make_classification(n_samples=11_000, n_features=4, random_state=1)
    rows = rows.astype(np.float32)
    reports = [
        kind(n_jobs=n_jobs, gamma=1.0, cache_mb=500).fit(rows, labels).fit_report_
        for kind in (OLLAWVClassifier, SMOClassifier)
        for n_jobs in (1, 2)
    ]

    assert reports[0] == reports[1]
    assert reports[2] == reports[3]
    for report in reports:
        assert report.counters.n_rounds > 1
        assert report.phases.clusters > 0
        assert report.phases.certificate > 0


def test_every_kernel_value_that_a_function_gives_is_counted():
    given = []

    def kernel(A, B):
        given.append(A.shape[0] * B.shape[0])
        return rbf_kernel(A, B, gamma=0.5)

    model = SMOClassifier(kernel=kernel, shrinking=False)
    two = Y < 2
    model.fit(X[two], Y[two])
    # The diagonal is asked for in square blocks; columns are as long as the table.
    n = int(two.sum())
    columns = [size for size in given if size == n]

    assert model.fit_report_.counters.n_columns == len(columns)
    assert model.fit_report_.counters.n_kernel_values == sum(columns)


def test_the_ratio_compares_with_samples_times_support_vectors():
    two = Y < 2
    binary = SMOClassifier().fit(X[two], Y[two]).fit_report_
    three = SMOClassifier().fit(X, Y)

    assert binary.n_certificate_values == int(two.sum()) * binary.n_support
    assert binary.kernel_value_ratio == pytest.approx(
        binary.counters.n_kernel_values / (int(two.sum()) * binary.n_support)
    )
    # One-vs-one: each problem has the samples of its two classes and its own support vectors.
    sizes = np.bincount(Y)
    per_problem = (three.expansion_.coefficient_matrix().toarray() != 0).sum(axis=0)
    pairs = [(0, 1), (0, 2), (1, 2)]
    least = sum((sizes[a] + sizes[b]) * s for (a, b), s in zip(pairs, per_problem, strict=True))
    assert three.fit_report_.n_certificate_values == least


def test_a_smaller_cache_computes_more_and_says_so():
    rows, labels = make_classification(n_samples=1500, n_features=4, flip_y=0.2, random_state=2)
    large = SMOClassifier(cache_mb=50).fit(rows, labels)
    small = SMOClassifier(cache_mb=1).fit(rows, labels)

    assert np.array_equal(large.dual_coef_, small.dual_coef_)
    assert small.fit_report_.counters.n_kernel_values > large.fit_report_.counters.n_kernel_values
    assert small.fit_report_.counters.cache_bytes <= 2**20
    assert large.fit_report_.counters.cache_bytes > 2**20
    assert small.fit_report_.cache_mb == 1
    assert "1 MB allowed" in str(small.fit_report_)


def test_a_limit_on_memory_gives_the_cache_of_the_report():
    model = SMOClassifier(memory_limit_mb=20).fit(X, Y)

    assert 10 < model.fit_report_.cache_mb < 20


# Reading ------------------------------------------------------------------------------------


def test_a_report_can_be_printed():
    model = OLLAWVClassifier().fit(X, Y)

    text = str(model.fit_report_)

    assert text.splitlines()[0] == "OLLAWVClassifier"
    for name in ("samples", "support vectors", "binary problems", "kernel values", "seconds"):
        assert f"\n  {name} " in text
    assert "x (samples x support vectors)" in text
    html = model.fit_report_._repr_html_()
    assert html.startswith("<table>")
    assert html.count("<tr>") == len(model.fit_report_.fields())
    with pytest.raises(FrozenInstanceError):
        model.fit_report_.n_support = 7


def test_joint_steps_are_shown_with_their_lengths():
    model = SMOClassifier().fit(X, Y)
    without = model.fit_report_
    counters = SolveCounters(n_sweeps=4, n_blocks=12, n_rounds=2, theta_sum=3.0, theta_min=0.5)
    report = type(without)(**{**vars(without), "counters": counters})

    assert np.isnan(without.counters.theta_mean)
    assert "joint steps" not in str(without)
    assert "4; mean length 0.75, least 0.50" in str(report)
    assert "2, 12 blocks" in str(report)


def test_work_on_several_problems_adds_up():
    one = SolveCounters(n_kernel_values=5, n_sweeps=1, theta_sum=0.5, theta_min=0.5, cache_bytes=9)
    two = SolveCounters(n_kernel_values=7, n_updates=3, cache_bytes=4)

    together = SolveCounters.total([one, two])

    assert together == SolveCounters(
        n_kernel_values=12, n_updates=3, n_sweeps=1, theta_sum=0.5, theta_min=0.5, cache_bytes=9
    )
    assert SolveCounters.total([]) == SolveCounters()
    seconds = PhaseSeconds.sum_of([PhaseSeconds(total=1.0, solving=0.5), PhaseSeconds(total=2.0)])
    assert (seconds.total, seconds.solving) == (3.0, 0.5)


def test_verbose_logs_the_report(caplog):
    with caplog.at_level(logging.INFO, logger="svmosaic"):
        model = SMOClassifier(verbose=1).fit(X, Y)
        SMOClassifier().fit(X, Y)

    assert caplog.messages == str(model.fit_report_).splitlines()


# Where there is one --------------------------------------------------------------------------


def test_pickles_keep_the_report():
    model = SMOClassifier().fit(X, Y)

    loaded = pickle.loads(pickle.dumps(model)).fit_report_

    assert loaded == model.fit_report_
    assert loaded.seconds == model.fit_report_.seconds


def test_a_search_has_the_report_of_its_best_model():
    search = OLLAWVClassifierCV(gammas=[0.1], Cs=[1.0], cv=2).fit(X, Y)

    assert search.best_estimator_.fit_report_.n_samples == 400


@pytest.mark.parametrize("kind", [OLLAWVClassifier, SMOClassifier, SMORegressor])
def test_only_fit_makes_a_report(kind):
    model = kind().fit(X, Y)
    loaded = decode(encode(model))

    for without in (kind(), loaded):
        assert not hasattr(without, "fit_report_")
        with pytest.raises(AttributeError, match=f"This {kind.__name__} has no fit_report_"):
            _ = without.fit_report_
    assert encode(loaded) == encode(model)


def test_a_shorter_path_has_no_report_of_another_fit():
    model = OLLAWVClassifier(refine=None, margin=0.5).fit(X, Y)

    assert not hasattr(model.at_margin(0.1), "fit_report_")
    assert not hasattr(model.at_budget(3), "fit_report_")
    assert hasattr(model, "fit_report_")


def test_a_new_fit_makes_a_new_report():
    model = SMOClassifier().fit(X, Y)
    model.fit(X[:200], Y[:200])

    assert model.fit_report_.n_samples == 200
