"""How many threads a call may use."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys

import joblib
import numpy as np
import pytest
from joblib import Parallel, delayed, parallel_config
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV

from svmosaic import SMOClassifier
from svmosaic.utils import threads
from svmosaic.utils.threads import (
    available_threads,
    limit_threads,
    resolve_threads,
    share_of_computer,
)


@pytest.fixture(autouse=True)
def no_limits_from_outside(monkeypatch):
    """Forget the threads that tests give to linear algebra."""
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)


@pytest.fixture
def sixteen(monkeypatch):
    """Make a computer with sixteen processors."""
    monkeypatch.setattr(threads, "available_threads", lambda: 16)


@pytest.mark.parametrize(
    ("n_jobs", "available", "expected"),
    [
        (None, 4, 1),
        (1, 4, 1),
        (3, 4, 3),
        (16, 4, 4),
        (-1, 4, 4),
        (-2, 4, 3),
        (-9, 4, 1),
        (np.int64(2), 4, 2),
    ],
)
def test_n_jobs_means_what_it_means_in_scikit_learn(monkeypatch, n_jobs, available, expected):
    monkeypatch.setattr(threads, "available_threads", lambda: available)

    assert resolve_threads(n_jobs) == expected


def test_no_threads_is_no_number_of_threads():
    with pytest.raises(ValueError, match="n_jobs=0 has no meaning; expected the number of threads"):
        SMOClassifier(n_jobs=0).fit([[0.0], [1.0]], [0, 1])


# What a process may use ------------------------------------------------------------------------


@pytest.fixture
def processors(monkeypatch):
    """Return a function that makes a computer with an affinity and a quota."""

    def make(affinity, quota=None, counted=None):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(affinity), raising=False)
        if counted is None:
            monkeypatch.delattr(os, "process_cpu_count", raising=False)
        else:
            monkeypatch.setattr(os, "process_cpu_count", lambda: counted, raising=False)
        monkeypatch.setattr(threads, "processor_quota", lambda: quota)
        monkeypatch.delenv("LOKY_MAX_CPU_COUNT", raising=False)
        threads._group_processors.cache_clear()

    yield make
    threads._group_processors.cache_clear()


@pytest.mark.parametrize(
    ("quota", "expected"), [(None, 4), (2.0, 2), (0.5, 1), (1.5, 2), (64.0, 4)]
)
def test_a_container_limit_counts(processors, quota, expected):
    processors(4, quota)

    assert available_threads() == expected


def test_the_affinity_counts(processors):
    processors(3)

    assert available_threads() == 3
    assert resolve_threads(-1) == 3


def test_newer_pythons_say_how_many_processors_a_process_has(processors):
    processors(8, counted=5)

    assert available_threads() == 5


def test_systems_without_affinity_have_all_processors(processors, monkeypatch):
    processors(8)
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 6)

    assert available_threads() == 6
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert available_threads() == 1


@pytest.mark.parametrize(("text", "expected"), [("2", 2), ("0", 1), ("many", 4), ("99", 4)])
def test_the_variable_of_loky_counts(processors, monkeypatch, text, expected):
    processors(4)
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", text)

    assert available_threads() == expected


def test_a_limit_holds_inside_its_block(processors):
    processors(8)

    with limit_threads(3):
        assert available_threads() == resolve_threads(-1) == resolve_threads(5) == 3
        with limit_threads(2):
            assert resolve_threads(-1) == 2
        assert resolve_threads(-1) == 3
    assert resolve_threads(-1) == 8


def test_the_share_of_a_worker_is_that_of_its_threads(processors, monkeypatch):
    processors(8)
    assert share_of_computer() == 1.0
    with limit_threads(2):
        assert share_of_computer() == 0.25

    nested = joblib.parallel.BACKENDS["threading"](nesting_level=1)
    monkeypatch.setattr(threads, "get_active_backend", lambda: (nested, None))
    monkeypatch.setenv("OMP_NUM_THREADS", "4")
    assert share_of_computer() == 0.5


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system has no affinity")
def test_a_process_bound_to_one_processor_uses_one():
    code = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "from svmosaic.utils.threads import resolve_threads\n"
        "print(resolve_threads(-1), resolve_threads(8))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["1", "1"]


# Threads take their stacks from an address space that has no room for one more.
REFUSED_THREADS = """
import resource, threading
import numpy as np
from svmosaic import SMOClassifier
from svmosaic.utils import threads

threads.available_threads = lambda: 8
X = np.random.default_rng(0).normal(size=(600, 5))
y = (X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 2] > 0)
alone = SMOClassifier(n_jobs=1).fit(X, y)
with open("/proc/self/statm") as sizes:
    taken = int(sizes.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + 2**29, resource.RLIM_INFINITY))
try:
    threading.Thread(target=print).start()
except RuntimeError:
    print("refused")
many = SMOClassifier(n_jobs=-1).fit(X, y)
print(np.array_equal(many.decision_function(X), alone.decision_function(X)))
"""


def large_stacks():
    """Give every thread of a child process a stack of two gigabytes."""
    import resource

    most = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(resource.RLIMIT_STACK, (2**31, most))


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
def test_when_the_system_refuses_threads_a_fit_does_without():
    done = subprocess.run(
        [sys.executable, "-c", REFUSED_THREADS],
        preexec_fn=large_stacks,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["refused", "True"]


# joblib ----------------------------------------------------------------------------------------


def test_none_takes_the_number_of_a_configuration(sixteen):
    assert resolve_threads(None) == 1
    with parallel_config(n_jobs=3):
        assert resolve_threads(None) == 3
        assert resolve_threads(2) == 2
        assert resolve_threads(1) == 1
    with parallel_config(backend="threading", n_jobs=-1):
        assert resolve_threads(None) == 16
    with parallel_config(backend="threading"):
        assert resolve_threads(None) == 1


class Cluster(joblib.parallel.ParallelBackendBase):
    """A backend whose workers are elsewhere."""

    def effective_n_jobs(self, n_jobs):
        return 1000

    def submit(self, func, callback):
        raise NotImplementedError


def test_the_workers_of_a_cluster_are_not_threads(sixteen):
    with parallel_config(backend=Cluster(), n_jobs=-1):
        assert resolve_threads(None) == 1
        assert resolve_threads(-1) == 16


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_two_workers_share_the_processors(backend):
    run = Parallel(n_jobs=2, backend=backend)
    in_workers = run(delayed(resolve_threads)(-1) for _ in range(4))

    assert max(in_workers) <= max(1, available_threads() // 2)
    assert run(delayed(resolve_threads)(None) for _ in range(2)) == [1, 1]


def test_a_worker_process_has_the_share_that_joblib_tells_it():
    with parallel_config(backend="loky", inner_max_num_threads=1):
        assert Parallel(n_jobs=2)(delayed(resolve_threads)(-1) for _ in range(2)) == [1, 1]


def test_a_worker_process_uses_the_least_of_what_it_is_told(sixteen, monkeypatch):
    # A user may have set the first one for the whole computer; joblib leaves it as it is.
    monkeypatch.setenv("OMP_NUM_THREADS", "16")
    nested = joblib.parallel.BACKENDS["threading"](nesting_level=1)
    monkeypatch.setattr(threads, "get_active_backend", lambda: (nested, None))
    assert resolve_threads(-1) == 16

    monkeypatch.setenv("NUMEXPR_NUM_THREADS", "4")
    assert resolve_threads(-1) == 4
    assert resolve_threads(8) == 8  # whoever names a number has it
    for name in threads._WORKER_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    assert resolve_threads(-1) == 1


def test_a_process_of_a_pool_uses_one_thread():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(resolve_threads, (-1,)) == 1


def test_a_search_with_processes_does_not_start_more_threads_than_processors():
    X, y = make_classification(n_samples=60, random_state=0)
    search = GridSearchCV(SMOClassifier(n_jobs=-1), {"C": [1.0, 2.0]}, cv=2, n_jobs=2)

    def threads_used(model, X, y):
        return model.fit_report_.n_threads

    search.set_params(scoring=threads_used, refit=False).fit(X, y)

    most = search.cv_results_["mean_test_score"].max()
    assert most <= max(1, available_threads() // 2)
