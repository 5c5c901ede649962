"""What a table or figure of a paper is: its experiment, its printed numbers, its notes."""

from __future__ import annotations

import copy
import difflib
import importlib.util
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from svmosaic.datasets import whereabouts
from svmosaic.exceptions import DataNotFoundError
from svmosaic.experiments.spec import ExperimentSpec, spec_of_entries
from svmosaic.experiments.toml_table import TomlTable
from svmosaic.streams import describe_stream

__all__ = ["Metric", "Missing", "Size", "TableSpec", "find_table", "list_tables"]

Size = Literal["full", "quick", "large"]
OVERLAYS = ("quick", "large")
_FOLDS = ("mean", "median", "sum")
_OVERLAY_ENTRIES = ("data", "methods", "methods_left_out", "minutes", "protocol")


@dataclass(frozen=True)
class Metric:
    """A column of the table.

    Attributes
    ----------
    name : str
        As in the file of printed numbers.
    label : str
        What is shown.
    field : str
        The entry of a fold's record.
    factor : float
        What that entry is multiplied by, 100 for percent.
    of_folds : {"mean", "median", "sum"}
        How folds become one number; the sum is that of one repeat.
    higher_is_better : bool
        Whether the best is the largest.
    digits : int
        Digits shown after the point.
    as_ratio : bool
        Whether the printed number is divided by ours, instead of taken from it.
    """

    name: str
    label: str
    field: str
    factor: float
    of_folds: str
    higher_is_better: bool
    digits: int
    as_ratio: bool = False


@dataclass(frozen=True)
class Missing:
    """What cannot be run here, with the reason of each."""

    data: dict[str, str]
    methods: dict[str, str]
    # Available data sets whose cells have not all been run.
    unfinished: dict[str, str] = field(default_factory=dict)
    # Data sets that should have been downloaded, and why they could not be.
    not_fetched: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TableSpec:
    """A table or figure of a paper; read from a file by `find_table`.

    Attributes
    ----------
    id, title, source : str
        What to call it, what it shows, and where it was printed.
    notes : tuple of str
        What to know when reading ours beside the paper's.
    metrics : tuple of Metric
        Its columns.
    printed : str or None
        The file of printed numbers.
    printed_as : dict
        The printed data set of each of ours, where the names differ.
    paper_methods : dict
        The printed method of each of ours, where there is one.
    control : str or None
        The method that the statistics compare the others with.
    paper_control : str or None
        The same among the printed methods, where it is not the one printed for `control`.
    details : bool
        Whether the page has the tests of the control against each other method.
    meta_ranks : bool
        Whether the page ends with the ranks over all metrics.
    pairs : {"datasets", "splits"}
        What the statistics are over.
    figure : dict or None
        How to draw it; None for a table.
    minutes : dict
        Estimated minutes of each size on two quiet cores.
    """

    id: str
    title: str
    source: str
    notes: tuple[str, ...]
    metrics: tuple[Metric, ...]
    printed: str | None
    printed_as: Mapping[str, str]
    paper_methods: Mapping[str, str]
    control: str | None
    paper_control: str | None
    details: bool
    meta_ranks: bool
    pairs: str
    figure: Mapping[str, Any] | None
    minutes: Mapping[str, float]
    _entries: Mapping[str, Any]
    _file: str

    @property
    def sizes(self) -> tuple[str, ...]:
        """The sizes that it has: full, and quick and large where the file has them."""
        return ("full", *(name for name in OVERLAYS if name in self._entries))

    @property
    def method_entries(self) -> list[dict[str, Any]]:
        """The methods as the file has them."""
        return list(self._entries.get("methods", []))

    def registered_name(self, name: str) -> str:
        """Return the name in the registry of one of its data sets.

        Parameters
        ----------
        name : str
            Name of the data set in the table.

        Returns
        -------
        str
            Its name in the registry.
        """
        for item in self._entries.get("data", []):
            if _item_name(item) == name:
                return str(item.get("dataset", name))
        return name

    def data_names(self, size: Size = "full") -> dict[str, str]:
        """Return the data sets of a size, each with its name in the registry.

        Parameters
        ----------
        size : {"full", "quick", "large"}, default="full"
            Which experiment.

        Returns
        -------
        dict of str to str
            Names in the registry, by the names in the table.
        """
        entries = self._experiment_entries(size)
        return {_item_name(item): item.get("dataset", _item_name(item)) for item in entries["data"]}

    def missing(self, size: Size = "full") -> Missing:
        """Return what cannot be run here: data not available, packages not installed.

        Parameters
        ----------
        size : {"full", "quick", "large"}, default="full"
            Which experiment.

        Returns
        -------
        Missing
            Names of data sets and methods, with reasons.
        """
        streaming = self._experiment_entries(size)["protocol"].get("kind") == "prequential"
        found = _stream_at_hand if streaming else whereabouts
        data = {
            name: f"{registered!r} is not available"
            for name, registered in self.data_names(size).items()
            if not found(registered)
        }
        methods = {
            item["name"]: f"the package {item['needs']!r} is not installed"
            for item in self._experiment_entries(size)["methods"]
            if "needs" in item and importlib.util.find_spec(item["needs"]) is None
        }
        return Missing(data, methods)

    def experiment(self, size: Size = "full") -> ExperimentSpec:
        """Return the experiment, without what is missing here.

        Parameters
        ----------
        size : {"full", "quick", "large"}, default="full"
            Which experiment.

        Returns
        -------
        ExperimentSpec
            The experiment to run.
        """
        missing = self.missing(size)
        entries = self._experiment_entries(size)
        entries["data"] = [d for d in entries["data"] if _item_name(d) not in missing.data]
        if not entries["data"]:
            raise DataNotFoundError(
                f"None of the data sets of {self.id} is available: {', '.join(missing.data)}. "
                "Set SVMOSAIC_DATA to the data folder, or download what has a public home with "
                "--fetch."
            )
        names = [_item_name(item) for item in entries["data"]]
        entries["methods"] = [
            {
                **{key: value for key, value in item.items() if key not in ("paper", "needs")},
                "not_on": [name for name in item.get("not_on", []) if name in names],
            }
            for item in entries["methods"]
            if item["name"] not in missing.methods
        ]
        return spec_of_entries(entries, self._file, Path(), f"{self.id} {size}")

    def _experiment_entries(self, size: Size) -> dict[str, Any]:
        if size not in self.sizes:
            raise ValueError(
                f"{self.id} has no size {size!r}; it has {', '.join(self.sizes)}. Choose one of "
                "them."
            )
        names = ("protocol", "data", "methods")
        entries = {name: copy.deepcopy(self._entries.get(name, [])) for name in names}
        entries["protocol"] = dict(self._entries.get("protocol", {}))
        if size != "full":
            _lay_over(entries, self._entries[size])
        return entries


def list_tables() -> tuple[str, ...]:
    """Return the ids of all tables and figures, tables first.

    Returns
    -------
    tuple of str
        The ids, as `reproduce` takes them.

    Examples
    --------
    >>> from svmosaic.reproduce import list_tables
    >>> "5.3" in list_tables()
    True
    """
    return tuple(_files())


def find_table(table: str) -> TableSpec:
    """Return a table or figure by its id.

    Parameters
    ----------
    table : str
        One of `list_tables`.

    Returns
    -------
    TableSpec
        What is printed, and how to run it again.

    Raises
    ------
    DataNotFoundError
        There is none of that id; the message offers the nearest.

    Examples
    --------
    >>> from svmosaic.reproduce import find_table
    >>> find_table("5.3").sizes
    ('full', 'quick', 'large')
    """
    files = _files()
    if table not in files:
        close = difflib.get_close_matches(table, files, n=1)
        hint = f"Did you mean {close[0]!r}?" if close else f"There is: {', '.join(files)}."
        raise DataNotFoundError(f"There is no table or figure {table!r}. {hint}")
    return _read(*files[table])


def _stream_at_hand(name: str) -> bool:
    """Say whether a stream can be read: it is generated, or its data set is available."""
    data = describe_stream(name).data
    return data is None or whereabouts(data) is not None


def _item_name(item: Mapping[str, Any]) -> str:
    """Return the name of a data set's entry; a stream need not have another one."""
    return str(item["name"] if "name" in item else item["stream"])


@cache
def _files() -> dict[str, tuple[str, str]]:
    """Return name and text of each file, by the id in it."""
    found = {}
    folder = resources.files("svmosaic.reproduce") / "specs"
    for path in folder.iterdir():
        if path.name.endswith(".toml"):
            text = path.read_text(encoding="utf-8")
            found[str(tomllib.loads(text)["id"])] = (path.name, text)
    return dict(sorted(found.items(), key=lambda item: (item[0].startswith("fig-"), item[0])))


@cache
def _read(file: str, text: str) -> TableSpec:
    entries = tomllib.loads(text)
    top = TomlTable(file, entries)
    # These are checked when an experiment is made of them.
    for name in ("protocol", "data", "methods"):
        top.take(name, (dict, list), "as in an experiment's file", [])
    for name in OVERLAYS:
        overlay = TomlTable(f"{file}, [{name}]", top.take(name, (dict,), "a table", {}))
        for entry in _OVERLAY_ENTRIES:
            overlay.take(entry, (dict, list, int, float), "an entry of an overlay", None)
        overlay.finish()
    figure = top.take("figure", (dict,), "a table", None)
    statistics = TomlTable(f"{file}, [statistics]", top.take("statistics", (dict,), "a table", {}))
    printed = TomlTable(f"{file}, [printed]", top.take("printed", (dict,), "a table", {}))
    metrics = () if "metrics" not in entries else tuple(map(_metric, top.tables("metrics")))
    spec = TableSpec(
        id=top.text("id"),
        title=top.text("title"),
        source=top.text("source"),
        notes=top.texts("notes", ("none",)) if "notes" in entries else (),
        metrics=metrics,
        printed=printed.text("file", None),
        printed_as=printed.take("datasets", (dict,), "a table of names", {}),
        paper_methods={
            item["name"]: item["paper"] for item in entries.get("methods", []) if "paper" in item
        },
        control=statistics.text("control", None),
        paper_control=statistics.text("paper_control", None),
        details=statistics.take("details", (bool,), "true or false", False),
        meta_ranks=statistics.take("meta_ranks", (bool,), "true or false", False),
        pairs=statistics.choice("over", ("datasets", "splits"), "datasets"),
        figure=figure,
        minutes={
            "full": float(top.take("minutes", (int, float), "minutes of the full size")),
            **{n: float(entries[n]["minutes"]) for n in OVERLAYS if n in entries},
        },
        _entries=entries,
        _file=file,
    )
    for table in (top, statistics, printed):
        table.finish()
    return spec


def _metric(table: TomlTable) -> Metric:
    name = table.text("name")
    metric = Metric(
        name=name,
        label=table.text("label", name),
        field=table.text("field", name),
        factor=float(table.take("factor", (int, float), "a number", 1.0)),
        of_folds=table.choice("of_folds", _FOLDS, "mean"),
        higher_is_better=table.take("higher_is_better", (bool,), "true or false", True),
        digits=table.whole("digits", 0, 2),
        as_ratio=table.take("as_ratio", (bool,), "true or false", False),
    )
    table.finish()
    return metric


def _lay_over(entries: dict[str, Any], overlay: Mapping[str, Any]) -> None:
    """Change the entries of an experiment by those of a smaller or larger one."""
    entries["protocol"].update(overlay.get("protocol", {}))
    if "data" in overlay:
        known = {_item_name(item): item for item in entries["data"]}
        entries["data"] = [known.get(name, {"name": name}) for name in overlay["data"]]
    left_out: Sequence[str] = overlay.get("methods_left_out", ())
    changes = overlay.get("methods", {})
    methods = []
    for item in entries["methods"]:
        if item["name"] not in left_out:
            change = dict(changes.get(item["name"], {}))
            params = {**item.get("params", {}), **change.pop("params", {})}
            methods.append({**item, **change, "params": params})
    entries["methods"] = methods
