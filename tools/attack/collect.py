"""Collect files that reach new lines of the readers; `make attack` begins from them.

    python tools/attack/collect.py [--seconds 20] [--seed 0] [--only TARGET ...]

For each target, changed files are read while the lines that run are noted. A file that reaches a
line which none before it has reached is kept, in ``corpus/TARGET.json``; the changes that follow
begin from it too.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import time
import warnings
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from corpus import read_corpus, write_corpus
from files import FILES
from mutation import mutate

# A corpus is for the repository: few files, and small ones.
_MOST_FILES = 60
_MOST_BYTES = 4000


class Lines:
    """The lines of svmosaic that have run."""

    def __init__(self) -> None:
        self.known: set[tuple[str, int]] = set()
        self.new = 0

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if "svmosaic" not in frame.f_code.co_filename:
            return None
        if event == "line":
            place = (frame.f_code.co_filename, frame.f_lineno)
            self.new += place not in self.known
            self.known.add(place)
        return self._trace

    def run(self, call: Any) -> bool:
        """Call a function, and say whether it has reached a new line."""
        self.new = 0
        sys.settrace(self._trace)
        try:
            call()
        finally:
            sys.settrace(None)
        return self.new > 0


def collect(target: str, seconds: float, seed: int) -> tuple[list[bytes], int]:
    """Return the corpus of a target, and how many lines its files reach."""
    with tempfile.TemporaryDirectory() as folder:
        case: Any = FILES[target](Path(folder))
        _, seeds, names, read, allowed, _ = case.args
        lines, path = Lines(), Path(folder, names[0])

        def attempt(content: bytes) -> bool:
            def call() -> None:
                with contextlib.suppress(*allowed), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    read(path)

            path.write_bytes(content)
            is_new = lines.run(call)
            path.unlink(missing_ok=True)
            return is_new

        own = [content for content in seeds if content not in read_corpus(target)]
        for content in own:
            attempt(content)
        kept = [content for content in read_corpus(target) if attempt(content)]
        rng = np.random.default_rng([seed, 1])
        end = time.monotonic() + seconds
        while time.monotonic() < end and len(kept) < _MOST_FILES:
            content = mutate(rng, [*own, *kept])
            if len(content) <= _MOST_BYTES and attempt(content):
                kept.append(content)
    return kept, len(lines.known)


def main() -> None:
    """Collect the corpora, target by target."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20.0, help="for each target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", choices=list(FILES), default=list(FILES))
    options = parser.parse_args()
    for target in options.only:
        kept, n_lines = collect(target, options.seconds, options.seed)
        write_corpus(target, kept)
        print(f"{target}: {len(kept)} files reach {n_lines} lines", flush=True)


if __name__ == "__main__":
    main()
