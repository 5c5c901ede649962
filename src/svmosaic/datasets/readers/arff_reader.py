"""ARFF files: as tables, with several targets, as bags and as streams."""

from __future__ import annotations

import re

from svmosaic.datasets.readers.arff import read_arff, read_columns
from svmosaic.datasets.readers.arff_bags import read_arff_bags
from svmosaic.datasets.readers.arff_rows import ArffRows
from svmosaic.datasets.readers.reader import Reader

__all__ = ["READER"]

_KEYWORD = re.compile(r"@(relation|attribute|data)\b", re.IGNORECASE)


def _recognises(line: str) -> bool:
    return _KEYWORD.match(line) is not None


READER = Reader(
    name="arff",
    extensions=(".arff",),
    read=read_arff,
    recognises=_recognises,
    columns=read_columns,
    read_bags=read_arff_bags,
    rows=ArffRows,
)
