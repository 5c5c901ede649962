"""svmosaic's estimators in the place of scikit-learn's, and back."""

from __future__ import annotations

import copy
import logging
import os
import pickle
import subprocess
import sys
from pathlib import Path

import joblib
import numpy as np
import pytest
import sklearn.svm
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import svmosaic
from scikit_learn_checks import parametrize_with_checks
from svmosaic.patch import main
from svmosaic.svm import SVC, SVR, replacements

THEIRS, THEIR_SVR = sklearn.svm.SVC, sklearn.svm.SVR
THEIR_ONE_CLASS = sklearn.svm.OneClassSVM
X, Y = load_iris(return_X_y=True)
ALL = [
    f"{module}.{name}"
    for name in ("SVC", "SVR", "NuSVC", "NuSVR", "OneClassSVM")
    for module in ("sklearn.svm", "sklearn.svm._classes")
]


@pytest.fixture
def patched():
    svmosaic.patch_sklearn()
    yield sklearn.svm
    svmosaic.unpatch_sklearn()


def test_patching_says_what_it_replaced_and_is_undone():
    assert svmosaic.patch_sklearn() == ALL
    try:
        assert svmosaic.patch_sklearn() == []
        assert issubclass(sklearn.svm.SVC, SVC)
        assert issubclass(sklearn.svm.SVR, SVR)
        assert sklearn.svm._classes.SVC is sklearn.svm.SVC
    finally:
        assert svmosaic.unpatch_sklearn() == ALL

    assert svmosaic.unpatch_sklearn() == []
    assert sklearn.svm.SVC is sklearn.svm._classes.SVC is THEIRS
    assert sklearn.svm.SVR is THEIR_SVR


@pytest.mark.parametrize("names", [["SVR"], "SVR", iter(["SVR"])], ids=["list", "str", "iterator"])
def test_single_classes_are_replaced(names):
    try:
        assert svmosaic.patch_sklearn(names) == ALL[2:4]
        assert sklearn.svm.SVC is THEIRS
    finally:
        svmosaic.unpatch_sklearn()


def test_an_unknown_class_is_refused():
    with pytest.raises(ValueError, match=r"NuSVR, OneClassSVM of sklearn\.svm\. Got 'LinearSVC'"):
        svmosaic.patch_sklearn(["LinearSVC"])

    assert sklearn.svm.SVC is THEIRS


def test_a_model_is_an_instance_of_both_classes(patched):
    model = patched.SVC().fit(X, Y)

    assert isinstance(model, THEIRS)
    assert isinstance(model, patched.SVC)
    assert isinstance(model, SVC)
    assert isinstance(THEIRS(), patched.SVC)
    assert not isinstance(patched.SVR(), patched.SVC)
    assert not isinstance(3, patched.SVC)

    class Mine(patched.SVC):
        pass

    assert isinstance(Mine(), patched.SVC)
    assert not isinstance(THEIRS(), Mine)


def test_parameters_clones_and_text_are_scikit_learns(patched):
    model = patched.SVC(C=3.0, gamma="auto")

    assert model.get_params() == THEIRS(C=3.0, gamma="auto").get_params()
    assert repr(model) == repr(THEIRS(C=3.0, gamma="auto"))
    assert type(clone(model)) is patched.SVC
    assert clone(model).get_params() == model.get_params()
    assert model.set_params(C=1.0).C == 1.0


@pytest.mark.parametrize("copied", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy])
def test_models_are_pickled_and_copied(patched, copied):
    ours, theirs = patched.SVC().fit(X, Y), THEIRS().fit(X, Y)

    for model, kind in ((ours, patched.SVC), (theirs, THEIRS)):
        again = copied(model)
        assert type(again) is kind
        np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


def test_pickles_cross_the_border_in_both_directions(tmp_path):
    old = pickle.dumps(THEIRS(C=2.0).fit(X, Y))
    new_old = pickle.dumps(THEIRS(C=2.0))
    svmosaic.patch_sklearn()
    try:
        assert type(pickle.loads(old)) is THEIRS
        np.testing.assert_array_equal(
            pickle.loads(old).predict(X), THEIRS(C=2.0).fit(X, Y).predict(X)
        )
        # What is not fitted yet is fitted by ours.
        assert type(pickle.loads(new_old).fit(X, Y)) is replacements.SVC
        ours = pickle.dumps(sklearn.svm.SVC().fit(X, Y))
        handed_back = pickle.dumps(sklearn.svm.SVC(gamma=0.0).fit(X, Y))
        joblib.dump(THEIRS().fit(X, Y), tmp_path / "model")
    finally:
        svmosaic.unpatch_sklearn()

    assert type(pickle.loads(ours)) is replacements.SVC
    assert type(pickle.loads(handed_back)) is THEIRS
    assert type(joblib.load(tmp_path / "model")) is THEIRS


@pytest.mark.parametrize("options", [{"gamma": 0.0}, {"max_iter": 0}], ids=str)
@pytest.mark.parametrize("name", ["SVC", "SVR"])
@pytest.mark.filterwarnings("ignore:Solver terminated early")
def test_what_is_not_supported_is_handed_back(patched, name, options, caplog):
    kind = {"SVC": THEIRS, "SVR": THEIR_SVR}[name]
    model = getattr(patched, name)(**options)
    with caplog.at_level(logging.WARNING, logger="svmosaic"):
        assert model.fit(X, Y) is model

    assert type(model) is kind
    assert isinstance(model, getattr(patched, name))
    expected = kind(**options).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), expected.predict(X))
    np.testing.assert_array_equal(model.dual_coef_, expected.dual_coef_)
    assert set(vars(model)) == set(vars(expected))
    (record,) = caplog.records
    (parameter,) = options
    assert f"scikit-learn's own {name} fits this model" in record.getMessage()
    assert f"The '{parameter}' parameter of {name} must be" in record.getMessage()


def test_a_refit_that_is_handed_back_leaves_nothing_of_ours(patched, caplog):
    model = patched.SVC().fit(X, Y).set_params(gamma=0.0).fit(X, Y)

    assert type(model) is THEIRS
    assert set(vars(model)) == set(vars(THEIRS(gamma=0.0).fit(X, Y)))


def test_what_nobody_supports_is_refused_by_scikit_learn(patched, caplog):
    model = patched.SVC(C=-1.0)

    with pytest.raises(ValueError, match="The 'C' parameter of SVC must be"):
        model.fit(X, Y)

    assert type(model) is patched.SVC
    assert caplog.records == []


def test_a_class_of_the_users_is_not_handed_back(patched):
    class Mine(patched.SVC):
        pass

    assert Mine().fit(X, Y).score(X, Y) > 0.9
    with pytest.raises(ValueError, match="The 'gamma' parameter of Mine must be"):
        Mine(gamma=0.0).fit(X, Y)


@pytest.mark.parametrize("name", ["SVC", "SVR", "OneClassSVM"])
def test_random_numbers_after_a_fit_are_those_without_us(patched, name):
    originals = {"SVC": THEIRS, "SVR": THEIR_SVR, "OneClassSVM": THEIR_ONE_CLASS}

    drawn = []
    for kind in (originals[name], getattr(patched, name)):
        np.random.seed(0)  # noqa: NPY002
        kind().fit(X, Y)
        drawn.append(np.random.random())  # noqa: NPY002

    assert drawn[0] == drawn[1]


def test_searches_mix_models_of_both(patched, caplog):
    model = make_pipeline(StandardScaler(), patched.SVC())
    search = GridSearchCV(model, {"svc__gamma": [0.0, 0.1]}, cv=2, error_score="raise").fit(X, Y)

    assert search.best_params_ == {"svc__gamma": 0.1}
    assert type(search.best_estimator_[-1]) is patched.SVC
    assert len(caplog.records) == 2


def test_model_files_hold_models_of_a_patched_program(patched, tmp_path):
    model = patched.SVC().fit(X, Y)

    svmosaic.save(model, tmp_path / "model")

    loaded = svmosaic.load(tmp_path / "model")
    assert type(loaded) is SVC
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


# scikit-learn skips two checks by itself when a package or a switch is missing.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([replacements.SVC(), replacements.SVR()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


# The command ---------------------------------------------------------------------------------

PROGRAM = """
import sys
import helper
from sklearn.svm import SVC

model = SVC().fit([[0.0], [1.0]], [0, 1])
print(type(model).__module__, sys.argv[1:], __name__, helper.NAME)
sys.exit(3)
"""


def run(folder, *arguments):
    paths = [path for path in sys.path if path]
    return subprocess.run(
        [sys.executable, "-m", "svmosaic.patch", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "inside").mkdir()
    for place in (tmp_path, tmp_path / "inside"):
        (place / "helper.py").write_text(f"NAME = {place.name!r}\n", encoding="utf-8")
        (place / "program.py").write_text(PROGRAM, encoding="utf-8")
    return tmp_path


def test_a_script_runs_as_it_is(folder):
    done = run(folder, "inside/program.py", "-m", "--quiet", "x y")

    assert done.stdout.split() == [
        "svmosaic.svm.replacements",
        "['-m',",
        "'--quiet',",
        "'x",
        "y']",
        "__main__",
        "inside",
    ]
    assert done.stderr == f"svmosaic: replaced {', '.join(ALL)}\n"
    assert done.returncode == 3


def test_a_module_runs_as_it_is(folder):
    done = run(folder, "--quiet", "-m", "program", "--more")

    expected = f"svmosaic.svm.replacements ['--more'] __main__ {folder.name}\n"
    assert (done.stdout, done.stderr, done.returncode) == (expected, "", 3)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "a script or '-m module' was expected. Got nothing."),
        (["-m"], "a script or '-m module' was expected. Got '-m' instead."),
        (["--what"], "a script or '-m module' was expected. Got '--what' instead."),
        (["missing.py"], "there is no script 'missing.py'. Check the path."),
    ],
)
def test_other_arguments_are_refused(arguments, sentence, capsys):
    assert main(arguments) == 2

    assert capsys.readouterr().err.startswith(f"svmosaic.patch: {sentence}\n")
    assert sklearn.svm.SVC is THEIRS


def test_help_is_shown(capsys):
    assert main(["--help"]) == 0

    assert "python -m svmosaic.patch" in capsys.readouterr().out
    assert Path(svmosaic.__file__).with_name("patch.py").exists()
