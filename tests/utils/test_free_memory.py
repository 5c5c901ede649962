"""The free memory: of the computer, of a container, of the process."""

from __future__ import annotations

import subprocess
import sys

import pytest

from svmosaic.utils import control_groups
from svmosaic.utils import free_memory as module
from svmosaic.utils.free_memory import free_memory

LIMITED = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
from svmosaic.utils.free_memory import free_memory
print(free_memory())
"""


@pytest.fixture
def computer(tmp_path, monkeypatch):
    """Return a function that makes a computer with files of its own."""
    monkeypatch.setattr(module, "_process_limits", list)
    monkeypatch.setattr(module, "_MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(control_groups, "_ROOT", tmp_path)
    monkeypatch.setattr(control_groups, "_MEMBERSHIP", tmp_path / "membership")

    def make(**files):
        for name, text in files.items():
            (tmp_path / name.replace("_", ".")).write_text(text)

    return make


def test_what_is_available_counts(computer):
    computer(meminfo="MemTotal: 900 kB\nMemFree: 100 kB\nMemAvailable: 300 kB\n")

    assert free_memory() == 300 * 1024


def test_a_container_has_less_but_gives_up_cached_files(computer):
    computer(meminfo="MemAvailable: 1000 kB\n", memory_max="500000\n", memory_current="450000\n")
    computer(memory_stat="anon 1\ninactive_file 100000\nactive_file 7\n")

    assert free_memory() == 150_000


def test_a_container_without_a_limit_is_the_computer(computer):
    computer(meminfo="MemAvailable: 1000 kB\n", memory_max="max\n", memory_current="450000\n")

    assert free_memory() == 1000 * 1024


def test_a_container_that_is_full_has_nothing(computer):
    computer(meminfo="MemAvailable: 1000 kB\n", memory_max="500000\n", memory_current="600000\n")
    computer(memory_stat="inactive_file 0\n")

    assert free_memory() == 0


@pytest.mark.parametrize("text", ["", "MemAvailable:\n", "MemAvailable: many kB\n"])
def test_half_of_the_memory_counts_where_nothing_is_said(computer, monkeypatch, text):
    computer(meminfo=text)
    sizes = {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(module.os, "sysconf", sizes.__getitem__)

    assert free_memory() == 500 * 4096


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not keep the limit")
def test_the_limit_of_the_process_counts():
    done = subprocess.run(
        [sys.executable, "-c", LIMITED], capture_output=True, text=True, check=True
    )

    assert 0 < int(done.stdout) < 2 << 30
