"""What was looked at, how it ended, and commands whose output goes to files."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["FAILED", "NOT_DONE", "PASSED", "CommandError", "Log", "Outcome"]

PASSED, FAILED, NOT_DONE = "passed", "FAILED", "not done"
# So many lines of a command that failed go to the screen; the file has all.
_TAIL = 15


class CommandError(Exception):
    """A command that ended with an error; the message is the end of its output."""


@dataclass(frozen=True)
class Outcome:
    """A line of the table at the end."""

    what: str
    result: str
    figure: str = ""


@dataclass
class Log:
    """Outcomes in order, and a folder with the output of every command."""

    folder: Path
    outcomes: list[Outcome] = field(default_factory=list)
    _number: int = 0

    def add(self, what: str, result: str, figure: str = "") -> None:
        """Keep an outcome and show it."""
        self.outcomes.append(Outcome(what, result, figure))
        print(f"{result:>8}  {what}{': ' if figure else ''}{figure}", flush=True)

    def run(
        self,
        name: str,
        words: Sequence[str | Path],
        *,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> str:
        """Run a command and return its output."""
        self._number += 1
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{self._number:02}-{name}.txt"
        with path.open("w", encoding="utf-8") as out:
            print("$", *words, file=out, flush=True)
            done = subprocess.run(
                [str(word) for word in words],
                cwd=folder,
                env=dict(os.environ if environment is None else environment),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                check=False,
            )
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()[1:]
        if done.returncode:
            raise CommandError("\n".join([f"{path} (status {done.returncode}):", *lines[-_TAIL:]]))
        return "\n".join(lines)

    def check(
        self,
        what: str,
        name: str,
        words: Sequence[str | Path],
        *,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        quote: bool = False,
    ) -> str | None:
        """Run a command that passes or fails; with `quote`, show the last line of its output."""
        try:
            output = self.run(name, words, folder=folder, environment=environment)
        except CommandError as error:
            self.add(what, FAILED)
            print(error, file=sys.stderr, flush=True)
            return None
        last = output.strip().splitlines()
        self.add(what, PASSED, last[-1].strip() if last and quote else "")
        return output

    @property
    def failed(self) -> bool:
        """Say whether anything failed."""
        return any(outcome.result == FAILED for outcome in self.outcomes)

    def table(self) -> str:
        """Return the outcomes as a table."""
        width = max(len(outcome.what) for outcome in self.outcomes)
        return "\n".join(
            f"{outcome.what:<{width}}  {outcome.result:<8}  {outcome.figure}".rstrip()
            for outcome in self.outcomes
        )
