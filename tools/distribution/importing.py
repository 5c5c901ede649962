"""Measure how long `import svmosaic` takes beyond NumPy's. Runs inside an environment."""

from __future__ import annotations

import os
import subprocess
import sys

# Of other work on the computer; the fastest of these says what the import takes.
_REPEATS = 7


def _seconds(code: str) -> float:
    """Return the processor time of a Python that runs the code."""
    before = os.times()
    subprocess.run([sys.executable, "-c", code], check=True)
    after = os.times()
    children = (after.children_user, after.children_system)
    return sum(children) - before.children_user - before.children_system


def main() -> None:
    """Print the seconds beyond NumPy's."""
    for code in ("import numpy", "import svmosaic"):
        _seconds(code)  # writes bytecode
    numpy = min(_seconds("import numpy") for _ in range(_REPEATS))
    both = min(_seconds("import numpy, svmosaic") for _ in range(_REPEATS))
    print(f"{max(0.0, both - numpy):.3f}")


if __name__ == "__main__":
    main()
