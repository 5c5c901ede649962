"""Files as streams: the rows of the readers, in constant memory."""

import gzip
import os
import pickle
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svmosaic.datasets import read_table
from svmosaic.exceptions import DataFileError
from svmosaic.streams import FileStream

N_ROWS = 2500
HEAD = "@relation r\n@attribute a real\n@attribute c {x,y}\n@data\n"


def libsvm_text(n_rows=N_ROWS):
    rng = np.random.default_rng(1)
    lines = ["# a comment", ""]
    for i in range(n_rows):
        chosen = np.flatnonzero(rng.random(6) < 0.5)
        pairs = " ".join(f"{j + 1}:{float(rng.normal())!r}" for j in chosen)
        lines.append(f"{i % 3 - 1} {pairs}" + (" # tail" if i % 500 == 7 else ""))
    return "\n".join(lines) + "\n"


def csv_text(n_rows=N_ROWS):
    rng = np.random.default_rng(2)
    lines = ["size,colour,weight,class"]
    for i in range(n_rows):
        # The third colour and the third class come late.
        colour = ("red", "blue", "green")[i % (2 if i < 2000 else 3)]
        label = ("no", "yes", "perhaps")[i % (2 if i < 2000 else 3)]
        lines.append(f"{float(rng.normal())!r},{colour},{i},{label}")
    return "\n".join(lines) + "\n"


def arff_text(n_rows=N_ROWS):
    rng = np.random.default_rng(3)
    lines = ["@relation toy", "@attribute size real", "@attribute colour {red, blue}"]
    lines += ["@attribute note string", "@attribute class {no, yes}", "% comment", "@data"]
    for i in range(n_rows):
        note = "late" if i > 2000 else "early"
        lines.append(
            f"{float(rng.normal())!r},{('red', 'blue')[i % 2]},{note},{('no', 'yes')[i % 2]}"
        )
    return "\n".join(lines) + "\n"


def sparse_arff_text(n_rows=N_ROWS):
    lines = ["@relation toy", "@attribute a real", "@attribute b real", "@attribute c {no, yes}"]
    lines.append("@data")
    lines += [f"{{0 {i}{', 2 yes' if i % 3 else ''}}}" for i in range(n_rows)]
    return "\n".join(lines) + "\n"


# Name -> file, options.
FILES = {
    "libsvm": ("toy.svm", libsvm_text(), {}),
    "csv": ("toy.csv", csv_text(), {}),
    "csv ordinal": ("toy.csv", csv_text(), {"nominal": "ordinal", "drop": ["weight"]}),
    "csv numbers": ("toy.csv", csv_text(), {"target": "weight", "nominal_columns": ["size"]}),
    "arff": ("toy.arff", arff_text(), {"drop": ["note"]}),
    "arff names": ("toy.arff", arff_text(), {"nominal_columns": ["note"]}),
    "arff target": ("toy.arff", arff_text(), {"target": "note"}),
    "sparse arff": ("toy.arff", sparse_arff_text(), {}),
    "sparse arff target": ("toy.arff", sparse_arff_text(), {"target": "a"}),
}
# More classes than a stream takes would need; those files are cut.
for key in ("csv numbers", "sparse arff target"):
    name, text, options = FILES[key]
    FILES[key] = name, "\n".join(text.splitlines()[:1200]) + "\n", options
EVERY = pytest.mark.parametrize("name", FILES)


def make(folder, name, zipped):
    file_name, text, options = FILES[name]
    path = folder / (file_name + ".gz" if zipped else file_name)
    path.write_bytes(gzip.compress(text.encode()) if zipped else text.encode())
    return path, options


@EVERY
@pytest.mark.parametrize("zipped", [False, True])
def test_rows_are_those_of_the_reader(tmp_path, name, zipped):
    path, options = make(tmp_path, name, zipped)
    data = read_table(path, dense=True, **options)

    made = FileStream(path, **options)

    assert made.length == data.n_samples
    assert made.n_features == data.n_features
    assert np.array_equal(made.classes, np.unique(data.y))
    assert made.name == "toy"
    chunks = list(made.chunks(700))
    assert np.array_equal(np.concatenate([X for X, _ in chunks]), data.X)
    assert np.array_equal(np.concatenate([y for _, y in chunks]), data.y)
    assert all(X.dtype == np.float64 and X.flags.c_contiguous for X, _ in chunks)
    assert all(y.dtype == made.classes.dtype for _, y in chunks)


@EVERY
@settings(max_examples=8)
@given(jumps=st.lists(st.tuples(st.integers(0, N_ROWS), st.integers(0, 400)), max_size=5))
def test_jumps_ahead_and_back_give_the_same_rows(tmp_path_factory, name, jumps):
    path, options = make(tmp_path_factory.mktemp("file"), name, False)
    data = read_table(path, dense=True, **options)
    made = FileStream(path, **options)

    for begin, count in jumps:
        X, y = made.read(begin, count)
        assert np.array_equal(X, data.X[begin : begin + count])
        assert np.array_equal(y, data.y[begin : begin + count])


@EVERY
def test_a_pickle_goes_on(tmp_path, name):
    path, options = make(tmp_path, name, False)
    made = FileStream(path, **options)
    made.read(0, 100)

    copy = pickle.loads(pickle.dumps(made))

    for ours, theirs in zip(copy.read(100, 50), made.read(100, 50), strict=True):
        assert np.array_equal(ours, theirs)


def test_the_chunk_read_last_is_not_read_again(tmp_path, monkeypatch):
    path, options = make(tmp_path, "csv", False)
    made = FileStream(path, **options)
    X, y = made.read(100, 200)
    monkeypatch.setattr(made._source, "rows", lambda: pytest.fail("the file was opened again"))

    X[:] = 0.0

    assert np.array_equal(made.read(150, 20)[1], y[50:70])
    assert made.read(100, 200)[0].any()
    assert made.read(300, 10)[1].size == 10


def test_given_classes_save_the_first_pass(tmp_path, monkeypatch):
    path, _ = make(tmp_path, "libsvm", False)
    whole = FileStream(path)
    monkeypatch.setattr(
        "svmosaic.streams.file_stream._first_pass", lambda source: pytest.fail("a pass was made")
    )

    made = FileStream(path, classes=[-1, 0, 1], n_features=6)

    assert made.length is None
    assert [y.size for _, y in made.chunks(1000)] == [1000, 1000, 500]
    assert made.read(10_000, 5)[1].size == 0
    assert np.array_equal(made.read(3, 5)[0], whole.read(3, 5)[0])


def test_given_classes_with_names(write):
    path = write("toy.csv", "a,c\n1,x\n2,y\n")

    y = FileStream(path, classes=["y", "x", "zebra"]).read(0, 2)[1]

    assert y.tolist() == ["x", "y"]


@pytest.mark.parametrize(
    ("file", "text", "options", "sentence"),
    [
        ("toy.svm", "1 1:1\n2 1:1\n", {"classes": [1], "n_features": 1}, "line 2: the label '2'"),
        ("toy.csv", "a,c\n1,x\n2,yy\n", {"classes": ["x", "y"]}, "line 3: the label 'yy' is not"),
        ("toy.csv", "a,c\n1,1\n2,2\n", {"classes": ["1", "2"]}, "line 2: the label '1' is not"),
    ],
)
def test_a_label_that_is_no_class_is_named(write, file, text, options, sentence):
    made = FileStream(write(file, text), **options)

    with pytest.raises(DataFileError, match=sentence):
        made.read(0, 2)


@pytest.mark.parametrize(
    ("file", "text", "options", "sentence"),
    [
        ("toy.svm", "1 1:1\n", {"classes": [1]}, "Pass 'n_features', or leave 'classes' out"),
        ("toy.csv", "a,c\nred,x\n", {"classes": ["x"], "header": True}, "column 'a' holds names"),
        ("toy.csv", "1,2\n", {"n_features": 3}, "does not apply to csv files"),
        ("toy.csv", "1,2\n", {"format": "xml"}, "must be one of 'csv', 'libsvm', 'arff'"),
        ("toy.csv", "1,2\n", {"target": None}, "must name a column"),
        ("toy.csv", "a,c\n1,2\n", {"target": "b"}, "has no column 'b'"),
    ],
)
def test_options_that_do_not_fit_earn_one_sentence(write, file, text, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        FileStream(write(file, text), **options)


def test_dialects_are_those_of_the_reader(write):
    text = "who;when;size;code;y\np;1.2.2024;1.234,5;1;ä\nq;2.2.2024;2;2;b\nr;3.2.2024;3;1;b\n"
    path = write("toy.csv", text.encode("cp1252"))
    options = {
        **{"encoding": "cp1252", "id_column": "who", "dates": "dmy", "nominal_columns": ["code"]},
        **{"numeric_columns": ["size"], "decimal": ",", "thousands": "."},
    }

    stream, table = FileStream(path, **options), read_table(path, **options)
    X, y = pickle.loads(pickle.dumps(stream)).read(0, 3)

    assert np.array_equal(X, table.X)
    assert y.tolist() == table.y.tolist() == ["ä", "b", "b"]


@pytest.mark.parametrize(
    ("cell", "options", "sentence"),
    [
        ("1.2.2024", {}, "holds dates such as '1.2.2024'"),
        ("1.2.24", {"dates": "dmy"}, "whose years have two digits"),
        ("10:30", {}, "holds times such as '10:30'"),
        ("red", {"numeric_columns": ["a"]}, "column 'a' holds numbers, got 'red'"),
        ("5%", {}, "column 'a' holds numbers, got '5%'"),
    ],
)
def test_what_the_reader_refuses_is_refused(write, cell, options, sentence):
    path = write("toy.csv", f"a,b,y\n{cell},1,x\n{cell},2,z\n")

    with pytest.raises(DataFileError, match=sentence):
        FileStream(path, **options)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("toy.svm", "1 1:1 # ä\n2 1:2\n"),
        ("toy.arff", "@relation ä\n@attribute i string\n@attribute a real\n@attribute y {ä,b}\n"
         "@data\nk,1,ä\nl,2,b\n"),
    ],
)  # fmt: skip
def test_other_formats_have_an_encoding_too(write, file, text):
    options = {"id_column": "i"} if file == "toy.arff" else {}
    path = write(file, text.encode("latin-1"))

    stream = FileStream(path, encoding="latin-1", **options)

    assert (stream.n_features, stream.length) == (1, 2)
    with pytest.raises(DataFileError, match="is not UTF-8"):
        FileStream(path, **options)


# (file, content)
DAMAGED = [
    ("toy.svm", ""),
    ("toy.svm", "# only a comment\n\n"),
    ("toy.svm", "1\n2\n"),
    ("toy.svm", "x 1:1\n"),
    ("toy.svm", "1 1:1\n1,2 1:1\n"),
    ("toy.svm", "nan 1:1\n"),
    ("toy.svm", "1:1 2:2\n"),
    ("toy.svm", "1 1:1\n\n1 a:1\n"),
    ("toy.svm", "1 1\n"),
    ("toy.svm", "1 1 :2\n"),
    ("toy.svm", "1 2 3:4:5\n"),
    ("toy.svm", "1 1:\n"),
    ("toy.svm", "1 1: 2\n"),
    ("toy.svm", "1 1:1x\n"),
    ("toy.svm", "1 1:0x1p3\n"),
    ("toy.svm", "1 1:1_000\n"),
    ("toy.svm", "1 0:1\n"),
    ("toy.svm", "1 -1:1\n"),
    ("toy.svm", "1 7:1 3:1\n"),
    ("toy.svm", "1 3:1 3:1\n"),
    ("toy.svm", "1 10000001:1\n"),
    ("toy.svm", "1 99999999999999999999999:1\n"),
    ("toy.svm", "1 qid:x 1:1\n"),
    ("toy.svm", "1 1:1 qid:3\n"),
    ("toy.svm", "1 1:１\n"),
    ("toy.csv", ""),
    ("toy.csv", "a,b\n"),
    ("toy.csv", "1,2,3\n4,5\n"),
    ("toy.csv", "a,b,c\n1,2,3\n\n1,2,3,4\n"),
    ("toy.csv", "a,a,c\n1,2,3\n"),
    ("toy.csv", "a,c\n1,2\nx,3\n"),
    ("toy.csv", "a,c\n1,2\n1_0,3\n"),
    ("toy.csv", "a,c\n1,2\n,3\n"),
    ("toy.csv", "a,c\n1,2\n3,\n"),
    ("toy.csv", "a,c\n,2\n3,1\n"),
    ("toy.csv", "a,c\n1,2\nnan,3\n"),
    ("toy.csv", "a,c\nu,x\n?,y\n"),
    ("toy.csv", 'a,c\n"u,x\n'),
    ("toy.csv", b"a,c\n1,\xff\n"),
    ("toy.csv", b"a,c\n1,\x00\n"),
    ("toy.arff", ""),
    ("toy.arff", "@relation r\n@attribute a real\n"),
    ("toy.arff", "@relation r\n@attribute t string\n@attribute c {x}\n@data\na,x\n"),
    ("toy.arff", HEAD),
    ("toy.arff", HEAD + "1,x\n1\n"),
    ("toy.arff", HEAD + "1,z\n"),
    ("toy.arff", HEAD + "b,x\n"),
    ("toy.arff", HEAD + "?,x\n"),
    ("toy.arff", HEAD + "1,?\n"),
    ("toy.arff", HEAD + "1,'x\n"),
    ("toy.arff", HEAD + "1,x\n{0 1}\n"),
    ("toy.arff", HEAD + "{0 1}\n1,x\n"),
    ("toy.arff", HEAD + "{2 1}\n"),
    ("toy.svm.gz", gzip.compress(b"1 1:1\n" * 99, mtime=0)[:-12]),
    ("toy.csv.gz", b"\x1f\x8bnonsense"),
]


@pytest.mark.parametrize(("file", "content"), DAMAGED)
def test_a_damaged_file_earns_the_sentence_of_the_reader(write, file, content):
    path = write(file, content)
    with pytest.raises(DataFileError) as expected:
        read_table(path, dense=True)

    with pytest.raises(DataFileError) as caught:
        FileStream(path)

    # A stream has no such option.
    assert str(caught.value) == str(expected.value).replace(", or pass allow_nan=True", "")
    assert str(caught.value).startswith(file)


@pytest.mark.parametrize("text", ["1 1:1e999\n", "1 1:-inf\n", "1 1:nan\n"])
def test_values_of_libsvm_files_must_be_finite(write, text):
    with pytest.raises(DataFileError, match=r"^toy\.svm, line 1: the value .* is not finite"):
        FileStream(write("toy.svm", text))


@pytest.mark.parametrize("kind", ["libsvm", "csv", "arff"])
def test_damage_far_behind_is_named_with_its_line(write, kind):
    file, text, options = FILES[kind]
    path = write(file, text + "nonsense here\n")

    with pytest.raises(DataFileError, match=rf"^{file}, line {text.count(chr(10)) + 1}: "):
        FileStream(path, **options)


def test_damage_behind_given_classes_leaves_the_rows_before_readable(write):
    made = FileStream(write("toy.csv", "a,c\n1,0\n2,1\nx,1\n"), classes=[0, 1])

    assert made.read(0, 2)[1].tolist() == [0, 1]
    with pytest.raises(DataFileError, match="line 4"):
        made.read(2, 1)
    assert made.read(1, 1)[1].tolist() == [1]


def test_a_file_that_changed_is_refused(write):
    path = write("toy.csv", "a,c\n1,0\n2,1\n")
    made = FileStream(path)
    path.write_text("a,c\n1,0\n2,1\n3,0\n")

    with pytest.raises(DataFileError, match=r"^toy\.csv: the file has changed"):
        made.read(0, 1)


def test_a_relative_path_survives_a_change_of_folder(write, monkeypatch):
    path = write("toy.csv", "a,c\n1,0\n2,1\n")
    monkeypatch.chdir(path.parent)
    made = FileStream("toy.csv")

    monkeypatch.chdir(os.path.sep)

    assert made.read(0, 2)[1].tolist() == [0, 1]


def test_too_many_labels_are_refused(write, monkeypatch):
    monkeypatch.setattr("svmosaic.streams.file_stream._MOST_CLASSES", 100)
    path = write("toy.csv", "a,c\n" + "".join(f"1,{i}\n" for i in range(200)))

    with pytest.raises(DataFileError, match="more than 100 different labels so far"):
        FileStream(path)


def test_a_chunk_that_cannot_fit_is_refused(write):
    made = FileStream(write("wide.svm", "1 9000000:1\n" * 100), max_bytes=1e9)

    with pytest.raises(DataFileError, match=r"^wide\.svm: a dense array of 100 x 9000000 needs"):
        made.read(0, 100)


@pytest.mark.parametrize("kind", ["libsvm", "csv", "arff"])
@pytest.mark.parametrize("zipped", [False, True])
def test_a_stream_is_as_long_as_its_caller_allows(tmp_path, monkeypatch, kind, zipped):
    path, options = make(tmp_path, kind, zipped)
    n_bytes = len(FILES[kind][1].encode())
    monkeypatch.setattr("svmosaic.datasets.readers.text.memory_limit", memory_limit_of(1000))

    assert FileStream(path, **options).length == N_ROWS
    assert FileStream(path, max_bytes=n_bytes, **options).length == N_ROWS
    with pytest.raises(DataFileError, match=r"the text is longer than .*Pass a larger max_bytes"):
        FileStream(path, max_bytes=n_bytes - 1, **options)


def memory_limit_of(n_bytes):
    return lambda max_bytes=None: n_bytes if max_bytes is None else max_bytes


def peak_memory(path):
    tracemalloc.start()
    made = FileStream(path)
    n_rows = sum(y.size for _, y in made.chunks(1000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return n_rows, peak


@pytest.mark.parametrize("kind", ["libsvm", "csv", "arff"])
def test_memory_does_not_grow_with_the_file(tmp_path, monkeypatch, kind):
    # Small blocks of text, so that both files have many of them.
    monkeypatch.setattr("svmosaic.datasets.readers.text._CHUNK_BYTES", 1 << 14)
    row = "1 1:0.25 2:0.5 3:0.75\n" if kind == "libsvm" else "0.25,0.5,0.75,1\n"
    head = {
        "libsvm": "",
        "csv": "a,b,c,y\n",
        "arff": "@relation r\n"
        + "".join(f"@attribute {name} real\n" for name in "abcy")
        + "@data\n",
    }[kind]
    suffix = "svm" if kind == "libsvm" else kind
    short, long = tmp_path / f"short.{suffix}", tmp_path / f"long.{suffix}"
    short.write_text(head + row * 10_000)
    long.write_text(head + row * 50_000)

    _, before = peak_memory(short)
    n_rows, peak = peak_memory(long)

    assert n_rows == 50_000
    assert peak < 1.1 * before + 1e5
    assert peak < 4e6
