"""Attack the library: every reader, loader, command and kind of fit, for as long as is asked.

    python tools/attack [--minutes 10] [--seed 0] [--jobs 1] [--only TARGET ...] [--out FILE.md]

The cases of a target run in processes of their own, so a crash is found and counted. With
`--jobs`, so many targets or seeds are attacked side by side: the targets with the seed given, then
with the next one. A case is given by its target, the seed and its number; the table at the end has
the numbers of those that went wrong. The program fails if there are any.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

_HERE = Path(__file__).parent
sys.path.insert(0, str(_HERE))
sys.path.insert(1, str(_HERE.parents[1] / "tests"))

from commands import COMMANDS  # noqa: E402
from files import FILES  # noqa: E402
from fits import FITS  # noqa: E402

# Fits and commands do much in a case; what they may take is their own affair.
_HANG_SECONDS, _HANG_MB = 1.0, 512.0
# A process that says nothing for so long is killed.
_SILENCE = 600.0
# Of a target's faults of one kind so many are described.
_MOST_TOLD = 4


@dataclass
class Figures:
    """What was counted of a target."""

    target: str
    seed: int
    cases: int = 0
    seconds: float = 0.0
    processor_seconds: float = 0.0
    slowest: float = 0.0
    most_mb: float = 0.0
    crashes: int = 0
    hangs: int = 0
    memory: int = 0
    exceptions: int = 0
    told: list[str] = field(default_factory=list)

    @property
    def faults(self) -> int:
        """All that went wrong."""
        return self.crashes + self.hangs + self.memory + self.exceptions

    def tell(self, count: int, number: int, what: str) -> None:
        """Keep the description of a fault if it is one of the first of its kind."""
        if count <= _MOST_TOLD:
            self.told.append(f"seed {self.seed}, case {number}: {what}")

    def add(self, other: Figures) -> None:
        """Count what was found with another seed."""
        for name in ("cases", "seconds", "processor_seconds", "crashes", "hangs", "memory"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.exceptions += other.exceptions
        self.slowest = max(self.slowest, other.slowest)
        self.most_mb = max(self.most_mb, other.most_mb)
        self.told += other.told

    def note(self, record: dict[str, object]) -> None:
        """Count a case that has ended."""
        number, error = int(str(record["end"])), record["error"]
        seconds, mb = float(str(record["seconds"])), float(str(record["mb"]))
        self.cases += 1
        self.slowest, self.most_mb = max(self.slowest, seconds), max(self.most_mb, mb)
        if error is not None:
            self.exceptions += 1
            self.tell(self.exceptions, number, str(error))
        if self.target in FILES and seconds > _HANG_SECONDS:
            self.hangs += 1
            self.tell(self.hangs, number, f"took {seconds:.1f} s of the processor")
        if self.target in FILES and mb > _HANG_MB:
            self.memory += 1
            self.tell(self.memory, number, f"took {mb:.0f} MB")


def attack(target: str, seed: int, seconds: float) -> Figures:
    """Run the cases of a target for a time; start again where the process dies."""
    figures = Figures(target, seed)
    begin = time.monotonic()
    first = 0
    with tempfile.TemporaryDirectory() as folder:
        while (left := seconds - (time.monotonic() - begin)) > 0 or first == 0:
            last, code = _run_worker(figures, first, max(left, 0.1), folder)
            if code == 0:
                break
            figures.crashes += 1
            figures.tell(figures.crashes, last, f"the process ended with {code}")
            first = last + 1
    figures.seconds = time.monotonic() - begin
    return figures


def _run_worker(figures: Figures, first: int, seconds: float, folder: str) -> tuple[int, int]:
    """Return the last case that was begun, and how the process ended."""
    words = [figures.target, str(figures.seed), str(first), str(seconds), folder]
    paths = [str(_HERE), str(_HERE.parents[1] / "tests"), os.environ.get("PYTHONPATH", "")]
    last = first
    with subprocess.Popen(
        [sys.executable, str(_HERE / "worker.py"), *words],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
    ) as process:
        for record in _records(process):
            if "begin" in record:
                last = int(str(record["begin"]))
            else:
                figures.note(record)
        # With the time of the processes that it has started itself.
        _, status, used = os.wait4(process.pid, 0)
        figures.processor_seconds += used.ru_utime + used.ru_stime
        process.returncode = os.waitstatus_to_exitcode(status)
        return last, process.returncode


def _records(process: subprocess.Popen[str]) -> Iterator[dict[str, object]]:
    """Yield what a worker says; one that is silent for long is killed."""
    assert process.stdout is not None
    while True:
        timer = threading.Timer(_SILENCE, process.kill)
        timer.start()
        try:
            line = process.stdout.readline()
        finally:
            timer.cancel()
        if not line:
            return
        yield json.loads(line)


def _commit() -> str:
    """Return the commit that is attacked, and whether the sources differ from it."""

    def git(*words: str) -> str:
        root = _HERE.parents[1]
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True)
        return done.stdout.strip()

    changed = git("status", "--porcelain", "--", "src", "cpp", "tools/attack")
    return (git("rev-parse", "--short", "HEAD") or "unknown") + (" with changes" if changed else "")


def make_log(found: Sequence[Figures], seeds: str, commit: str) -> str:
    """Return the figures as a section of a Markdown file."""
    import numpy
    import sklearn

    import svmosaic

    minutes = sum(one.processor_seconds for one in found) / 60
    lines = [
        f"## {time.strftime('%Y-%m-%d')}, {seeds}, commit {commit}",
        "",
        f"{minutes:.0f} minutes of processor time, {sum(one.cases for one in found)} cases, "
        f"{sum(one.faults for one in found)} faults. svmosaic {svmosaic.__version__}, Python "
        f"{platform.python_version()}, NumPy {numpy.__version__}, scikit-learn "
        f"{sklearn.__version__}, {platform.system()} {platform.machine()}.",
        "",
        "| target | cases | minutes | of the processor | slowest, s | most memory, MB | crashes | "
        "hangs | memory | wrong exceptions |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {one.target} | {one.cases} | {one.seconds / 60:.1f} | "
        f"{one.processor_seconds / 60:.1f} | {one.slowest:.2f} | {one.most_mb:.0f} | "
        f"{one.crashes} | {one.hangs} | {one.memory} | {one.exceptions} |"
        for one in found
    ]
    told = [f"- {one.target}, {what}" for one in found for what in one.told]
    return "\n".join([*lines, *(["", "Faults:", "", *told] if told else [])]) + "\n"


_HEADER = """# Attacks on the library

Made by `make attack`, one section for each run. A hang is a file that takes more than 1 s of the
processor; memory counts files above 512 MB; a wrong exception is one of another kind than
documented, a wrong result, or a fit to at most 120 rows that takes more than 1 s.
"""


def main() -> int:
    """Attack all targets, one after the other, and write the log."""
    targets = [*FILES, *FITS, *COMMANDS]
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0, help="for all targets together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="how many at the same time")
    parser.add_argument("--only", nargs="+", choices=targets, metavar="TARGET", default=targets)
    parser.add_argument("--out", help="a Markdown file for the figures")
    options = parser.parse_args()
    before, commit = _HEADER, _commit()
    if options.out and Path(options.out).exists():
        before = Path(options.out).read_text(encoding="utf-8")
    last = options.seed + options.jobs - 1
    seeds = f"seed {options.seed}" if options.jobs == 1 else f"seeds {options.seed} to {last}"
    found: dict[str, Figures] = {}
    lock = threading.Lock()

    def attack_one(seed: int, target: str) -> None:
        figures = attack(target, seed, 60.0 * options.minutes / len(options.only))
        print(f"{target}, seed {seed}: {figures.cases} cases, {figures.faults} faults", flush=True)
        with lock:
            if target in found:
                found[target].add(figures)
            else:
                found[target] = figures
            if options.out:
                # After every target: a run of hours may be stopped.
                Path(options.out).write_text(f"{before}\n{log()}", encoding="utf-8")

    def log() -> str:
        return make_log([found[t] for t in options.only if t in found], seeds, commit)

    with ThreadPoolExecutor(options.jobs) as pool:
        # Every one of them takes the same time: all jobs end together.
        runs = [
            pool.submit(attack_one, seed, target)
            for seed in range(options.seed, last + 1)
            for target in options.only
        ]
        for run in runs:
            run.result()
    print(f"\n{log()}")
    return 1 if any(one.faults for one in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
