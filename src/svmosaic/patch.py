"""Run a program with svmosaic's estimators in the place of scikit-learn's.

    python -m svmosaic.patch script.py [arguments]
    python -m svmosaic.patch -m module [arguments]

The program is not changed. ``sklearn.svm.SVC`` and ``sklearn.svm.SVR`` are svmosaic's in it.
"""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence

from svmosaic.svm.patching import patch_sklearn

__all__ = ["main"]

_USAGE = """\
usage: python -m svmosaic.patch [--quiet] script.py [arguments]
       python -m svmosaic.patch [--quiet] -m module [arguments]

Run a program with svmosaic's support vector machines in the place of scikit-learn's.

  --quiet     do not say what was replaced
  -m module   run a module instead of a script
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program that the arguments name; return 2 if they name none."""
    rest = list(sys.argv[1:] if arguments is None else arguments)
    quiet = rest[:1] == ["--quiet"]
    rest = rest[quiet:]
    if rest[:1] in (["-h"], ["--help"]):
        print(_USAGE, end="")
        return 0
    if rest[:1] == ["-m"] and len(rest) > 1:
        return _run(rest[1], rest[1:], quiet, is_module=True)
    if not rest or rest[0].startswith("-"):
        given = f"Got {rest[0]!r} instead" if rest else "Got nothing"
        return _fail(f"a script or '-m module' was expected. {given}.")
    if not os.path.exists(rest[0]):
        return _fail(f"there is no script {rest[0]!r}. Check the path.")
    return _run(rest[0], rest, quiet, is_module=False)


def _run(program: str, argv: list[str], quiet: bool, *, is_module: bool) -> int:
    replaced = patch_sklearn()
    if not quiet:
        print(f"svmosaic: replaced {', '.join(replaced)}", file=sys.stderr)
    sys.argv = argv
    if not sys.flags.safe_path:
        # As `python script.py` and `python -m module` do.
        sys.path[0] = os.getcwd() if is_module else os.path.dirname(os.path.abspath(program))
    if is_module:
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(program, run_name="__main__")
    return 0


def _fail(reason: str) -> int:
    print(f"svmosaic.patch: {reason}\n\n{_USAGE}", file=sys.stderr, end="")
    return 2


if __name__ == "__main__":
    sys.exit(main())
