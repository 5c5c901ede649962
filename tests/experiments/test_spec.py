"""Specs: what is read, and one clear sentence for everything else."""

from __future__ import annotations

import pytest

from svmosaic import OLLAWVClassifier
from svmosaic.exceptions import DataFileError
from svmosaic.experiments import read_spec
from svmosaic.experiments.spec import find_estimator


def test_a_spec_is_read_with_its_defaults(folder):
    spec = read_spec("spec.toml")

    assert [data.name for data in spec.data] == ["sklearn-iris", "two"]
    assert [method.name for method in spec.methods] == ["ours", "neighbours"]
    assert spec.methods[0].grid == {"C": [1.0, 10.0]}
    assert (spec.protocol.kind, spec.protocol.outer, spec.protocol.repeats) == ("nested", 3, 1)
    assert spec.protocol.scale == "minmax"


def test_fifteen_lines_are_enough(folder):
    text = """
    [[data]]
    path = "two.csv"
    target = "class"
    [[methods]]
    estimator = "UniformSVC"
    params = { C = 10, max_time = "None" }
    """
    (folder / "short.toml").write_text(text)

    spec = read_spec("short.toml")

    assert spec.name == "short"
    assert spec.methods[0].name == "UniformSVC"
    assert spec.methods[0].params["max_time"] is None


def test_paths_are_relative_to_the_spec(folder, monkeypatch):
    inner = folder / "elsewhere"
    inner.mkdir()
    monkeypatch.chdir(inner)

    assert read_spec("../spec.toml").data[1].path.is_file()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[[data]]", "[[dta]]", r"spec.toml: 'data' is needed, one or more tables \[\[data\]\]"),
        ("outer = 3", "outer = 1", r"\[protocol\]: 'outer' must be a whole number from 2, got 1"),
        ("outer = 3", "outer = true", "a whole number from 2, got True"),
        ("outer = 3", "outter = 3", "there is no entry 'outter'. Did you mean 'outer'?"),
        ("outer = 3", "kind = 'nestd'", "got 'nestd'. Did you mean 'nested'?"),
        ("outer = 3", "test_size = 25", "between 0 and 1, got 25"),
        ("outer = 3", "scale = 'log'", "'scale' must be one of 'minmax', 'standard', 'none'"),
        ('"f1_macro"', '"f2"', "Neither scikit-learn nor svmosaic has a score 'f2'"),
        ('["accuracy", "f1_macro"]', "[]", "'scoring' must be a text or a list of texts"),
        ('"sklearn-iris"', '"sklearn-irs"', r"\[\[data\]\] 1: .*sklearn-irs.*give its 'path'"),
        ('"two.csv"', '"three.csv"', r"\[\[data\]\] 2: there is no file '.*three.csv'"),
        ('name = "sklearn-iris"', 'name = "sklearn-iris"\ntarget = 3', "'target' is for files"),
        ('"OLLAWVClassifier"', '"OLLAWV"', r"\[\[methods\]\] 1: there is no estimator 'OLLAWV'"),
        ('"OLLAWVClassifier"', '"os.path.join"', "is not a scikit-learn estimator"),
        ('"OLLAWVClassifier"', '"pathlib.Path"', "is not a scikit-learn estimator"),
        ("C = [1.0, 10.0]", "c = [1.0]", "has no parameter 'c' to try; it has"),
        ("C = [1.0, 10.0]", "C = 1.0", "grid of 'C' must be a list that is not empty, got 1.0"),
        ("grid = {", "params = {", "."),
        ('name = "ours"', 'name = "neighbours"', "two methods are called 'neighbours'"),
        ('name = "ours"', 'name = ""', "'name' must be some text"),
        ('name = "small"', "name = small", "spec.toml: this is not TOML"),
        ('name = "small"', 'nme = "small"', "no entry 'nme'. Did you mean 'name'?"),
        ('name = "small"', "protocol = 3", "'protocol' must be a table, got 3"),
    ],
)
def test_mistakes_are_told_where_and_what(folder, old, new, message):
    path = folder / "spec.toml"
    text = path.read_text()
    assert old in text
    if new == "params = {":
        text = text.replace("grid = { C = [1.0, 10.0] }", "params = { margn = 1 }")
        message = r"\[\[methods\]\] 1: .*margn"
    elif old == "[[data]]":
        text = text.replace("[[data]]", new)
    elif new == "protocol = 3":
        text = text.replace("[protocol]", "[other]").replace(old, new)
    path.write_text(text.replace(old, new, 1))

    with pytest.raises(DataFileError, match=message):
        read_spec(path)


def test_estimators_are_found_by_name():
    assert find_estimator("OLLAWVClassifier") is OLLAWVClassifier
    assert find_estimator("sklearn.svm.SVC").__name__ == "SVC"
