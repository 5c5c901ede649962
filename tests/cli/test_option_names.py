"""Messages of the readers name options of the command line, not parameters of Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import svmosaic.datasets.readers
from svmosaic.cli.option_names import _PHRASES, _reworded, option_of, own_options
from svmosaic.datasets import read_table
from svmosaic.exceptions import DataFileError

_PYTHON = re.compile(r"nominal_columns|numeric_columns|id_column|allow_nan|(?<!--)max_bytes|dense=")


@pytest.mark.parametrize("phrase", [phrase for phrase, _ in _PHRASES])
def test_a_phrase_is_one_of_the_readers_and_is_reworded(phrase):
    folder = Path(svmosaic.datasets.readers.__file__).parent
    # Sentences go over several lines of source, and have values in them.
    source = "".join(path.read_text() for path in folder.glob("*.py"))
    joined = re.sub(r'"\s*\n\s*f?"', "", source).replace("{advice}or raise", "or raise")

    assert phrase in joined
    assert not _PYTHON.search(_reworded(phrase))


def test_options_of_parameters():
    assert option_of("nominal_columns") == "--categorical"
    assert option_of("max_bytes") == "--max-bytes"


def test_errors_keep_their_type(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,x\n,z\n")

    with pytest.raises(DataFileError, match="train with --impute mean"), own_options():
        read_table(path)
    with pytest.raises(ValueError, match="--delimiter must be one character"), own_options():
        read_table(path, delimiter="ab")
    with pytest.raises(KeyError), own_options():
        raise KeyError("nominal_columns")
