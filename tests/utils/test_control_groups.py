"""Limits of control groups, of both versions and of the groups above."""

from __future__ import annotations

import pytest

from svmosaic.utils import control_groups
from svmosaic.utils.control_groups import memory_left, processor_quota

MEMBER_OF_BOTH = "4:memory:/job/step\n2:cpu,cpuacct:/job/step\n0::/job/step\n"


@pytest.fixture
def system(tmp_path, monkeypatch):
    """Return a function that makes the files of a system, in folders of their own."""
    monkeypatch.setattr(control_groups, "_ROOT", tmp_path)
    monkeypatch.setattr(control_groups, "_MEMBERSHIP", tmp_path / "membership")

    def make(files, membership=None):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        if membership is not None:
            (tmp_path / "membership").write_text(membership)

    return make


def test_a_system_without_groups_has_no_limits(system):
    system({})

    assert processor_quota() is None
    assert memory_left() is None


@pytest.mark.parametrize(
    ("text", "quota"),
    [
        ("200000 100000\n", 2.0),
        ("50000 100000", 0.5),
        ("max 100000\n", None),
        ("", None),
        ("junk", None),
        ("100000 0", None),
    ],
)
def test_the_root_of_a_container_counts(system, text, quota):
    system({"cpu.max": text}, "0::/\n")

    assert processor_quota() == quota


def test_the_least_of_all_groups_above_counts(system):
    system(
        {
            "job/step/cpu.max": "max 100000",
            "job/cpu.max": "300000 100000",
            "job/memory.max": "1000",
            "job/memory.current": "200",
            "job/memory.stat": "inactive_file 50\nactive_file 7\n",
            "job/step/memory.max": "900",
            "job/step/memory.current": "150",
        },
        MEMBER_OF_BOTH,
    )

    assert processor_quota() == 3.0
    assert memory_left() == 750


def test_version_1_counts(system):
    system(
        {
            "cpu/job/step/cpu.cfs_quota_us": "-1",
            "cpu/job/step/cpu.cfs_period_us": "100000",
            "cpu/job/cpu.cfs_quota_us": "150000",
            "cpu/job/cpu.cfs_period_us": "100000",
            "memory/job/step/memory.limit_in_bytes": "5000",
            "memory/job/step/memory.usage_in_bytes": "4000",
            "memory/job/step/memory.stat": "inactive_file 1\ntotal_inactive_file 300\n",
            "memory/memory.limit_in_bytes": "9223372036854771712",
            "memory/memory.usage_in_bytes": "123456",
        },
        MEMBER_OF_BOTH,
    )

    assert processor_quota() == 1.5
    assert memory_left() == 1300


@pytest.mark.parametrize("path", ["/docker/0123/nowhere", "/../../elsewhere"])
def test_a_path_of_the_host_leads_to_the_root_of_the_container(system, path):
    system({"cpu.max": "400000 100000"}, f"0::{path}\n")

    assert processor_quota() == 4.0


def test_version_2_beside_version_1_counts(system):
    system({"unified/job/step/cpu.max": "100000 100000"}, MEMBER_OF_BOTH)

    assert processor_quota() == 1.0


@pytest.mark.parametrize("text", ["", "nonsense\n", "0::\n", "::\n"])
def test_strange_lists_of_groups_do_no_harm(system, text):
    system({"cpu.max": "100000 100000"}, text)

    assert processor_quota() == 1.0
