"""Bags in the file of an experiment: by name or from a file, scaled, split and scored."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler

from svmosaic.bags import Bags
from svmosaic.datasets import whereabouts
from svmosaic.exceptions import DataFileError
from svmosaic.experiments import read_results
from svmosaic.experiments.cells import _hash_arrays, iter_cells, load_data, make_estimator
from svmosaic.experiments.description import describe_data
from svmosaic.experiments.runner import run_experiment
from svmosaic.experiments.spec import read_spec
from svmosaic.multi_instance import BagTransformer

SPEC = """
[protocol]
outer = 3
inner = 2
scoring = ["accuracy", "precision", "recall", "cohen_kappa", "roc_auc", "one_point_auc"]

[[data]]
path = "toy.csv"
bag = "bag"
target = "class"

[[methods]]
estimator = "MIRSVMClassifier"
params = { n_init = 1 }
grid = { C = [1, 10], gamma = [0.1, 1.0] }

[[methods]]
estimator = "MIRMixSVMClassifier"
params = { C = [1.0, 10.0], gamma = [0.5], n_init = 1, mixing_cv = 3 }
tunes_itself = true
"""


NAMED = 'path = "toy.csv"\nbag = "bag"\ntarget = "class"'


@pytest.fixture
def spec(tmp_path):
    rng = np.random.default_rng(0)
    lines = ["bag,a,b,class"]
    for bag in range(30):
        for i in range(3):
            x = rng.normal() + 6.0 * (bag % 2 and i == 0)
            lines.append(f"bag{bag},{x:.4f},{100 * rng.normal():.4f},{bag % 2}")
    (tmp_path / "toy.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "spec.toml").write_text(SPEC)
    return read_spec(tmp_path / "spec.toml")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_methods_on_bags(spec, tmp_path, n_jobs):
    summary = run_experiment(spec, tmp_path / "run", n_jobs=n_jobs)

    assert (summary.n_done, summary.n_failed) == (6, 0)
    for record in read_results(tmp_path / "run"):
        assert set(spec.protocol.scoring) <= set(record)
        assert record["roc_auc"] > 0.8
        assert (record["n_samples"], record["n_features"], record["n_classes"]) == (30, 2, 2)
        if record["method"] == "MIRSVMClassifier":
            assert record["params"]["C"] in (1, 10)
            assert record["n_support"] > 0


def test_gaps_of_instances_are_filled(spec, tmp_path):
    rows = (tmp_path / "toy.csv").read_text().splitlines()
    name, _, rest = rows[5].split(",", 2)
    rows[5] = f"{name},,{rest}"
    (tmp_path / "toy.csv").write_text("\n".join(rows) + "\n")
    with pytest.raises(DataFileError, match=r"column 'a' has no value.*set impute = "):
        run_experiment(spec, tmp_path / "run")

    filled = replace(spec, protocol=replace(spec.protocol, impute="median"))
    summary = run_experiment(filled, tmp_path / "run")

    assert (summary.n_done, summary.n_failed) == (6, 0)


def test_instances_are_scaled_inside_bags(spec):
    X, y = load_data(spec.data[0])
    cell = next(iter_cells(spec, spec.data[0], X, y))
    sparse = X.with_instances(sp.csr_array(X.instances))

    for bags, kind in ((X, MinMaxScaler), (sparse, MaxAbsScaler)):
        step = make_estimator(spec, cell, bags, y).estimator.named_steps["scale"]
        assert isinstance(step, BagTransformer)
        assert isinstance(step.transformer, kind)


def test_the_key_of_a_cell_depends_on_the_cuts_between_bags():
    instances = np.arange(6.0).reshape(3, 2)
    one, other = Bags(instances, [0, 1, 3]), Bags(instances, [0, 2, 3])

    assert _hash_arrays(one) != _hash_arrays(other)
    assert _hash_arrays(one) == _hash_arrays(Bags(instances.copy(), [0, 1, 3]))
    assert describe_data(one, np.array([0, 1]))["n_features"] == 2


def test_a_registered_name(tmp_path):
    if whereabouts("eastWest") is None:
        pytest.skip("the data folder is not available; set SVMOSAIC_DATA")
    text = SPEC.replace(NAMED, 'name = "eastWest"')
    (tmp_path / "spec.toml").write_text(text)
    spec = read_spec(tmp_path / "spec.toml")

    X, y = load_data(spec.data[0])

    assert isinstance(X, Bags)
    assert (len(X), y.sum()) == (20, 10)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('path = "toy.csv"', 'name = "eastWest"', "'target' is for files"),
        ('target = "class"', "targets = 1", "'bag' and 'targets' exclude each other"),
        (NAMED, 'name = "musk1"\nbag = 1', "'bag' is for files"),
    ],
)
def test_bad_entries_are_told(spec, tmp_path, old, new, words):
    (tmp_path / "bad.toml").write_text(SPEC.replace(old, new))

    with pytest.raises(DataFileError, match=words):
        read_spec(tmp_path / "bad.toml")


def test_an_estimator_as_a_parameter(tmp_path, spec):
    method = """
[[methods]]
name = "simple"
estimator = "sklearn.ensemble.BaggingClassifier"
params = { estimator = { estimator = "SMOClassifier", params = { C = 3.0 } }, n_estimators = 2 }
grid = { estimator__gamma = [0.1, 1.0] }
"""
    (tmp_path / "nested.toml").write_text(SPEC + method)
    spec = read_spec(tmp_path / "nested.toml")
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    cell = next(cell for cell in iter_cells(spec, spec.data[0], X, y) if cell.method == "simple")

    model = make_estimator(spec, cell, X, y).estimator.named_steps["model"]

    assert (type(model.estimator).__name__, model.estimator.C) == ("SMOClassifier", 3.0)


def test_small_classes_get_fewer_folds(spec):
    X, y = load_data(spec.data[0])
    few = np.r_[0:9]
    protocol = spec.protocol.__class__(outer=10, inner=2)
    small = spec.__class__(spec.name, spec.data, spec.methods[:1], protocol)

    cells = list(iter_cells(small, spec.data[0], X[few], y[few]))

    assert len(cells) == 4


def test_a_feature_that_only_test_bags_have_is_held(spec, tmp_path):
    X, y = load_data(spec.data[0])
    # A word on the pages of one bag: constant wherever this bag is left out.
    word = np.zeros((X.n_instances, 1))
    word[X.bag_of == 4] = 61.0
    with_word = X.with_instances(np.hstack([X.instances, word]))
    cells, plain = (
        {(cell.method, cell.split.fold): cell for cell in iter_cells(spec, spec.data[0], bags, y)}
        for bags in (with_word, X)
    )
    keeping = replace(spec, protocol=replace(spec.protocol, hold_constants=False))
    kept = {
        (cell.method, cell.split.fold): cell
        for cell in iter_cells(keeping, spec.data[0], with_word, y)
    }

    for place, cell in cells.items():
        is_out = 4 in cell.split.test
        # The question is another one where, and only where, something is held.
        assert (cell.question != kept[place].question) == is_out
        assert cell.question != plain[place].question
        fitted = make_estimator(spec, cell, with_word, y).fit(
            with_word[cell.split.train], y[cell.split.train]
        )
        pipeline = getattr(fitted, "best_estimator_", fitted)
        seen = pipeline[:-1].transform(with_word[cell.split.test])
        assert seen.instances[:, 2].max() == 0.0
