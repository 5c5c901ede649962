"""A catalogue: what is known of things that are called by name, read from a TOML file."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import resources
from typing import Any, Generic, TypeVar

from svmosaic.exceptions import DataNotFoundError

__all__ = ["Catalogue"]

Info = TypeVar("Info")


class Catalogue(Generic[Info]):
    """Entries of a TOML file by name; the file is read at the first use.

    Parameters
    ----------
    package, file : str
        The package that holds the file, and its name.
    make : callable
        Makes an entry from its name and its table.
    kind : str
        What the things are called in messages.
    where : str
        The sentence that says how to see all names; it is part of the message for a name that
        resembles none.
    """

    def __init__(
        self,
        package: str,
        file: str,
        make: Callable[[str, dict[str, Any]], Info],
        *,
        kind: str,
        where: str,
    ) -> None:
        self._package = package
        self._file = file
        self._make = make
        self._kind = kind
        self._where = where

    @cached_property
    def entries(self) -> Mapping[str, Info]:
        """All entries, in the order of the file."""
        text = resources.files(self._package).joinpath(self._file).read_text(encoding="utf-8")
        return {name: self._make(name, table) for name, table in tomllib.loads(text).items()}

    def names(self) -> tuple[str, ...]:
        """Return all names, in the order of the file."""
        return tuple(self.entries)

    def describe(self, name: str) -> Info:
        """Return the entry of a name, or raise an error that offers the nearest ones."""
        if name in self.entries:
            return self.entries[name]
        by_lower = {other.lower(): other for other in self.entries}
        close = difflib.get_close_matches(name.lower(), by_lower, n=3)
        near = " or ".join(repr(by_lower[other]) for other in close)
        hint = f"Did you mean {near}?" if near else self._where
        raise DataNotFoundError(f"No {self._kind} is called {name!r}. {hint}")
