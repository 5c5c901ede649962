"""An experiment cut into cells: one method on one split of one data set.

A cell asks a question: these data, this split, this method with these parameters. The question is
hashed, and with the code that answers it makes the key of the cell. Whatever changes, the data, a
parameter, the split or the code, changes the key, so an old result is never taken for a new one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline

from svmosaic.bags import Bags
from svmosaic.datasets import Dataset, load, read_bags, read_multitarget, read_table
from svmosaic.datasets.readers.text import other_advice
from svmosaic.experiments.classes import first_names
from svmosaic.experiments.code_version import class_names, method_code_version
from svmosaic.experiments.spec import (
    DataSpec,
    ExperimentSpec,
    MethodSpec,
    ProtocolSpec,
    build_estimator,
)
from svmosaic.model_selection.derived_seeds import derive_seed
from svmosaic.model_selection.evaluation import Split
from svmosaic.model_selection.plans import (
    Tuning,
    inner_folds,
    make_estimators,
    nested_splits,
    random_splits,
)
from svmosaic.preprocessing import holds_features, preparation_steps, refuse_infinities

__all__ = [
    "STEP",
    "Cell",
    "hash_question",
    "iter_cells",
    "load_data",
    "make_estimator",
]

# Of the hash; enough that no two of a billion questions are ever alike, and short in a table.
_QUESTION_DIGITS = 24
# What comes before the parameters of a method that is a step of a pipeline.
STEP = "model__"
# What all results depend on beside the method: how it is prepared, tuned and scored.
_AROUND_A_METHOD = ("svmosaic.experiments.cells", "svmosaic.model_selection.evaluation")


@dataclass(frozen=True)
class Cell:
    """One method on one split of one data set.

    Attributes
    ----------
    question : str
        A hash of all that the result depends on but the code.
    code : str
        A hash of the code that it depends on, and versions.
    dataset, method : str
        Their names.
    split : Split
        Rows to train on and to test on.
    """

    question: str
    code: str
    dataset: str
    method: str
    split: Split

    @property
    def key(self) -> str:
        """The hash that the journal knows the cell by."""
        return hashlib.sha256(f"{self.question} {self.code}".encode()).hexdigest()


def load_data(data: DataSpec, *, gaps: bool = False) -> tuple[Any, Any]:
    """Return samples, or bags of instances, and targets; a file may have gaps if `gaps`."""
    if data.path is None:
        found = load(data.dataset or data.name)
    else:
        with other_advice(allow_nan='set impute = "mean" in [protocol]'):
            found = _read_file(data, data.path, gaps)
        refuse_infinities(found.X, data.path.name)
    X, y = found.X, np.asarray(found.y)
    if data.classes is not None:
        missing = [label for label in data.classes if label not in y]
        if missing:
            raise ValueError(
                f"The data set {data.name!r} has no class {missing[0]!r}. It has "
                f"{', '.join(map(repr, np.unique(y).tolist()))}."
            )
        kept = np.isin(y, data.classes)
        X, y = X[kept], y[kept]
    if data.positive is not None:
        y = (y == data.positive).astype(np.int64)
    if data.rows is not None and data.rows < len(y):
        # Its own seed, so that all protocols see the same rows; in the order of the data.
        rng = np.random.default_rng(derive_seed(0, "rows", data.name))
        kept = np.sort(rng.choice(len(y), data.rows, replace=False))
        X, y = X[kept], y[kept]
    return X, y


def _read_file(data: DataSpec, path: Path, gaps: bool) -> Dataset:
    target = -1 if data.target is None else data.target
    most = data.max_bytes
    if data.bag is not None:
        return read_bags(path, bag=data.bag, target=target, allow_nan=gaps, max_bytes=most)
    if data.targets is not None:
        return read_multitarget(path, targets=data.targets, allow_nan=True, max_bytes=most)
    return read_table(path, target=target, allow_nan=gaps, max_bytes=most)


def iter_cells(spec: ExperimentSpec, data: DataSpec, X: Any, y: Any) -> Iterator[Cell]:
    """Yield the cells of one data set, method by method."""
    content = _hash_arrays(X, y)
    # All classifiers share their splits, and so do all other methods.
    shared: dict[bool, list[_HashedSplit]] = {}
    for method in spec.methods:
        if data.name in method.not_on:
            continue
        code = method_code_version(
            tuple(class_names(method.estimator, method.params)), _AROUND_A_METHOD
        )
        model = build_estimator(method.estimator, method.params)
        if is_classifier(model) not in shared:
            shared[is_classifier(model)] = _hashed_splits(spec.protocol, model, X, y)
        for split, rows, holds in shared[is_classifier(model)]:
            parts = {
                "dataset": data.name,
                "data": content,
                "method": method.name,
                "estimator": method.estimator,
                "params": method.params,
                "grid": method.grid,
                "tuning": [spec.protocol.kind, spec.protocol.search, spec.protocol.inner],
                "scoring": spec.protocol.scoring,
                "scale": spec.protocol.scale,
                "impute": spec.protocol.impute,
                "random_state": spec.protocol.random_state,
                "split": [split.repeat, split.fold, rows],
            }
            if method.tunes_itself:
                parts["tunes_itself"] = True
            if holds:
                # Where nothing is held, the question is that of a run without.
                parts["hold_constants"] = True
            yield Cell(hash_question(parts), code, data.name, method.name, split)


class _HashedSplit(NamedTuple):
    """A split, the hash of its rows, and whether held features change its test part."""

    split: Split
    rows: str
    holds: bool


def _hashed_splits(protocol: ProtocolSpec, model: Any, X: Any, y: Any) -> list[_HashedSplit]:
    if protocol.kind == "nested":
        splits = nested_splits(
            model,
            X,
            y,
            outer=protocol.outer,
            repeats=protocol.repeats,
            random_state=protocol.random_state,
        )
    else:
        splits = random_splits(
            model,
            X,
            y,
            n_splits=1 if protocol.kind == "holdout" else protocol.n_splits,
            test_size=protocol.test_size,
            stratify=protocol.stratify,
            random_state=protocol.random_state,
        )
    return [
        _HashedSplit(split, _hash_arrays(split.train, split.test), _holds(protocol, X, split))
        for split in splits
    ]


def _holds(protocol: ProtocolSpec, X: Any, split: Split) -> bool:
    """Whether held features change what a method sees of a test part."""
    if protocol.scale == "none" or not protocol.hold_constants:
        return False
    return holds_features(protocol.impute, X[split.train], X[split.test])


def hash_question(parts: dict[str, Any]) -> str:
    """Return the question of a cell from all that its result depends on but the code."""
    text = json.dumps(first_names(parts), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_QUESTION_DIGITS]


def make_estimator(spec: ExperimentSpec, cell: Cell, X: Any, y: Any) -> Any:
    """Return the estimator of a cell: scaling, method and search, with seeds of its own."""
    (method,) = (method for method in spec.methods if method.name == cell.method)
    protocol = spec.protocol
    # The same for all methods: they start alike.
    seed = derive_seed(
        protocol.random_state, "start", cell.dataset, cell.split.repeat, cell.split.fold
    )
    model = _pipeline(method, protocol, seed, X)
    prefix = STEP if isinstance(model, Pipeline) else ""
    grid = {f"{prefix}{k}": v for k, v in method.grid.items()} if method.grid else None
    if protocol.kind == "holdout" and grid is None and not method.tunes_itself:
        grid = {}
    tuning = Tuning(grid, protocol.search, protocol.inner, protocol.scoring)  # type: ignore[arg-type]
    estimator = make_estimators(model, y, tuning, protocol.random_state)(cell.split)
    if method.tunes_itself:
        folds = inner_folds(protocol.inner, estimator, y, protocol.random_state, cell.split)
        estimator.set_params(**{f"{prefix}cv": folds})
    return estimator


def _pipeline(method: MethodSpec, protocol: ProtocolSpec, seed: int, X: Any) -> Any:
    model = build_estimator(method.estimator, method.params)
    if model.get_params().get("random_state", 0) is None:
        model.set_params(random_state=seed)
    steps = preparation_steps(protocol.scale, protocol.impute, X, hold=protocol.hold_constants)
    return Pipeline([*steps, ("model", model)]) if steps else model


def _hash_arrays(*arrays: Any) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        if isinstance(array, Bags):
            digest.update(_hash_arrays(array.instances, array.offsets).encode())
            continue
        if sp.issparse(array):
            parts = [array.data, array.indices, array.indptr]
        else:
            parts = [np.asarray(array)]
        digest.update(repr(array.shape).encode())
        for part in parts:
            if part.dtype.kind in "OUS":
                digest.update(json.dumps(part.astype(str).tolist()).encode())
            else:
                digest.update(str(part.dtype).encode())
                digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()
