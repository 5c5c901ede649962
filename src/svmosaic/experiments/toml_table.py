"""Take a TOML table apart, entry by entry, with messages that say where and what."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

from svmosaic.exceptions import DataFileError

__all__ = ["TomlTable"]


class TomlTable:
    """A table of a TOML file that knows its place in it.

    Parameters
    ----------
    where : str
        The file and the place in it, for messages: ``spec.toml, [protocol]``.
    entries : Any
        What the file has there.
    """

    def __init__(self, where: str, entries: Any) -> None:
        self.where = where
        if not isinstance(entries, dict):
            raise self.error(f"expected a table, got {entries!r}")
        self._entries = entries
        self._known: list[str] = []

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def error(self, reason: str) -> DataFileError:
        """Make an error that names this place."""
        stop = "" if reason.endswith("?") else "."
        return DataFileError(f"{self.where}: {reason}{stop}")

    def take(self, name: str, kinds: tuple[type, ...], words: str, default: Any = ...) -> Any:
        """Return an entry of one of some types; without a default it must be there."""
        self._known.append(name)
        if name not in self._entries:
            if default is ...:
                raise self.error(f"'{name}' is needed, {words}")
            return default
        value = self._entries[name]
        # True is an int in Python, but nobody means it as a number.
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise self.error(f"'{name}' must be {words}, got {value!r}")
        return value

    def text(self, name: str, default: Any = ...) -> Any:
        """Return an entry that is text and not empty."""
        value = self.take(name, (str,), "some text", default)
        if isinstance(value, str) and not value.strip():
            raise self.error(f"'{name}' must be some text, got {value!r}")
        return value

    def whole(self, name: str, least: int, default: int) -> int:
        """Return an entry that is a whole number."""
        words = f"a whole number from {least}"
        value: int = self.take(name, (int,), words, default)
        if value < least:
            raise self.error(f"'{name}' must be {words}, got {value!r}")
        return value

    def share(self, name: str, default: float) -> float:
        """Return an entry between 0 and 1."""
        words = "a number between 0 and 1"
        value = float(self.take(name, (int, float), words, default))
        if not 0 < value < 1:
            raise self.error(f"'{name}' must be {words}, got {value!r}")
        return value

    def positive(self, name: str, default: float | None) -> float | None:
        """Return an entry that is a positive number."""
        words = "a positive number"
        value = self.take(name, (int, float), words, default)
        if value is not None and not value > 0:
            raise self.error(f"'{name}' must be {words}, got {value!r}")
        return None if value is None else float(value)

    def choice(self, name: str, options: Sequence[str], default: str) -> str:
        """Return an entry that is one of some words."""
        words = f"one of {', '.join(map(repr, options))}"
        value: str = self.take(name, (str,), words, default)
        if value not in options:
            raise self.error(f"'{name}' must be {words}, got {value!r}{_suggest(value, options)}")
        return value

    def texts(self, name: str, default: Sequence[str]) -> tuple[str, ...]:
        """Return an entry that is a list of texts, or one text."""
        words = "a text or a list of texts"
        value = self.take(name, (str, list), words, list(default))
        values = [value] if isinstance(value, str) else value
        if not values or not all(isinstance(item, str) for item in values):
            raise self.error(f"'{name}' must be {words}, got {value!r}")
        return tuple(values)

    def tables(self, name: str) -> list[TomlTable]:
        """Return an entry that is a list of tables, at least one."""
        value = self.take(name, (list,), f"one or more tables [[{name}]]")
        if not value:
            raise self.error(f"'{name}' is needed, one or more tables [[{name}]]")
        return [
            TomlTable(f"{self.where}, [[{name}]] {number}", entries)
            for number, entries in enumerate(value, 1)
        ]

    def finish(self) -> None:
        """Refuse entries that nobody asked for: they are misspelt."""
        for name in self._entries:
            if name not in self._known:
                raise self.error(f"there is no entry '{name}'{_suggest(name, self._known)}")


def _suggest(word: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(word, known, n=1)
    return f". Did you mean '{close[0]}'?" if close else f"; known are {', '.join(known)}"
