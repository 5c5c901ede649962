import gzip
import tracemalloc
from functools import partial

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from svmosaic.datasets import read_table
from svmosaic.datasets.readers import text as text_module
from svmosaic.exceptions import DataFileError

read_libsvm = partial(read_table, format="libsvm")

SAMPLE = "# note\r\n+1 1:0.25 7:-3e2 # tail\r\n\n-1 qid:3 2:1e-2\n0\n1 3:4"


def test_rows_come_out_as_written(write):
    data = read_libsvm(write("toy.svm", SAMPLE))

    assert scipy.sparse.issparse(data.X)
    assert data.X.format == "csr"
    assert data.X.indices.dtype == data.X.indptr.dtype == np.int32
    assert data.X.toarray().tolist() == [
        [0.25, 0, 0, 0, 0, 0, -300.0],
        [0, 0.01, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0],
        [0, 0, 4, 0, 0, 0, 0],
    ]
    assert data.y.tolist() == [1, -1, 0, 1]
    assert data.y.dtype == np.int64
    assert data.feature_names is None
    assert data.name == "toy"


@pytest.mark.parametrize("chunk_bytes", range(1, len(SAMPLE) + 1))
def test_result_does_not_depend_on_the_chunks(write, monkeypatch, chunk_bytes):
    path = write("toy.svm", SAMPLE)
    whole = read_libsvm(path)
    monkeypatch.setattr(text_module, "_CHUNK_BYTES", chunk_bytes)

    cut = read_libsvm(path)

    assert (cut.X != whole.X).nnz == 0
    assert cut.y.tolist() == whole.y.tolist()


def test_error_does_not_depend_on_the_chunks(write, monkeypatch):
    path = write("toy.svm", "1 1:1\n1 2:1 2:2\n")
    for chunk_bytes in range(1, 20):
        monkeypatch.setattr(text_module, "_CHUNK_BYTES", chunk_bytes)
        with pytest.raises(DataFileError) as caught:
            read_libsvm(path)
        assert str(caught.value) == (
            "toy.svm, line 2: feature index 2 does not follow 2; indices must ascend. "
            "Sort the pairs of this line."
        )


@pytest.mark.parametrize("name", ["iris", "heart", "adult"])
def test_agrees_with_scikit_learn_on_real_files(classification_folder, name):
    path = classification_folder / f"{name}.svm.gz"

    ours = read_libsvm(path)
    X, y = load_svmlight_file(str(path))

    assert ours.X.shape == X.shape
    assert np.array_equal(ours.X.indptr, X.indptr)
    assert np.array_equal(ours.X.indices, X.indices)
    assert np.array_equal(ours.X.data, X.data)
    assert np.array_equal(ours.y, y)


finite = st.floats(allow_nan=False, allow_infinity=False)
rows = st.lists(
    st.tuples(finite, st.dictionaries(st.integers(1, 300), finite, max_size=8)), min_size=1
).filter(lambda table: any(pairs for _, pairs in table))


@given(table=rows)
def test_written_rows_are_read_back(tmp_path_factory, table):
    path = tmp_path_factory.mktemp("libsvm") / "table.svm"
    path.write_text(
        "".join(
            " ".join([repr(label), *(f"{i}:{pairs[i]!r}" for i in sorted(pairs))]) + "\n"
            for label, pairs in table
        )
    )

    data = read_libsvm(path, n_features=300)

    assert data.y.tolist() == [label for label, _ in table]
    for i, (_, pairs) in enumerate(table):
        part = slice(data.X.indptr[i], data.X.indptr[i + 1])
        assert dict(zip(data.X.indices[part] + 1, data.X.data[part], strict=True)) == pairs


def test_hostile_index_fails_at_once(write):
    path = write("evil.svm", "1 2147483646:1\n")
    tracemalloc.start()

    with pytest.raises(DataFileError, match=r"^evil\.svm, line 1: feature index '2147483646'"):
        read_libsvm(path)

    assert tracemalloc.get_traced_memory()[1] < 4e6
    tracemalloc.stop()


def test_max_features_can_be_raised(write):
    data = read_libsvm(write("wide.svm", "1 20000000:1\n"), max_features=20_000_000)

    assert data.X.shape == (1, 20_000_000)


def test_dense_array_is_checked_before_it_is_made(write):
    path = write("wide.svm", "1 9000000:1\n" * 100)

    with pytest.raises(DataFileError, match=r"^wide\.svm: a dense array of 100 x 9000000 needs"):
        read_libsvm(path, dense=True, max_bytes=1e9)


def test_dense_gives_an_array(write):
    data = read_libsvm(write("toy.svm", "1.5 2:3\n"), dense=True, n_features=4)

    assert data.X.tolist() == [[0, 3, 0, 0]]
    assert data.y.tolist() == [1.5]
    assert data.y.dtype == np.float64


def test_index_above_n_features_is_named(write):
    with pytest.raises(DataFileError, match=r"line 2: feature index '5' is above the limit of 4"):
        read_libsvm(write("toy.svm", "1 4:1\n1 5:1\n"), n_features=4)


def test_nonfinite_values_need_leave(write):
    path = write("toy.svm", "1 1:nan 2:inf 3:1e999\n")

    with pytest.raises(DataFileError, match="allow_nan=True"):
        read_libsvm(path)
    assert np.array_equal(
        read_libsvm(path, allow_nan=True, dense=True).X,
        [[np.nan, np.inf, np.inf]],
        equal_nan=True,
    )


@pytest.mark.parametrize("limit", [0, -1, 2**31])
def test_limits_out_of_range_are_refused(write, limit):
    with pytest.raises(ValueError, match="max_features must be in the range"):
        read_libsvm(write("toy.svm", "1 1:1\n"), max_features=limit)


def test_gzip_bomb_is_refused(write):
    path = write("bomb.svm.gz", gzip.compress(b"\n" * 20_000_000))

    with pytest.raises(DataFileError, match=r"19 kB unpack to more than 5 MB"):
        read_libsvm(path)


def test_long_line_in_a_zipped_file_is_refused(write):
    path = write("long.svm.gz", gzip.compress(b"1 1:1\n1 " + b"123456789:" * 1_800_000))

    with pytest.raises(DataFileError, match=r"^long\.svm\.gz, line 2: the line is longer than"):
        read_libsvm(path, max_bytes=1e9)
