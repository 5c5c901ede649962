"""Measure how long `import svmosaic` takes beyond NumPy's. Runs inside an environment."""

from __future__ import annotations

import resource
import subprocess
import sys

# Other work on the computer slows some of these; the fastest says what the import takes.
_REPEATS = 7


def _seconds(code: str) -> float:
    """Return the processor time of a Python that runs the code."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-I", "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the seconds beyond NumPy's."""
    for code in ("import numpy", "import svmosaic"):
        _seconds(code)  # writes bytecode
    numpy = min(_seconds("import numpy") for _ in range(_REPEATS))
    both = min(_seconds("import numpy, svmosaic") for _ in range(_REPEATS))
    print(f"{max(0.0, both - numpy):.3f}")


if __name__ == "__main__":
    main()
