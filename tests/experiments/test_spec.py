"""Specs: what is read, and one clear sentence for everything else."""

from __future__ import annotations

import numpy as np
import pytest

from svmosaic import OLLAWVClassifier
from svmosaic.exceptions import DataFileError
from svmosaic.experiments import read_spec
from svmosaic.experiments.cells import load_data
from svmosaic.experiments.spec import build_estimator, find_estimator


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
        ("outer = 3", "time_limit = 0", "'time_limit' must be a positive number, got 0"),
        ("outer = 3", "stratify = 1", "'stratify' must be true or false, got 1"),
        ('name = "sklearn-iris"', 'name = "flowers"\ndataset = "irs"', "irs"),
        ('path = "two.csv"', 'path = "two.csv"\ndataset = "iris"', "'dataset' is a name of the"),
        ('name = "ours"', 'name = "ours"\nnot_on = ["x"]', "has 'not_on' 'x', which is not a data"),
        ('name = "ours"', 'name = "ours"\ntunes_itself = true', "without a 'grid'; OLLAWVCla"),
        ("outer = 3", "scale = 'log'", "'scale' must be one of 'minmax', 'standard', 'none'"),
        ('"f1_macro"', '"f2"', "Neither scikit-learn nor svmosaic has a score 'f2'"),
        ('["accuracy", "f1_macro"]', "[]", "'scoring' must be a text or a list of texts"),
        ('"sklearn-iris"', '"sklearn-irs"', r"\[\[data\]\] 1: .*sklearn-irs.*give its 'path'"),
        ('"two.csv"', '"three.csv"', r"\[\[data\]\] 2: there is no file '.*three.csv'"),
        ('"two.csv"', f'"{"a" * 3000}"', r"\[\[data\]\] 2: there is no file '.{200,220}\.\.\.'\.$"),
        ('path = "two.csv"', 'path = "two.csv"\nmax_bytes = 0', "'max_bytes' must be a whole num"),
        (
            'name = "sklearn-iris"',
            'name = "sklearn-iris"\nmax_bytes = 3',
            "'max_bytes' is for files",
        ),
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


def test_the_limit_on_a_file_is_kept(folder):
    path = folder / "spec.toml"
    path.write_text(path.read_text().replace('"two.csv"', '"two.csv"\nmax_bytes = 10'))
    spec = read_spec(path)

    with pytest.raises(DataFileError, match=r"^two\.csv: the text is longer .*max_bytes=10"):
        load_data(spec.data[1])


def test_estimators_are_found_by_name():
    assert find_estimator("OLLAWVClassifier") is OLLAWVClassifier
    assert find_estimator("sklearn.svm.SVC").__name__ == "SVC"


def test_a_method_may_tune_itself_on_the_inner_folds(folder):
    from sklearn.datasets import load_iris

    from svmosaic.experiments.cells import iter_cells, make_estimator

    (folder / "spec.toml").write_text(
        """
        [protocol]
        inner = 4
        [[data]]
        name = "sklearn-iris"
        [[methods]]
        estimator = "OLLAWVClassifierCV"
        tunes_itself = true
        [[methods]]
        estimator = "sklearn.svm.SVC"
        grid = { C = [1, 10] }
        """
    )
    spec = read_spec("spec.toml")
    X, y = load_iris(return_X_y=True)
    cells = list(iter_cells(spec, spec.data[0], X, y))

    ours, theirs = (make_estimator(spec, cells[i], X, y) for i in (1, 6))

    # The same folds for both.
    train = cells[1].split.train
    folds, expected = (list(cv.split(X[train], y[train])) for cv in (ours[-1].cv, theirs.cv))
    assert len(folds) == 4
    assert all((a[1] == b[1]).all() for a, b in zip(folds, expected, strict=True))


def test_classes_of_a_data_set(folder):
    from svmosaic.experiments.cells import load_data
    from svmosaic.experiments.spec import DataSpec

    X, y = load_data(DataSpec("two", None, None, "sklearn-iris", (1, 2), 2))

    assert X.shape == (100, 4)
    assert y.tolist() == [0] * 50 + [1] * 50
    with pytest.raises(ValueError, match=r"has no class 7\. It has 0, 1, 2"):
        load_data(DataSpec("two", None, None, "sklearn-iris", (1, 7)))


def test_scores_of_ours_are_known_by_name(folder):
    path = folder / "spec.toml"
    path.write_text(path.read_text().replace('"f1_macro"', '"cohen_kappa"'))

    assert read_spec(path).protocol.scoring == ("accuracy", "cohen_kappa")


NESTED = """
[[data]]
path = "two.csv"
target = "class"
[[methods]]
name = "bag"
estimator = "sklearn.ensemble.BaggingClassifier"
[methods.params]
n_estimators = 3
[methods.params.estimator]
estimator = "sklearn.tree.DecisionTreeClassifier"
params = { max_depth = 2 }
"""


def test_a_parameter_may_be_an_estimator(folder):
    (folder / "nested.toml").write_text(NESTED)

    (method,) = read_spec("nested.toml").methods

    model = build_estimator(method.estimator, method.params)
    assert (model.n_estimators, model.estimator.max_depth) == (3, 2)
    # What is written to journals and pages stays plain.
    assert method.params["estimator"]["params"] == {"max_depth": 2}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("tree.DecisionTreeClassifier", "tree.Oak", "there is no estimator 'sklearn.tree.Oak'"),
        ("max_depth", "maximal_depth", "unexpected keyword argument 'maximal_depth'"),
        ("params = { max", "parms = { max", "'estimator' and 'params', not 'parms'"),
    ],
)
def test_mistakes_inside_an_estimator_are_told(folder, old, new, message):
    (folder / "nested.toml").write_text(NESTED.replace(old, new))

    with pytest.raises(DataFileError, match=message):
        read_spec("nested.toml")


def test_some_rows_of_a_data_set_are_drawn_once(folder):
    text = """
    [[data]]
    name = "sklearn-iris"
    rows = 40
    [[data]]
    name = "all of it"
    dataset = "sklearn-iris"
    rows = 1000
    [[methods]]
    estimator = "UniformSVC"
    """
    (folder / "rows.toml").write_text(text)
    some, every = read_spec("rows.toml").data

    X, y = load_data(some)
    X_again, _ = load_data(some)

    assert X.shape == (40, 4)
    assert y.shape == (40,)
    assert len(np.unique(y)) == 3
    np.testing.assert_array_equal(X, X_again)
    assert load_data(every)[0].shape == (150, 4)
    (folder / "rows.toml").write_text(text.replace("rows = 40", "rows = 0"))
    with pytest.raises(DataFileError, match="'rows' must be a whole number from 2, got 0"):
        read_spec("rows.toml")


def test_values_nested_too_deeply_are_one_sentence(tmp_path):
    path = tmp_path / "deep.toml"
    path.write_text("name = " + "[" * 5000)

    with pytest.raises(DataFileError, match=r"deep\.toml: its values are nested too deeply"):
        read_spec(path)
