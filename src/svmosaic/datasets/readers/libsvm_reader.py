"""LIBSVM text: as tables, as bags and as streams."""

from __future__ import annotations

import re

from svmosaic.datasets.readers.libsvm import read_libsvm
from svmosaic.datasets.readers.libsvm_bags import read_libsvm_bags
from svmosaic.datasets.readers.libsvm_rows import LibsvmRows
from svmosaic.datasets.readers.reader import Reader

__all__ = ["READER"]

_ROW = re.compile(r"[-+.\dainf]+\s+(qid:-?\d+\s+)?\d+:\S")


def _recognises(line: str) -> bool:
    return _ROW.match(line) is not None


READER = Reader(
    name="libsvm",
    extensions=(".svm", ".libsvm", ".svmlight"),
    read=read_libsvm,
    recognises=_recognises,
    options=frozenset({"n_features", "max_features"}),
    read_bags=read_libsvm_bags,
    rows=LibsvmRows,
)
