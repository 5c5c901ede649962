import gzip
from functools import partial

import pytest
import scipy.sparse

from svmosaic.datasets import read_bags, read_multitarget, read_table
from svmosaic.datasets.readers.reader import find_reader
from svmosaic.exceptions import DataFileError

LIBSVM = "1 1:2\n-1 1:3\n"
CSV = "a,c\n2,1\n3,-1\n"
ARFF = "@relation r\n@attribute a real\n@attribute c real\n@data\n2,1\n3,-1\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.svm", LIBSVM),
        ("t.libsvm", LIBSVM),
        ("t.svmlight", LIBSVM),
        ("t", LIBSVM),
        ("t.txt", LIBSVM),
        ("t.csv", CSV),
        ("t.tsv", CSV.replace(",", "\t")),
        ("t.data", CSV),
        ("t.arff", ARFF),
        ("t.ARFF", ARFF),
        ("t.dat", ARFF),
    ],
)
@pytest.mark.parametrize("zipped", [False, True])
def test_format_is_found_by_extension_or_content(write, name, content, zipped):
    if zipped:
        path = write(name + ".gz", gzip.compress(content.encode()))
    else:
        path = write(name, content)

    data = read_table(path, dense=True)

    assert data.X.tolist() == [[2], [3]]
    assert data.y.tolist() == [1, -1]
    assert data.name == "t"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("# made by hand\n\n1\n1 3:1\n", "libsvm"),
        ("+1 qid:4 3:1\n", "libsvm"),
        ("% note\n@RELATION r\n", "arff"),
        ("5.1 3.5 1.4\n", "csv"),
        ("12:30,5\n", "csv"),
        ("", "csv"),
    ],
)
def test_first_lines_tell_the_format(write, content, expected):
    assert find_reader(write("t.unknown", content)).name == expected


def test_format_can_be_given(write):
    assert read_table(write("t.csv", LIBSVM), format="libsvm").n_features == 1


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("t.svm", LIBSVM, {"delimiter": ","}, "'delimiter' option .* does not apply to libsvm"),
        ("t.svm", LIBSVM, {"target": "c"}, "'target' option .* does not apply to libsvm"),
        ("t.svm", LIBSVM, {"drop": ["c"]}, "'drop' option .* does not apply to libsvm"),
        ("t.csv", CSV, {"n_features": 3}, "'n_features' option .* does not apply to csv"),
        ("t.arff", ARFF, {"header": True}, "'header' option .* does not apply to arff"),
        ("t.csv", CSV, {"format": "sas"}, "'format' option .* must be one of"),
        ("t.csv", CSV, {"nominal": "hash"}, "'nominal' option .* must be 'onehot' or 'ordinal'"),
    ],
)
def test_options_out_of_place_are_refused(write, name, content, options, message):
    with pytest.raises(ValueError, match=message):
        read_table(write(name, content), **options)


def test_string_for_a_list_is_refused(write):
    with pytest.raises(TypeError, match="'drop' option of read_table must be a list of columns"):
        read_table(write("t.csv", CSV), drop="a")


def test_limit_on_features_is_passed_on(write):
    with pytest.raises(ValueError, match="above the limit of 5"):
        read_table(write("t.svm", "1 6:1\n"), max_features=5)


def test_storage_follows_the_format(write):
    assert scipy.sparse.issparse(read_table(write("t.svm", LIBSVM)).X)
    assert not scipy.sparse.issparse(read_table(write("t.csv", CSV)).X)
    assert not scipy.sparse.issparse(read_table(write("t.arff", ARFF)).X)
    assert scipy.sparse.issparse(read_table(write("t.csv", CSV), dense=False).X)


# Limits -------------------------------------------------------------------------------------


BAGS = (
    "@relation r\n@attribute b relational\n@attribute a real\n@end b\n@attribute c {0,1}\n@data\n"
)
# A reader, a file and the unit that it repeats.
READINGS = {
    "libsvm": (read_table, "t.svm", "", "1 1:2\n"),
    "csv": (read_table, "t.csv", "a,c\n", "2,1\n"),
    "arff": (read_table, "t.arff", ARFF, "2,1\n"),
    "sparse arff": (read_table, "t.arff", ARFF.partition("2,")[0], "{0 2, 1 1}\n"),
    "bags of arff": (read_bags, "t.arff", BAGS, "'1',1\n"),
    "bags of csv": (read_bags, "t.csv", "bag,a,c\n", "2,1,0\n"),
    "bags of libsvm": (read_bags, "t.svm", "", "1 qid:1 1:2\n"),
    "several targets": (partial(read_multitarget, targets=1), "t.csv", "a,c\n", "2,1\n"),
}


@pytest.mark.parametrize("name", READINGS)
@pytest.mark.parametrize("zipped", [False, True])
def test_every_reader_keeps_the_limit(write, name, zipped):
    read, file, head, unit = READINGS[name]
    text = (head + unit * 30_000).encode()
    path = write(file, gzip.compress(text) if zipped else text)

    assert read(path, max_bytes=1e6).y is not None
    with pytest.raises(
        DataFileError, match=rf"^{file}: the text is longer than .*max_bytes={len(text) - 1}"
    ):
        read(path, max_bytes=len(text) - 1)


@pytest.mark.parametrize("name", READINGS)
def test_every_reader_stops_a_bomb(write, name):
    read, file, head, unit = READINGS[name]
    path = write(file, gzip.compress((head + unit * (8_000_000 // len(unit))).encode()))

    with pytest.raises(DataFileError, match=rf"^{file}: \d+ kB unpack to more than"):
        read(path)


def test_rows_are_counted_while_they_are_read(write, monkeypatch):
    monkeypatch.setattr("svmosaic.datasets.readers.table_builder._BATCH_CELLS", 100)
    path = write("t.csv", "a,b,c\n" + "1,2,3\n" * 1000 + "nonsense\n")

    # Three numbers of eight bytes are more than the six bytes of their row.
    with pytest.raises(
        DataFileError, match=r"^t\.csv: the first 3\d\d rows need [89] kB; the limit is 8 kB"
    ):
        read_table(path, max_bytes=8000)


@pytest.mark.parametrize("sparse", [False, True])
def test_coding_makes_not_much_of_little_by_itself(write, monkeypatch, sparse):
    # A file of 40 kB whose one-hot coding would take 32 MB.
    monkeypatch.setattr("svmosaic.datasets.readers.text._SMALL_ARRAY", 10_000_000)
    if sparse:
        names = "".join(f"@attribute a{i} {{u,v}}\n" for i in range(1000))
        path = write("t.arff", f"@relation r\n{names}@data\n" + "{}\n" * 2000)
    else:
        path = write("t.csv", "a,c\n" + "".join(f"n{i},1\n" for i in range(2000)))

    with pytest.raises(DataFileError, match=r"needs 32 MB; the limit is 10 MB"):
        read_table(path)
    assert read_table(path, max_bytes=1e9).n_samples == 2000
    assert read_table(path, nominal="ordinal").n_samples == 2000
    if not sparse:
        assert read_table(path, dense=False).n_features == 2000


def test_labels_of_very_many_rows_share_their_names(write, monkeypatch):
    monkeypatch.setattr("svmosaic.datasets.readers.target_values._LARGEST_STRING_ARRAY", 1000)
    few, many = (write(f"{n}.csv", "a,c\n" + "1,yes\n2,no\n" * n) for n in (10, 100))

    assert read_table(few).y.dtype == "<U3"
    assert read_table(many).y.dtype == object
    assert read_table(many).y.tolist() == ["yes", "no"] * 100
