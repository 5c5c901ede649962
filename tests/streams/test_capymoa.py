"""MOA's learners by adapter: with a stand-in for Java, and with MOA where it is installed."""

from __future__ import annotations

import importlib.util
import os
import pickle
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from svmosaic.exceptions import MissingDependencyError
from svmosaic.streams import SEA, prequential
from svmosaic.streams.capymoa import CapyMOALearner

HAS_MOA = importlib.util.find_spec("capymoa") is not None


class JavaInstance:
    """A row of numbers, the last one the class."""

    def __init__(self, weight, row):
        self.row = list(row)

    def setDataset(self, header):
        assert header.numAttributes() == len(self.row)

    def setClassValue(self, value):
        self.row[-1] = value


class MajorityClass:
    """Votes with the counts of the classes so far; none at first."""

    def __init__(self):
        self.counts = []

    def trainOnInstance(self, instance):
        label = int(instance.row[-1])
        self.counts += [0.0] * (label + 1 - len(self.counts))
        self.counts[label] += 1

    def getVotesForInstance(self, instance):
        return self.counts


class JavaError(Exception):
    """What jpype raises."""

    def getMessage(self):
        return str(self)


def _find(name):
    if name == "moa.classifiers.functions.MajorityClass":
        return MajorityClass
    if name.endswith("DenseInstance"):
        return JavaInstance
    raise TypeError(f"Class {name} is not found")


def _make(kind, schema, CLI, random_seed):
    if CLI is not None:
        raise JavaError(f"Unknown option: {CLI}")
    return SimpleNamespace(moa_learner=kind())


@pytest.fixture
def java(monkeypatch):
    """Modules that stand in for CapyMOA and jpype; the schemas that were made."""
    schemas = []

    def from_custom(features, target, categories, name):
        schemas.append((features, target, categories))
        header = SimpleNamespace(numAttributes=lambda: len(features))
        return SimpleNamespace(get_moa_header=lambda: header)

    modules = {
        "capymoa": {},
        "capymoa.stream": {"Schema": SimpleNamespace(from_custom=from_custom)},
        "capymoa.base": {"MOAClassifier": _make},
        "jpype": {
            "JClass": _find,
            "JException": JavaError,
            "JDouble": float,
            "JArray": lambda kind, depth: lambda rows: rows,
        },
        "jpype.pickle": {"JPickler": pickle.Pickler, "JUnpickler": pickle.Unpickler},
    }
    for name, attributes in modules.items():
        module = ModuleType(name)
        vars(module).update(attributes)
        monkeypatch.setitem(sys.modules, name, module)
    return schemas


MAJORITY = "moa.classifiers.functions.MajorityClass"


def test_samples_labels_and_schema_reach_java(java):
    learner = CapyMOALearner(MAJORITY)

    learner.learn(np.zeros((3, 2)), np.array(["b", "a", "b"]), np.array(["b", "a", "c"]))

    assert java == [(["x0", "x1", "class"], "class", {"class": ["0", "1", "2"]})]
    assert learner._moa.counts == [1.0, 2.0]
    assert learner.predict(np.zeros((2, 2))).tolist() == ["b", "b"]
    assert learner.size()["n_bytes"] > 0


def test_without_votes_the_first_class_is_predicted(java):
    learner = CapyMOALearner(MAJORITY)
    learner.learn(np.zeros((0, 2)), np.array([]), np.array([3, 5]))

    assert learner.predict(np.zeros((2, 2))).tolist() == [3, 3]


def test_it_can_be_pickled(java):
    learner = CapyMOALearner(MAJORITY)
    learner.learn(np.zeros((3, 2)), np.array([5, 5, 3]), np.array([3, 5]))

    again = pickle.loads(pickle.dumps(learner))

    assert again.predict(np.zeros((1, 2))).tolist() == [5]
    again.learn(np.zeros((2, 2)), np.array([3, 3]), np.array([3, 5]))
    assert (again._moa.counts, learner._moa.counts) == ([3.0, 2.0], [1.0, 2.0])


def test_what_moa_does_not_know_is_told(java):
    X, y = np.zeros((2, 2)), np.array([0, 1])
    with pytest.raises(ValueError, match=r"MOA has no class 'moa.Nothing'. Write its full name"):
        CapyMOALearner("moa.Nothing").learn(X, y, y)
    with pytest.raises(ValueError, match="does not take the options '-q': Unknown option: -q"):
        CapyMOALearner(MAJORITY, cli="-q").learn(X, y, y)


@pytest.mark.skipif(HAS_MOA, reason="CapyMOA is installed")
def test_without_capymoa_it_says_what_to_install():
    with pytest.raises(MissingDependencyError, match=r"'capymoa' is needed to run learners of MOA"):
        CapyMOALearner(MAJORITY).start()


def test_without_java_it_says_so(monkeypatch):
    def fail(name, purpose):
        raise RuntimeError("Java was not found.")

    monkeypatch.setattr("svmosaic.streams.capymoa.import_optional", fail)

    with pytest.raises(MissingDependencyError, match=r"CapyMOA cannot start Java.*Install Java 17"):
        CapyMOALearner(MAJORITY).start()


@pytest.mark.skipif(not HAS_MOA, reason="CapyMOA is not installed")
def test_a_tree_of_moa_learns_and_goes_on_after_a_stop(tmp_path):
    tree = "moa.classifiers.trees.HoeffdingTree"
    path = tmp_path / "run.checkpoint"

    prequential(CapyMOALearner(tree), SEA(seed=1), n_samples=4000, checkpoint=path)
    resumed = prequential(CapyMOALearner(tree), SEA(seed=1), n_samples=8000, checkpoint=path)
    whole = prequential(CapyMOALearner(tree), SEA(seed=1), n_samples=8000)

    accuracy = whole.last()["CapyMOALearner"]["accuracy"]
    assert accuracy > 0.8
    assert resumed.last()["CapyMOALearner"]["accuracy"] == accuracy


@pytest.mark.parametrize(
    ("before", "after"),
    [(None, "-Xmx8g -Xss10M -Xrs"), ("-Xmx2g", "-Xmx2g -Xrs"), ("-Xrs -Xmx2g", "-Xrs -Xmx2g")],
)
def test_java_leaves_signals_alone(monkeypatch, before, after):
    if before is None:
        monkeypatch.delenv("CAPYMOA_JVM_ARGS", raising=False)
    else:
        monkeypatch.setenv("CAPYMOA_JVM_ARGS", before)
    seen = []
    monkeypatch.setattr(
        "svmosaic.streams.capymoa.import_optional",
        lambda *_: seen.append(os.environ["CAPYMOA_JVM_ARGS"]),
    )
    monkeypatch.setattr("svmosaic.streams.capymoa.importlib.import_module", lambda name: None)

    CapyMOALearner("moa.classifiers.bayes.NaiveBayes").start()

    assert seen == [after]
