"""How many threads a call may use."""

from __future__ import annotations

import os

import pytest

from svmosaic.utils import threads


@pytest.mark.parametrize(
    ("n_jobs", "available", "expected"),
    [(None, 4, 1), (1, 4, 1), (3, 4, 3), (16, 4, 4), (-1, 4, 4), (-2, 4, 3), (-9, 4, 1)],
)
def test_n_jobs_means_what_it_means_in_scikit_learn(monkeypatch, n_jobs, available, expected):
    monkeypatch.setattr(threads, "available_threads", lambda: available)

    assert threads.resolve_threads(n_jobs) == expected


@pytest.mark.parametrize(("quota", "expected"), [(None, 4), (2.0, 2), (0.5, 1), (64.0, 4)])
def test_a_container_limit_counts(monkeypatch, quota, expected):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(4), raising=False)
    monkeypatch.setattr(threads, "_cgroup_quota", lambda: quota)

    assert threads.available_threads() == expected
