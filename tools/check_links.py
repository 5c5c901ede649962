"""Say which addresses outside of the site are wrong, and which could not be asked for.

    python tools/check_links.py docs/_build/links/output.json

Sphinx calls an address broken whether its server says "not found" or no server answers. The first
is a wrong link, the second says nothing about it. The exit code is 1 with a wrong link, 3 if no
server at all could be reached, and 0 otherwise.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

# What the errors of the network library contain if no server was reached.
_NO_SERVER = (
    "NameResolutionError",
    "NewConnectionError",
    "ConnectTimeout",
    "Network is unreachable",
    "ProxyError",
    "timed out",
)


def sort_links(rows: Iterable[dict[str, str]]) -> tuple[list[str], list[str], list[str]]:
    """Return addresses that work, that are wrong, and whose server did not answer.

    Examples
    --------
    >>> row = {"filename": "a.md", "uri": "https://a.org", "status": "working", "info": ""}
    >>> sort_links([row])
    (['https://a.org'], [], [])
    >>> sort_links([row | {"status": "broken", "info": "404 Client Error: Not Found"}])
    ([], ['a.md: https://a.org'], [])
    >>> sort_links([row | {"status": "broken", "info": "NameResolutionError(...)"}])
    ([], [], ['https://a.org'])
    """
    good, wrong, silent = [], [], []
    for row in rows:
        if not row["uri"].startswith("http"):
            continue
        if row["status"] in ("working", "redirected", "ignored"):
            good.append(row["uri"])
        elif row["status"] == "timeout" or any(word in row["info"] for word in _NO_SERVER):
            silent.append(row["uri"])
        else:
            wrong.append(f"{row['filename']}: {row['uri']}")
    return good, wrong, silent


def main(path: str) -> int:
    """Print what was found, and return the exit code."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    good, wrong, silent = sort_links(json.loads(line) for line in lines)
    print(f"{len(good)} addresses work, {len(wrong)} are wrong, {len(silent)} did not answer.")
    for link in wrong:
        print(f"wrong: {link}")
    for link in silent:
        print(f"no answer: {link}")
    if silent and not good and not wrong:
        print("No server could be reached: nothing was checked. Try again with a network.")
        return 3
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
