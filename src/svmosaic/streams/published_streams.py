"""The streams of the published tables by name, read from ``registry.toml``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from svmosaic.datasets import load
from svmosaic.datasets.catalogue import Catalogue
from svmosaic.streams import generators
from svmosaic.streams.array_stream import ArrayStream
from svmosaic.streams.attribute_noise import AttributeNoise
from svmosaic.streams.checks import check_count
from svmosaic.streams.concept_drift import ConceptDrift
from svmosaic.streams.stream_protocol import Stream

__all__ = ["DriftPlan", "StreamInfo", "describe_stream", "list_streams", "stream"]

# The seeds of a stream's parts are this times its own seed plus a small number.
_SEED_STEP = 100
_ATTRIBUTE_NOISE_SEED = 99
_MIXING_SEED = 98


@dataclass(frozen=True)
class DriftPlan:
    """Which concepts follow each other, and where; parts of the stream's length.

    Attributes
    ----------
    order : tuple of int
        Numbers of the concepts, in turn.
    positions : tuple of float
        Where the changes have their middle.
    width : float
        How long each change takes; 0 is sudden.
    """

    order: tuple[int, ...]
    positions: tuple[float, ...]
    width: float


@dataclass(frozen=True)
class StreamInfo:
    """What the registry says about a stream.

    Attributes
    ----------
    name, title : str
        What to pass to `stream`, and what it is.
    tables : tuple of str
        Numbers of the published tables that have it.
    n_samples, n_features, n_classes : int
        Its size in the tables.
    reason : str
        What settings were chosen, and from what.
    concepts : tuple of mappings
        Generators and their settings.
    drift : DriftPlan or None
        How the concepts follow each other.
    attribute_noise : float
        Noise on the features, as a part of their standard deviations.
    data : str or None
        Name of the data set, for a stream that is one.
    """

    name: str
    title: str
    tables: tuple[str, ...]
    n_samples: int
    n_features: int
    n_classes: int
    reason: str
    concepts: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    drift: DriftPlan | None = None
    attribute_noise: float = 0.0
    data: str | None = None


def _info(name: str, entry: dict[str, Any]) -> StreamInfo:
    drift = entry.pop("drift", None)
    return StreamInfo(
        name=name,
        tables=tuple(entry.pop("tables")),
        concepts=tuple(entry.pop("concepts", ())),
        drift=None
        if drift is None
        else DriftPlan(tuple(drift["order"]), tuple(drift["positions"]), drift["width"]),
        **entry,
    )


_CATALOGUE = Catalogue(
    __package__,
    "registry.toml",
    _info,
    kind="stream",
    where="List the names with: svmosaic stream list",
)


def list_streams(table: str | None = None) -> tuple[str, ...]:
    """Return the names of all streams that `stream` knows.

    Parameters
    ----------
    table : str, default=None
        Only those of this published table: ``"6.2"`` or ``"6.5"``.

    Returns
    -------
    tuple of str
        The names.

    Examples
    --------
    >>> from svmosaic.streams import list_streams
    >>> len(list_streams("6.5"))
    24
    """
    entries = _CATALOGUE.entries
    return tuple(n for n, info in entries.items() if table is None or table in info.tables)


def describe_stream(name: str) -> StreamInfo:
    """Return what the registry says about a stream, without making it.

    Parameters
    ----------
    name : str
        One of `list_streams`.

    Returns
    -------
    StreamInfo
        What it is made of, and why.

    Raises
    ------
    DataNotFoundError
        No stream has that name; the message offers the nearest ones.

    Examples
    --------
    >>> from svmosaic.streams import describe_stream
    >>> describe_stream("WaveformGenerator").reason
    '40 attributes: table 6.4.'
    """
    return _CATALOGUE.describe(name)


def stream(
    name: str,
    *,
    n_samples: int | None = None,
    seed: int = 0,
    data_home: str | os.PathLike[str] | None = None,
) -> Stream:
    """Return a stream of the published tables by name.

    Parameters
    ----------
    name : str
        One of `list_streams`.
    n_samples : int, default=None
        Its length; None means that of the tables. Drifts keep their place relative to the
        length. Of a data set, only its first rows, this many.
    seed : int, default=0
        Seed of a generated stream; a data set has none.
    data_home : path-like, default=None
        The data folder; see `svmosaic.datasets.load`.

    Returns
    -------
    Stream
        Its samples are read by position.

    Raises
    ------
    DataNotFoundError
        The name is unknown, or its data set is not available.

    Examples
    --------
    >>> from svmosaic.streams import stream
    >>> stream("SEASuddenAN0", n_samples=8000).drifts
    (2000, 4000, 6000)
    """
    info = describe_stream(name)
    seed = _SEED_STEP * check_count("stream", "seed", seed, 0)
    length = info.n_samples
    if n_samples is not None:
        length = check_count("stream", "n_samples", n_samples, 1)
    if info.data is not None:
        return _from_data(info, length, data_home)
    parts = [_generate(entry, length, seed, name) for entry in info.concepts]
    made = parts[0]
    if info.drift is not None:
        made = _drifting(info.drift, parts, length, seed + _MIXING_SEED, name)
    if info.attribute_noise:
        made = AttributeNoise(made, info.attribute_noise, seed=seed + _ATTRIBUTE_NOISE_SEED)
    return made


def _generate(entry: Mapping[str, Any], n_samples: int, seed: int, name: str) -> Stream:
    settings = dict(entry)
    generator = getattr(generators, settings.pop("generator"))
    made: Stream = generator(
        **settings | {"seed": seed + settings["seed"], "n_samples": n_samples, "name": name}
    )
    return made


def _drifting(
    plan: DriftPlan, parts: Sequence[Stream], length: int, seed: int, name: str
) -> Stream:
    return ConceptDrift(
        [parts[number] for number in plan.order],
        [round(part * length) for part in plan.positions],
        plan.width * length,
        seed=seed,
        name=name,
    )


def _from_data(
    info: StreamInfo, n_samples: int, data_home: str | os.PathLike[str] | None
) -> Stream:
    assert info.data is not None
    # Sparse, because most of the widest table is zeros; reading makes rows dense.
    data = load(info.data, data_home=data_home, dense=False)
    if n_samples > data.n_samples:
        raise ValueError(
            f"{info.name} has {data.n_samples} samples. Got n_samples={n_samples}; ask for fewer."
        )
    assert data.y is not None
    return ArrayStream(data.X[:n_samples], data.y[:n_samples], name=info.name)
