"""C++ and Python say the same: records, choices, and the stub of the compiled module."""

from __future__ import annotations

import ast
import dataclasses
import re
from pathlib import Path
from typing import get_args

import pytest

from svmosaic import _core
from svmosaic.engine import problem as vocabulary
from svmosaic.engine.problem import KernelKind, KernelSpec, Problem, Solution, Status
from svmosaic.engine.settings import (
    Bounds,
    DualDescentSettings,
    KernelSgdSettings,
    LearningRate,
    MinimalNormSettings,
    NnisdaSettings,
    OllaL2Settings,
    OllawvSettings,
    OnlineSvmSettings,
    Refinement,
    RefineSettings,
    RegressionTuneSettings,
    Shrinking,
    SimpleSmoSettings,
    SmoSettings,
    TuneSettings,
    UniformSettings,
    VisitOrder,
)
from svmosaic.engine.tasks import OnlineTask, RefineTask

ROOT = Path(__file__).parents[2]
CPP = ROOT / "cpp"
STUB = Path(vocabulary.__file__).parents[1] / "_core.pyi"


# Headers ------------------------------------------------------------------------------------


def _body(header: str, kind: str, name: str) -> str:
    """Return what stands between the braces of a struct or enum, without comments."""
    text = re.sub(r"//[^\n]*", "", (CPP / header).read_text(encoding="utf-8"))
    found = re.search(rf"\b{kind} {name} \{{(.*?)\}};", text, flags=re.DOTALL)
    assert found is not None, f"{header} has no {kind} {name}"
    return found.group(1)


def _fields(header: str, name: str) -> dict[str, str | None]:
    """Return the fields of a C++ struct and their defaults, in order."""
    fields = {}
    for statement in filter(str.strip, _body(header, "struct", name).split(";")):
        declaration, _, default = statement.partition("=")
        fields[declaration.split()[-1]] = default.strip() or None
    return fields


def _enumerators(header: str, name: str) -> list[str]:
    return re.findall(r"\w+", _body(header, "enum class", name))


def _python_fields(record: type) -> list[str]:
    return [field.name for field in dataclasses.fields(record)]


@pytest.mark.parametrize(
    ("header", "record"),
    [
        ("core/problem.hpp", KernelSpec),
        ("core/problem.hpp", Problem),
        ("core/problem.hpp", Solution),
        ("solvers/solve.hpp", RefineTask),
        ("solvers/online.hpp", OnlineTask),
        ("solvers/tune_ollawv.hpp", TuneSettings),
        ("solvers/tune_regression.hpp", RegressionTuneSettings),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_records_have_the_same_fields_in_the_same_order(header, record):
    assert list(_fields(header, record.__name__)) == _python_fields(record)


# The records of settings are flat in Python; C++ keeps each solver's part with the solver.
# Python record -> the C++ structs it is read into, and the members that hold another struct.
SETTINGS = {
    OllawvSettings: (
        [("solvers/ollawv.hpp", "OllawvSettings"), ("solvers/solve.hpp", "OllawvMachine")],
        {"ollawv"},
    ),
    RefineSettings: (
        [("solvers/refine.hpp", "RefineSettings"), ("solvers/smo.hpp", "SmoSettings")],
        {"smo"},
    ),
    SmoSettings: (
        [("solvers/smo_machine.hpp", "SmoMachine"), ("solvers/smo.hpp", "SmoSettings")],
        {"smo"},
    ),
    MinimalNormSettings: ([("solvers/minimal_norm.hpp", "MinimalNormSettings")], set()),
    NnisdaSettings: ([("solvers/nnisda.hpp", "NnisdaSettings")], set()),
    UniformSettings: ([("solvers/uniform.hpp", "UniformSettings")], set()),
    SimpleSmoSettings: ([("solvers/simple_smo.hpp", "SimpleSmoSettings")], set()),
    KernelSgdSettings: ([("solvers/kernel_sgd.hpp", "KernelSgdSettings")], set()),
    OllaL2Settings: ([("solvers/olla_l2.hpp", "OllaL2Settings")], set()),
    DualDescentSettings: ([("solvers/dual_descent.hpp", "DualDescentSettings")], set()),
    OnlineSvmSettings: ([("solvers/online_svm.hpp", "OnlineSvmSettings")], set()),
}


def _merged_settings(record: type) -> dict[str, str | None]:
    structs, nested = SETTINGS[record]
    merged: dict[str, str | None] = {}
    for header, name in structs:
        fields = _fields(header, name)
        assert not merged.keys() & fields.keys()
        merged |= fields
    return {name: default for name, default in merged.items() if name not in nested}


@pytest.mark.parametrize("record", SETTINGS, ids=lambda record: record.__name__)
def test_settings_have_the_same_fields(record):
    assert sorted(_merged_settings(record)) == sorted(_python_fields(record))


@pytest.mark.parametrize("record", SETTINGS, ids=lambda record: record.__name__)
def test_settings_have_the_same_defaults(record):
    in_cpp = _merged_settings(record)
    defaults = {field.name: field.default for field in dataclasses.fields(record)}
    numbers = {k: v for k, v in defaults.items() if isinstance(v, (bool, int, float))}

    assert len(numbers) >= 3
    for name, default in numbers.items():
        text = in_cpp[name]
        value = text == "true" if isinstance(default, bool) else float(text.replace("'", ""))
        assert value == default, name


# The C++ name of a choice, where it cannot be the Python string.
RATES = {"two_over_sqrt": "2/sqrt(t)", "one_over_sqrt": "1/sqrt(t)", "one_over": "1/t"}


@pytest.mark.parametrize(
    ("header", "name", "literal"),
    [
        ("core/problem.hpp", "KernelKind", KernelKind),
        ("core/problem.hpp", "Status", Status),
        ("solvers/refine.hpp", "Refinement", Refinement),
        ("solvers/ollawv.hpp", "LearningRate", LearningRate),
        ("solvers/simple_smo.hpp", "Bounds", Bounds),
        ("solvers/online.hpp", "VisitOrder", VisitOrder),
        ("solvers/online_svm.hpp", "Shrinking", Shrinking),
    ],
)
def test_choices_have_the_same_names(header, name, literal):
    assert [RATES.get(e, e) for e in _enumerators(header, name)] == list(get_args(literal))


# Stub ---------------------------------------------------------------------------------------


def _stub() -> ast.Module:
    return ast.parse(STUB.read_text(encoding="utf-8"))


def _members(node: ast.Module | ast.ClassDef, kind: type) -> dict[str, ast.AST]:
    return {child.name: child for child in node.body if isinstance(child, kind)}


def _compiled_signature(function: object) -> ast.FunctionDef:
    """Parse what nanobind tells of a function; overloads would be more than one."""
    ((text, _, defaults),) = function.__nb_signature__
    for number, default in enumerate(defaults or ()):
        text = text.replace(f"\\{number}", repr(default))
    text = re.sub(r"^def \(", "def getter(", text)
    (parsed,) = ast.parse(f"{text}: ...").body
    return parsed


def _parameters(function: ast.FunctionDef) -> str:
    return ast.unparse(function.args)


def _returns(function: ast.FunctionDef) -> str:
    """Return the outer type: nanobind knows no more of a tuple's items than that it has some."""
    text = ast.unparse(function.returns)
    return "tuple" if text.startswith("tuple[") else text


def _public(owner: object) -> set[str]:
    return {name for name in vars(owner) if not name.startswith("_")}


STUB_FUNCTIONS = _members(_stub(), ast.FunctionDef)
STUB_CLASSES = _members(_stub(), ast.ClassDef)


def test_the_stub_names_everything_in_the_module():
    assert STUB_FUNCTIONS.keys() | STUB_CLASSES.keys() == _public(_core)


@pytest.mark.parametrize("name", STUB_FUNCTIONS)
def test_functions_have_the_signature_of_the_stub(name):
    stub = STUB_FUNCTIONS[name]
    compiled = _compiled_signature(getattr(_core, name))

    assert _parameters(compiled) == _parameters(stub)
    assert _returns(compiled) == _returns(stub)


@pytest.mark.parametrize("name", STUB_CLASSES)
def test_classes_have_the_members_of_the_stub(name):
    methods = _members(STUB_CLASSES[name], ast.FunctionDef)
    compiled = getattr(_core, name)

    assert {method for method in methods if not method.startswith("_")} == _public(compiled)
    assert {ast.unparse(base) for base in STUB_CLASSES[name].bases} <= {
        base.__name__ for base in compiled.__bases__
    }


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (owner, name)
        for owner, node in STUB_CLASSES.items()
        for name in _members(node, ast.FunctionDef)
    ],
)
def test_methods_have_the_signature_of_the_stub(owner, name):
    stub = _members(STUB_CLASSES[owner], ast.FunctionDef)[name]
    member = vars(getattr(_core, owner))[name]
    is_property = [ast.unparse(decorator) for decorator in stub.decorator_list] == ["property"]

    assert isinstance(member, property) == is_property
    compiled = _compiled_signature(member.fget if is_property else member)
    assert _parameters(compiled) == _parameters(stub)
    assert _returns(compiled) == _returns(stub)
