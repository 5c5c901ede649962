"""Changed files: bytes flipped, pieces cut, copied and put in from a list of hostile words."""

from __future__ import annotations

import gzip
from collections.abc import Sequence

import numpy as np

__all__ = ["mutate", "pack_sometimes"]

# Words that readers stumble over, whatever the format.
_HOSTILE = [
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\n\n\n", b"\t", b",", b";", b"'", b'"', b"{",
    b"}", b"[", b"]", b"#", b"%", b"\\", b":", b"=", b"nan", b"-inf", b"1e999", b"-0", b"1e-999",
    b"?", b"9" * 30, b"-1", b"2147483648", b"18446744073709551616", b"1_0", b"0x1p3", "１".encode(),
    b"@data\n", b"@attribute a real\n", b"@end bag\n", b"qid:1 ", b"[[data]]\n", b"null", b"true",
    b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"&b;", b"<label name='x'/>", b"A" * 70_000, b"[" * 3000,
    "\u202e\U0001f600é".encode(),
]  # fmt: skip


def mutate(rng: np.random.Generator, seeds: Sequence[bytes]) -> bytes:
    """Return one of the seeds with some changes, now and then spliced with another one."""
    content = bytearray(seeds[rng.integers(len(seeds))])
    for _ in range(rng.geometric(0.35)):
        place = int(rng.integers(len(content) + 1))
        length = int(min(rng.geometric(0.05), len(content) - place))
        kind = rng.integers(7)
        if kind == 0 and place < len(content):
            content[place] ^= 1 << int(rng.integers(8))
        elif kind == 1:
            del content[place : place + length]
        elif kind == 2:
            content[place:place] = _HOSTILE[rng.integers(len(_HOSTILE))]
        elif kind == 3:
            content[place : place + length] = _HOSTILE[rng.integers(len(_HOSTILE))]
        elif kind == 4:
            content[place:place] = content[place : place + length] * int(rng.integers(1, 40))
        elif kind == 5:
            del content[place:]
        else:
            other = seeds[rng.integers(len(seeds))]
            content[place:] = other[int(rng.integers(len(other) + 1)) :]
    return bytes(content)


def pack_sometimes(rng: np.random.Generator, content: bytes) -> tuple[bytes, str]:
    """Return the content and a suffix; one file in four is packed, half of these damaged."""
    if rng.random() < 0.75:
        return content, ""
    packed = gzip.compress(content, 1, mtime=0)
    return (mutate(rng, [packed]) if rng.random() < 0.5 else packed), ".gz"
