"""Write the common texts of parameters and attributes into the docstrings of all estimators.

The texts are in ``common_docstrings.toml``; `make docstrings` runs this. Docstrings stay plain text
in the source, so that editors, `help` and the documentation show them without running anything; a
test says when one of them is outdated.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import sys
import textwrap
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from sklearn.base import BaseEstimator

TEXTS = Path(__file__).with_name("common_docstrings.toml")
PACKAGES = ("classification", "multi_instance", "regression", "svm")
WIDTH = 100

_HEADING = re.compile(r"    [A-Z][A-Za-z ]+")
_RULE = re.compile(r"    -+")


@dataclass(frozen=True)
class CommonText:
    """The text of one name, for all estimators or for some."""

    type: str
    text: str | None = None
    classes: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    also: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Entry:
    """One entry of a docstring: lines `begin` to `end` of the file."""

    section: str
    name: str
    begin: int
    end: int


Table = dict[tuple[str, str], list[CommonText]]


def read_texts() -> Table:
    """Return the common texts by section and name."""
    sections = tomllib.loads(TEXTS.read_text(encoding="utf-8"))
    return {
        (section, name): [
            CommonText(
                **{key: tuple(v) if isinstance(v, list) else v for key, v in variant.items()}
            )
            for variant in variants
        ]
        for section, names in sections.items()
        for name, variants in names.items()
    }


def find_estimators() -> list[type]:
    """Return the public estimators that document their parameters."""
    found: dict[str, type] = {}
    for package in PACKAGES:
        home = importlib.import_module(f"svmosaic.{package}")
        for info in pkgutil.walk_packages(home.__path__, f"{home.__name__}."):
            for name, value in vars(importlib.import_module(info.name)).items():
                if isinstance(value, type) and value.__module__ == info.name and name[0] != "_":
                    documented = "    Parameters\n    ---" in (value.__doc__ or "")
                    if documented and issubclass(value, BaseEstimator):
                        found[name] = value
    return [found[name] for name in sorted(found)]


def outdated(estimator: type, texts: Table) -> tuple[Path, str, str] | None:
    """Return the file of an estimator, its text and what it should be; None if they agree."""
    path, source, node = _find_class(estimator)
    lines = source.split("\n")
    defaults = _defaults(estimator)
    # From the end, so that the numbers of the lines before stay what they are.
    for entry in reversed(_entries(node, lines)):
        common = _choose(texts.get((entry.section, entry.name), []), node.name)
        if common is not None:
            head = _head(entry, common, defaults)
            if common.text is None:
                lines[entry.begin : entry.end] = [*head, *_body(lines[entry.begin : entry.end])]
            else:
                text = f"{common.text} {common.also.get(node.name, '')}"
                lines[entry.begin : entry.end] = [*head, *_wrap(text)]
    wanted = "\n".join(lines)
    return None if wanted == source else (path, source, wanted)


def stale_exceptions(texts: Table, estimators: list[type]) -> list[str]:
    """Return exceptions in the texts that no estimator needs any more."""
    documented = set()
    for estimator in estimators:
        names = re.findall(r"^    (\w+) : ", estimator.__doc__ or "", re.MULTILINE)
        documented |= {(estimator.__name__, name) for name in names}
    return [
        f"{section}.{name}: {who}"
        for (section, name), variants in texts.items()
        for variant in variants
        for who in (*variant.classes, *variant.own, *variant.also)
        if (who, name) not in documented
    ]


def _choose(variants: list[CommonText], who: str) -> CommonText | None:
    """Return the text for an estimator; None where it has one of its own on purpose."""
    if not variants or who in variants[0].own:
        return None
    return next((v for v in variants if who in v.classes), variants[0])


def _entries(node: ast.ClassDef, lines: list[str]) -> list[Entry]:
    doc = node.body[0]
    found = []
    section = ""
    row, last = doc.lineno - 1, (doc.end_lineno or doc.lineno) - 1
    while row < last:
        if _HEADING.fullmatch(lines[row]) and _RULE.fullmatch(lines[row + 1]):
            section = lines[row].strip()
            row += 2
            continue
        end = row + 1
        if section in ("Parameters", "Attributes") and re.match(r"    \w", lines[row]):
            while end < last and lines[end].startswith("        "):
                end += 1
            found.append(Entry(section, lines[row].split(" : ")[0].strip(), row, end))
        row = end
    return found


def _find_class(kind: type) -> tuple[Path, str, ast.ClassDef]:
    """Return the file of a class, its text, and the class in it."""
    path = Path(str(sys.modules[kind.__module__].__file__))
    source = path.read_text(encoding="utf-8")
    body = ast.parse(source).body
    (node,) = (n for n in body if isinstance(n, ast.ClassDef) and n.name == kind.__name__)
    return path, source, node


def _defaults(estimator: type) -> dict[str, str]:
    """Return the defaults of the constructor, as the source writes them."""
    owner = next(kind for kind in estimator.__mro__ if "__init__" in vars(kind))
    _, source, node = _find_class(owner)
    (init,) = (n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__")
    positional = init.args.args[len(init.args.args) - len(init.args.defaults) :]
    pairs: list[tuple[ast.arg, ast.expr | None]] = [
        *zip(positional, init.args.defaults, strict=True),
        *zip(init.args.kwonlyargs, init.args.kw_defaults, strict=True),
    ]
    return {
        argument.arg: str(ast.get_source_segment(source, value))
        for argument, value in pairs
        if value is not None
    }


def _head(entry: Entry, common: CommonText, defaults: dict[str, str]) -> list[str]:
    """Return the first line of an entry, or two where one is too long."""
    line = f"    {entry.name} : {common.type}"
    if entry.section != "Parameters" or entry.name not in defaults:
        return [line]
    default = f"default={re.sub(r'(?<=[0-9])_(?=[0-9])', '', defaults[entry.name])}"
    if len(line) + len(default) + 2 <= WIDTH:
        return [f"{line}, {default}"]
    return [f"{line}, \\", f"            {default}"]


def _body(lines: list[str]) -> list[str]:
    """Return an entry without its first line."""
    return lines[2 if lines[0].endswith("\\") else 1 :]


def _wrap(text: str) -> list[str]:
    return textwrap.wrap(
        " ".join(text.split()),
        WIDTH,
        initial_indent=" " * 8,
        subsequent_indent=" " * 8,
        break_long_words=False,
        break_on_hyphens=False,
    )


def main() -> int:
    """Write the texts; return 1 if an exception is stale."""
    texts, estimators = read_texts(), find_estimators()
    for estimator in estimators:
        change = outdated(estimator, texts)
        if change is not None:
            path, _, wanted = change
            path.write_text(wanted, encoding="utf-8")
            print(f"{estimator.__name__}: filled")
    stale = stale_exceptions(texts, estimators)
    for exception in stale:
        print(f"{TEXTS.name}: no estimator needs the exception {exception}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
