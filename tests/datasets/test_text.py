import gzip
import math

import numpy as np
import pytest

from svmosaic.datasets.readers import text as text_module
from svmosaic.datasets.readers.text import (
    file_error,
    iter_blocks,
    iter_chunks,
    memory_limit,
    shorten,
    table_name,
)
from svmosaic.exceptions import DataFileError


def lines_of(path, **options):
    return [
        (number, line)
        for block in iter_blocks(path, **options)
        for number, line in enumerate(block.lines, block.first)
    ]


@pytest.mark.parametrize("chunk_bytes", range(1, 25))
def test_lines_do_not_depend_on_the_chunks(write, monkeypatch, chunk_bytes):
    monkeypatch.setattr(text_module, "_CHUNK_BYTES", chunk_bytes)
    path = write("a.txt", "one\r\n\ntwo é\n\nthree\u2028still\nfour")

    assert lines_of(path) == [
        (1, "one"),
        (2, ""),
        (3, "two é"),
        (4, ""),
        (5, "three\u2028still"),
        (6, "four"),
    ]


def test_gzip_is_known_by_its_content(write):
    path = write("a.txt", gzip.compress(b"one\ntwo\n"))

    assert lines_of(path) == [(1, "one"), (2, "two")]


def test_byte_order_mark_is_left_out(write):
    assert lines_of(write("a.txt", b"\xef\xbb\xbfone")) == [(1, "one")]


def test_empty_file_has_no_lines(write):
    assert lines_of(write("a.txt", b"")) == []
    assert lines_of(write("a.txt.gz", gzip.compress(b""))) == []


@pytest.mark.parametrize("chunk_bytes", [1, 3, 1000])
def test_long_line_is_named(write, monkeypatch, chunk_bytes):
    monkeypatch.setattr(text_module, "_CHUNK_BYTES", chunk_bytes)
    path = write("a.txt", "12345\n123456\n1\n")

    with pytest.raises(DataFileError, match=r"^a\.txt, line 2: the line is longer than 5 bytes"):
        lines_of(path, max_line_bytes=5)


def test_line_of_the_greatest_length_is_read(write):
    assert lines_of(write("a.txt", "12345\n12345"), max_line_bytes=5) == [
        (1, "12345"),
        (2, "12345"),
    ]


@pytest.mark.parametrize("content", [b"ok\nb\xff", b"ok\nb\xc3"])
def test_other_encodings_are_named(write, content):
    with pytest.raises(DataFileError, match=r"^a\.txt, line 2: byte 0x.. is not UTF-8"):
        lines_of(write("a.txt", content))


def test_nul_byte_is_named(write):
    with pytest.raises(DataFileError, match=r"^a\.txt, line 3: a NUL byte"):
        lines_of(write("a.txt", b"ok\nok\na\0b\n"))


@pytest.mark.parametrize("damage", ["truncated", "flipped", "trailing"])
def test_damaged_gzip_is_named(write, damage):
    content = bytearray(gzip.compress(bytes(range(256)) * 100))
    if damage == "truncated":
        del content[-9:]
    elif damage == "flipped":
        content[len(content) // 2] ^= 0xFF
    else:
        content += b"garbage"

    with pytest.raises(DataFileError, match=r"^a\.gz: the gzip data are damaged"):
        list(iter_chunks(write("a.gz", bytes(content))))


@pytest.mark.parametrize(
    ("size", "most"),
    [
        (1_000, 2**20),  # a tiny file of blanks may honestly shrink a lot
        (40_000, 250 * 40_000),
        (146_961, 2**25),  # webmining75, which unpacks to 26 MB
        (450_000, 2**25),
        (10_000_000, 25 * 10_000_000),
    ],
)
def test_a_gzip_file_may_unpack_to_so_much(size, most):
    assert text_module.most_by_ratio(size) == most


def test_small_file_may_shrink_a_lot(write):
    path = write("a.gz", gzip.compress(b"\n" * 900_000))

    assert sum(map(len, iter_chunks(path))) == 900_000


@pytest.mark.parametrize("n_bytes", [30_000_000, 450_000_000])
def test_gzip_bomb_is_stopped_before_it_is_read(tmp_path, n_bytes):
    # Deflate reaches a ratio of about 1030; a bomb of bombs cannot be had with gzip.
    path = tmp_path / "bomb.svm.gz"
    with gzip.open(path, "wb") as out:
        for _ in range(n_bytes // 1_000_000):
            out.write(b"1\n" * 500_000)

    with pytest.raises(
        DataFileError, match=r"^bomb\.svm\.gz: \d+ kB unpack to more than (7|34) MB"
    ):
        next(iter_chunks(path))


def test_a_bomb_behind_honest_text_is_stopped_too(tmp_path, monkeypatch):
    monkeypatch.setattr(
        text_module, "_RATIOS", ((math.inf, 1 << 10), (250, 1 << 16), (25, math.inf))
    )
    noise = np.random.default_rng(0).integers(97, 123, 1 << 16).astype(np.uint8).tobytes()
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(noise + b"\n" * 20_000_000))
    seen = []

    with pytest.raises(DataFileError, match="kB unpack to more than"):
        seen.extend(map(len, iter_chunks(path)))
    assert 1 << 16 < sum(seen) <= 25 * path.stat().st_size


@pytest.mark.parametrize("zipped", [False, True])
def test_the_limit_of_the_caller_counts_alone(write, zipped):
    content = b"\n" * 3_000_000
    path = write("a.txt", gzip.compress(content) if zipped else content)

    assert sum(map(len, iter_chunks(path, 3_000_000))) == 3_000_000
    with pytest.raises(
        DataFileError, match=r"^a\.txt: the text is longer than 3 MB \(max_bytes=2999999\)"
    ):
        list(iter_chunks(path, 2_999_999))


def test_the_limit_follows_the_free_memory(write, monkeypatch):
    path = write("a.txt", b"\n" * 20_000_000)
    seen = []

    monkeypatch.setattr(text_module, "free_memory", lambda: 8 * 20_000_000)
    assert sum(map(len, iter_chunks(path))) == 20_000_000
    monkeypatch.setattr(text_module, "free_memory", lambda: 8 * 18_000_000)
    with pytest.raises(DataFileError, match=r"longer than 18 MB \(an eighth of the free memory\)"):
        seen.extend(map(len, iter_chunks(path)))

    assert sum(seen) <= 18_000_000
    monkeypatch.setattr(text_module, "free_memory", lambda: 0)
    assert memory_limit() == 2**24


def test_messages_are_short_and_printable():
    assert shorten("a\tb") == r"'a\tb'"
    assert len(shorten("x" * 1000)) < 50
    assert shorten("é").isascii()


def test_error_without_a_line_names_the_file(tmp_path):
    assert str(file_error(tmp_path / "a.svm", None, "why.")) == "a.svm: why."


@pytest.mark.parametrize("name", ["heart.svm", "heart.svm.gz", "heart", "heart.gz"])
def test_table_name_has_no_extension(tmp_path, name):
    assert table_name(tmp_path / name) == "heart"
