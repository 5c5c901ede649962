import gzip

import pytest
import scipy.sparse

from svmosaic.datasets import read_table
from svmosaic.datasets.readers.reader import find_reader

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
        ("t.csv", CSV, {"format": "excel"}, "'format' option .* must be one of"),
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
