"""What an experiment compares, read from a TOML file and checked."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from svmosaic.datasets.readers.text import shorten
from svmosaic.experiments.classes import build_nested, find_object
from svmosaic.experiments.toml_table import TomlTable

__all__ = [
    "DataSpec",
    "ExperimentSpec",
    "MethodSpec",
    "ProtocolSpec",
    "build_estimator",
    "find_estimator",
    "read_spec",
    "spec_of_entries",
]

_KINDS = ("nested", "monte-carlo", "holdout", "prequential")


@dataclass(frozen=True)
class DataSpec:
    """A data set: a name of the registry, or a file.

    Attributes
    ----------
    name : str
        Its name in the results.
    path : Path or None
        The file; None means that the registry knows the name.
    target : str, int or None
        The column of the targets in a file; None means the last.
    dataset : str or None
        Its name in the registry, where that is another one.
    classes : tuple or None
        The classes whose samples are kept; None means all.
    positive : str, int or None
        The class that becomes 1, all others 0; None leaves the labels as they are.
    targets : int, tuple of str or None
        For a file with several targets: how many columns at the end, or their names.
    rows : int or None
        How many rows are drawn at random, each at most once; None means all.
    bag : str, int or None
        For a file of bags: the relational attribute, or the column of bag ids.
    stream : str or None
        Its name among the streams, for a prequential protocol.
    max_bytes : int or None
        The most that the text of a file, and each array of it, may take; None means an eighth of
        the free memory. No part of a cell's key: it changes no result.
    """

    name: str
    path: Path | None = None
    target: str | int | None = None
    dataset: str | None = None
    classes: tuple[str | int, ...] | None = None
    positive: str | int | None = None
    targets: int | tuple[str, ...] | None = None
    rows: int | None = None
    bag: str | int | None = None
    stream: str | None = None
    max_bytes: int | None = None

    @property
    def registered(self) -> str | None:
        """Its name in the registry; None for a file."""
        return None if self.path is not None else self.dataset or self.name


@dataclass(frozen=True)
class MethodSpec:
    """A method: an estimator, its parameters, and the grid to choose others from.

    Attributes
    ----------
    name : str
        Its name in the results.
    estimator : str
        The class: one of svmosaic's by its name, any other by its full name.
    params : dict
        Parameters that stay as they are; plain values, see `build_estimator`.
    grid : dict or None
        Values to try for each parameter.
    tunes_itself : bool
        Whether the estimator chooses its parameters itself, by cross-validation over the
        protocol's inner folds, which it gets as its parameter `cv`.
    not_on : tuple of str
        Data sets that it is not run on, for example because it takes too long there.
    """

    name: str
    estimator: str
    params: dict[str, Any]
    grid: dict[str, list[Any]] | None
    tunes_itself: bool = False
    not_on: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProtocolSpec:
    """How the methods are evaluated; the entries are those of `svmosaic.model_selection`."""

    kind: str = "nested"
    outer: int = 5
    inner: int = 5
    repeats: int = 1
    n_splits: int = 100
    test_size: float = 0.25
    stratify: bool = True
    search: str = "grid"
    scoring: tuple[str, ...] = ("accuracy",)
    scale: str = "minmax"
    # Features that are constant in the training part stay at that value in the test part.
    hold_constants: bool = True
    impute: str = "none"
    random_state: int = 0
    # Of a prequential run: samples at a time, samples in all, predictions in windowed measures.
    chunk: int = 1000
    samples: int | None = None
    window: int = 1000
    # Seconds that a cell may take. No part of a cell's key: it changes no result.
    time_limit: float | None = None


@dataclass(frozen=True)
class ExperimentSpec:
    """A whole experiment; `read_spec` makes it of a file.

    Attributes
    ----------
    name : str
        What to call it.
    data : tuple of DataSpec
        The data sets.
    methods : tuple of MethodSpec
        The methods, with their parameters and grids.
    protocol : ProtocolSpec
        How they are evaluated.
    """

    name: str
    data: tuple[DataSpec, ...]
    methods: tuple[MethodSpec, ...]
    protocol: ProtocolSpec


def read_spec(path: str | os.PathLike[str]) -> ExperimentSpec:
    """Read and check the TOML file of an experiment.

    Parameters
    ----------
    path : path-like
        The file. Paths in it are relative to its folder.

    Returns
    -------
    ExperimentSpec
        The checked experiment, for `run_experiment`.

    Raises
    ------
    DataFileError
        Something in the file is wrong; the message says where, what was expected and what came.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from svmosaic.experiments import read_spec
    >>> text = '''
    ... [protocol]
    ... outer = 2
    ... [[data]]
    ... name = "sklearn-iris"
    ... [[methods]]
    ... estimator = "OLLAWVClassifier"
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "compare.toml")
    ...     _ = path.write_text(text)
    ...     spec = read_spec(path)
    >>> spec.name, [method.name for method in spec.methods]
    ('compare', ['OLLAWVClassifier'])
    """
    source = Path(path)
    return spec_of_entries(_parse(source), source.name, source.parent, source.stem)


def spec_of_entries(entries: Any, where: str, folder: Path, default_name: str) -> ExperimentSpec:
    """Check the entries of an experiment's file.

    Parameters
    ----------
    entries : dict
        What the file has.
    where : str
        Its name, for messages.
    folder : Path
        What paths in it are relative to.
    default_name : str
        The experiment's name where the entries have none.
    """
    top = TomlTable(where, entries)
    name = top.text("name", default_name)
    protocol = _read_protocol(
        TomlTable(f"{where}, [protocol]", top.take("protocol", (dict,), "a table", {}))
    )
    streaming = protocol.kind == "prequential"
    data = tuple(_read_data(table, folder, streaming) for table in top.tables("data"))
    methods = tuple(
        (_read_learner if streaming else _read_method)(table) for table in top.tables("methods")
    )
    top.finish()
    _refuse_copies(top, "data sets", [item.name for item in data])
    _refuse_copies(top, "methods", [item.name for item in methods])
    for method in methods:
        for unknown in set(method.not_on) - {item.name for item in data}:
            raise top.error(
                f"{method.name!r} has 'not_on' {unknown!r}, which is not a data set here"
            )
    return ExperimentSpec(name, data, methods, protocol)


def find_estimator(name: str) -> type[Any]:
    """Return the class of an estimator: one of svmosaic's, or any other by its full name."""
    found = find_object(name)
    if not (isinstance(found, type) and hasattr(found, "fit") and hasattr(found, "get_params")):
        raise ValueError(f"{name!r} is not a scikit-learn estimator")
    return found


def build_estimator(name: str, params: Mapping[str, Any]) -> Any:
    """Return an estimator with its parameters.

    A parameter that is a table with the entry 'estimator' is an estimator itself, with the
    parameters in the table's 'params'.

    Examples
    --------
    >>> from svmosaic.experiments.spec import build_estimator
    >>> tree = {"estimator": "sklearn.tree.DecisionTreeRegressor", "params": {"max_depth": 3}}
    >>> build_estimator("sklearn.multioutput.RegressorChain", {"estimator": tree})
    RegressorChain(estimator=DecisionTreeRegressor(max_depth=3))
    """
    settings = {key: build_nested(value, find_estimator) for key, value in params.items()}
    return find_estimator(name)(**settings)


def _parse(path: Path) -> dict[str, Any]:
    with path.open("rb") as stream:
        try:
            return tomllib.load(stream)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise TomlTable(path.name, {}).error(f"this is not TOML: {error}") from None
        except RecursionError:
            raise TomlTable(path.name, {}).error(
                "its values are nested too deeply. Write an experiment with a few levels"
            ) from None


def _read_data(table: TomlTable, folder: Path, streaming: bool) -> DataSpec:
    path = table.text("path", None)
    stream = table.text("stream", None)
    default = stream if path is None else Path(path).name.partition(".")[0]
    name = table.text("name", ... if default is None else default)
    target = table.take("target", (str, int), "a column by name or by number", None)
    dataset = table.text("dataset", None)
    classes = table.take("classes", (list,), "a list of classes", None)
    positive = table.take("positive", (str, int), "a class", None)
    targets = table.take("targets", (int, list), "a number of columns or their names", None)
    rows = table.whole("rows", 2, 0) if "rows" in table else None
    bag = table.take("bag", (str, int), "a column of bag ids", None)
    max_bytes = table.whole("max_bytes", 1, 1) if "max_bytes" in table else None
    table.finish()
    if streaming:
        given = {"dataset": dataset, "classes": classes, "positive": positive}
        given |= {"targets": targets, "rows": rows, "bag": bag, "max_bytes": max_bytes}
        _check_stream(table, path, stream, [key for key, value in given.items() if value])
    elif stream is not None:
        raise table.error("'stream' is for the protocol of kind 'prequential'; leave it out")
    if path is None and (target is not None or targets is not None):
        raise table.error("'target' is for files; leave it out or give a 'path'")
    if path is None and bag is not None:
        raise table.error("'bag' is for files; leave it out or give a 'path'")
    if path is None and max_bytes is not None:
        raise table.error("'max_bytes' is for files; leave it out or give a 'path'")
    if path is not None and dataset is not None:
        raise table.error("'dataset' is a name of the registry; leave it out or the 'path'")
    if target is not None and targets is not None:
        raise table.error("'target' and 'targets' exclude each other; leave one out")
    if bag is not None and targets is not None:
        raise table.error("'bag' and 'targets' exclude each other; leave one out")
    if path is not None and not _is_file(folder / path):
        raise table.error(f"there is no file {shorten(str(folder / path), 200)}")
    if path is None and not streaming:
        _check_registered(table, dataset or name)
    return DataSpec(
        name,
        None if path is None else folder / path,
        target,
        dataset,
        None if classes is None else tuple(classes),
        positive,
        tuple(map(str, targets)) if isinstance(targets, list) else targets,
        rows,
        bag,
        stream,
        max_bytes,
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # the name is too long, or a folder is closed to us
        return False


def _check_stream(
    table: TomlTable, path: str | None, stream: str | None, others: Sequence[str]
) -> None:
    """Refuse what a stream cannot have."""
    from svmosaic.streams import describe_stream

    if (path is None) == (stream is None):
        raise table.error("a prequential protocol needs one of 'stream' and 'path'")
    if others:
        raise table.error(f"'{others[0]}' is not for streams; leave it out")
    if stream is not None:
        try:
            describe_stream(stream)
        except LookupError as error:
            raise table.error(str(error).rstrip(".")) from None


def _check_registered(table: TomlTable, name: str) -> None:
    from svmosaic.datasets import describe

    try:
        describe(name)
    except LookupError as error:
        raise table.error(
            f"{str(error).rstrip('.')}. For a file of your own give its 'path'"
        ) from None


def _read_method(table: TomlTable) -> MethodSpec:
    estimator = table.text("estimator")
    name = table.text("name", estimator.rpartition(".")[2])
    params = _none_for_word(table.take("params", (dict,), "a table of parameters", {}))
    grid = table.take("grid", (dict,), "a table of lists", None)
    tunes_itself = table.take("tunes_itself", (bool,), "true or false", False)
    not_on = table.take("not_on", (list,), "a list of data sets", [])
    table.finish()
    try:
        model = build_estimator(estimator, params)
    except (TypeError, ValueError) as error:
        raise table.error(str(error).rstrip(".")) from None
    known = model.get_params()
    if tunes_itself and (grid is not None or "cv" not in known or "cv" in params):
        raise table.error(
            f"'tunes_itself' is for an estimator with a parameter 'cv', which gets the inner folds "
            f"and is not set here, and without a 'grid'; {estimator} does not fit that"
        )
    for key, values in (grid or {}).items():
        if key not in known:
            raise table.error(
                f"{estimator} has no parameter {key!r} to try; it has {', '.join(known)}"
            )
        if not isinstance(values, list) or not values:
            raise table.error(
                f"the grid of {key!r} must be a list that is not empty, got {values!r}"
            )
    return MethodSpec(name, estimator, params, _none_for_word(grid), tunes_itself, tuple(not_on))


def _read_learner(table: TomlTable) -> MethodSpec:
    """Read a method that learns from a stream; it has no grid."""
    from svmosaic.experiments.stream_learners import build_learner

    estimator = table.text("estimator")
    name = table.text("name", estimator.rpartition(".")[2])
    params = _none_for_word(table.take("params", (dict,), "a table of parameters", {}))
    not_on = table.take("not_on", (list,), "a list of data sets", [])
    table.finish()
    try:
        build_learner(estimator, params)
    except (TypeError, ValueError) as error:
        raise table.error(str(error).rstrip(".")) from None
    return MethodSpec(name, estimator, params, None, False, tuple(not_on))


def _none_for_word(value: Any) -> Any:
    """Replace the word "None", which TOML cannot say otherwise, in tables and lists."""
    if isinstance(value, dict):
        return {key: _none_for_word(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_none_for_word(item) for item in value]
    return None if value == "None" else value


def _read_protocol(table: TomlTable) -> ProtocolSpec:
    from svmosaic.metrics import get_scorer
    from svmosaic.streams.running_scores import MEASURES

    default = ProtocolSpec()
    protocol = ProtocolSpec(
        kind=table.choice("kind", _KINDS, default.kind),
        outer=table.whole("outer", 2, default.outer),
        inner=table.whole("inner", 2, default.inner),
        repeats=table.whole("repeats", 1, default.repeats),
        n_splits=table.whole("n_splits", 1, default.n_splits),
        test_size=table.share("test_size", default.test_size),
        stratify=table.take("stratify", (bool,), "true or false", default.stratify),
        search=table.choice("search", ("grid", "pattern"), default.search),
        scoring=table.texts("scoring", default.scoring),
        scale=table.choice("scale", ("minmax", "standard", "none"), default.scale),
        hold_constants=table.take(
            "hold_constants", (bool,), "true or false", default.hold_constants
        ),
        impute=table.choice("impute", ("none", "mean", "median", "most_frequent"), default.impute),
        random_state=table.whole("random_state", 0, default.random_state),
        chunk=table.whole("chunk", 1, default.chunk),
        samples=table.whole("samples", 2, 0) if "samples" in table else None,
        window=table.whole("window", 1, default.window),
        time_limit=table.positive("time_limit", default.time_limit),
    )
    table.finish()
    if protocol.kind == "prequential":
        for score in protocol.scoring:
            if score not in MEASURES:
                raise table.error(f"'scoring' has {score!r}; a stream has {', '.join(MEASURES)}")
        return protocol
    for score in protocol.scoring:
        try:
            get_scorer(score)
        except ValueError as error:
            raise table.error(str(error).rstrip(".")) from None
    return protocol


def _refuse_copies(top: TomlTable, what: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise top.error(f"two {what} are called {name!r}; give each a 'name' of its own")
