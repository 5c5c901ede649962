"""The key of a cell has the code that its result depends on, and no other."""

from __future__ import annotations

import sys

import pytest

from svmosaic.experiments import code_version as module
from svmosaic.experiments import read_spec, run_experiment
from svmosaic.experiments.code_version import class_names, code_version, method_code_version

AROUND = ("svmosaic.experiments.cells",)

FILES = {
    "__init__.py": "from svmosaic.models import Near, Far\n",
    "models/__init__.py": "from svmosaic.models.near import Near\n"
    "from svmosaic.models.far import Far\n",
    "models/near.py": "from svmosaic.models import shared as used\n"
    "def f():\n    from svmosaic.solvers.late import g\n",
    "models/far.py": "from svmosaic import Near\n",
    "models/shared.py": "from svmosaic.reports.html import page\n",
    "solvers/late.py": "from .. import base\n",
    "base.py": "",
    "reports/html.py": "from svmosaic.stats import ranks\n",
    "experiments/cells.py": "",
    "alone.py": "",
}


@pytest.fixture
def forget():
    """Return a function that forgets what was read; it is called after the test too."""

    def clear():
        for function in vars(module).values():
            if hasattr(function, "cache_clear"):
                function.cache_clear()

    yield clear
    clear()


@pytest.fixture
def package(tmp_path, monkeypatch, forget):
    """Write a small package in the place of ours."""
    for name, text in FILES.items():
        path = tmp_path / "package" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr("svmosaic.__path__", [str(tmp_path / "package")])
    homes = {"Near": "svmosaic.models.near", "Far": "svmosaic.models.far"}
    monkeypatch.setattr(
        module, "find_object", lambda name: type(name, (), {"__module__": homes[name]})
    )
    forget()
    return tmp_path / "package"


def _change(package, name, forget):
    path = package / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text((path.read_text() if path.exists() else "") + "# changed\n")
    forget()


@pytest.mark.parametrize(
    ("changed", "near", "far"),
    [
        ("models/near.py", True, True),
        ("models/shared.py", True, True),
        ("models/far.py", False, True),
        # Imported in a function, and by a relative import of that.
        ("solvers/late.py", True, True),
        ("base.py", True, True),
        ("_core.so", True, True),
        ("experiments/cells.py", True, True),
        # They only look at results, only pass names on, or nobody imports them.
        ("reports/html.py", False, False),
        ("__init__.py", False, False),
        ("models/__init__.py", False, False),
        ("alone.py", False, False),
    ],
)
def test_a_method_depends_on_what_its_module_imports(package, forget, changed, near, far):
    before = [method_code_version((name,), AROUND) for name in ("Near", "Far")]

    _change(package, changed, forget)

    after = [method_code_version((name,), AROUND) for name in ("Near", "Far")]
    assert [new != old for new, old in zip(after, before, strict=True)] == [near, far]


@pytest.mark.parametrize(
    ("changed", "matters"),
    [
        ("base.py", True),
        ("alone.py", True),
        ("_core.so", True),
        ("reproduce/competitors/rules.py", True),
        ("reproduce/page.py", False),
        ("reports/html.py", False),
        ("cli/main.py", False),
        ("base.txt", False),
    ],
)
def test_only_code_that_computes_changes_the_version_of_all(package, forget, changed, matters):
    before = code_version()

    _change(package, changed, forget)

    assert (code_version() != before) == matters


def test_our_own_imports_are_found():
    reached = module._reachable(["svmosaic.multi_instance.mir_mix_svm"])

    assert "svmosaic.multi_instance.representatives" in reached
    assert "svmosaic.engine.cpu" in reached
    assert "svmosaic.utils.threads" in reached
    assert "svmosaic.multi_instance.mir_set_svm" not in reached
    assert "svmosaic.classification.ollawv" not in reached


def test_a_class_of_the_users_depends_on_ours(tmp_path, monkeypatch, forget):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "derived.py").write_text("from svmosaic import OLLAWVClassifier\n")

    reached = module._reachable(["derived"])

    forget()
    assert "derived" in reached
    assert "svmosaic.classification.ollawv" in reached
    assert "svmosaic.regression.chained_svr" not in reached


def test_classes_inside_parameters_count():
    inner = {"estimator": "sklearn.svm.SVC", "params": {"C": 2}}
    params = {"estimator": {"estimator": "svmosaic.regression.peers.RC", "params": {"base": inner}}}

    assert class_names("BagSearchCV", {**params, "cv": 3}) == [
        "BagSearchCV",
        "svmosaic.regression.peers.RC",
        "sklearn.svm.SVC",
    ]


def test_an_installed_package_counts_by_its_version():
    assert "scikit-learn" in method_code_version(("sklearn.svm.SVC",), AROUND)
    assert "river" in method_code_version(("river.tree.HoeffdingTreeClassifier",), AROUND)


def test_a_change_of_the_users_own_estimator_is_run_again(tmp_path, monkeypatch, forget):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "trick.py").write_text("DEPTH = 1\n")
    (tmp_path / "mine.py").write_text(
        "from sklearn.tree import DecisionTreeClassifier\nimport trick\n"
        "class Stump(DecisionTreeClassifier):\n    pass\n"
    )
    rows = "".join(f"{i % 7},{i % 3},{'yes' if i % 7 > 3 else 'no'}\n" for i in range(40))
    (tmp_path / "points.csv").write_text("a,b,class\n" + rows)
    (tmp_path / "spec.toml").write_text(
        'name = "mine"\n[protocol]\nkind = "nested"\nouter = 2\n'
        '[[data]]\npath = "points.csv"\n'
        '[[methods]]\nname = "stump"\nestimator = "mine.Stump"\n'
        '[[methods]]\nname = "NB"\nestimator = "sklearn.naive_bayes.GaussianNB"\n'
    )
    try:
        first = run_experiment(read_spec("spec.toml"), "out")
        again = run_experiment(read_spec("spec.toml"), "out")
        changed = []
        for name in ("mine.py", "trick.py"):
            with (tmp_path / name).open("a") as file:
                file.write("# changed\n")
            forget()
            changed.append(run_experiment(read_spec("spec.toml"), "out"))
    finally:
        sys.modules.pop("mine", None)
        sys.modules.pop("trick", None)

    assert [run.n_done for run in (first, again, *changed)] == [4, 0, 2, 2]
