import csv
import io
from functools import partial

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from svmosaic.datasets import read_table
from svmosaic.datasets.readers.columns import MAX_ATTRIBUTES, MAX_NOMINAL_VALUES
from svmosaic.datasets.readers.line_table import MISSING
from svmosaic.exceptions import DataFileError

read_csv = partial(read_table, format="csv")

FLOWERS = "width,colour,class\n1.5,red,a\n2,blue,b\n0.5,red,a\n"


def test_names_become_one_hot_columns(write):
    data = read_csv(write("flowers.csv", FLOWERS))

    assert data.feature_names == ("width", "colour=blue", "colour=red")
    assert data.X.tolist() == [[1.5, 0, 1], [2, 1, 0], [0.5, 0, 1]]
    assert data.y.tolist() == ["a", "b", "a"]
    assert data.target_names == ("a", "b")
    assert data.name == "flowers"


def test_names_become_numbers_when_asked(write):
    data = read_csv(write("flowers.csv", FLOWERS), nominal="ordinal")

    assert data.feature_names == ("width", "colour")
    assert data.X.tolist() == [[1.5, 1], [2, 0], [0.5, 1]]


def test_sparse_and_dense_agree(write):
    path = write("flowers.csv", FLOWERS)
    for nominal in ("onehot", "ordinal"):
        sparse = read_csv(path, nominal=nominal, dense=False).X

        assert scipy.sparse.issparse(sparse)
        assert np.array_equal(sparse.toarray(), read_csv(path, nominal=nominal).X)


def test_coding_does_not_depend_on_the_order_of_rows(write):
    rows = ["c,1", "a,2", "b,3"]

    forward = read_csv(write("a.csv", "\n".join(rows)))
    backward = read_csv(write("b.csv", "\n".join(rows[::-1])))

    assert np.array_equal(forward.X, backward.X[::-1])


@pytest.mark.parametrize("delimiter", [",", ";", "\t", " ", "   ", " \t"])
def test_delimiter_is_found(write, delimiter):
    rows = [["a", "b", "label"], ["1", "2.5", "x"], ["3", "-4", "y"]]
    path = write("table.csv", "\n".join(delimiter.join(row) for row in rows))

    data = read_csv(path)

    assert data.X.tolist() == [[1, 2.5], [3, -4]]
    assert data.feature_names == ("a", "b")


def test_other_delimiter_is_given(write):
    data = read_csv(write("table.txt", "1|2|3\n4|5|6\n"), delimiter="|")

    assert data.X.tolist() == [[1, 2], [4, 5]]


@pytest.mark.parametrize("delimiter", ["", "ab", '"', "\n"])
def test_impossible_delimiter_is_refused(write, delimiter):
    with pytest.raises(ValueError, match="'delimiter' option must be one character"):
        read_csv(write("table.csv", "1,2\n"), delimiter=delimiter)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1,2\n", True),
        ("1,2\n3,4\n", False),
        ("red,1\nblue,2\n", False),
        ("p,x\ne,x\np,y\n", False),
        ("size,kind\np,x\ne,y\n", True),
        ("0,1,2,3\n5,6,7,8\n", True),
        ("0,1,class\n5,6,8\n", True),
        ("0,1\n5,6\n", False),
        ("0,red\n1,blue\n", False),
        ("a,1\n", False),
        (",a,b\n0,1,2\n", True),
    ],
)
def test_header_is_found(write, text, expected):
    data = read_csv(write("table.csv", text), target=None)

    assert data.n_samples == len(text.splitlines()) - expected


def test_header_can_be_given(write):
    path = write("table.csv", "1,2\n3,4\n")

    assert read_csv(path, header=True).feature_names == ("1",)
    assert read_csv(path, header=False).feature_names == ("x1",)


def test_quoted_cells(write):
    path = write("table.csv", 'name,v,class\n"a, b",1,"say ""hi"""\n"c", 2 , d\n')

    data = read_csv(path)

    assert data.feature_names == ("name=a, b", "name=c", "v")
    assert data.y.tolist() == ['say "hi"', "d"]


def test_quoted_cells_between_blanks(write):
    path = write("table.txt", '"a b"  1 "x ""y"""\nc 2 z\n')

    data = read_csv(path, delimiter="whitespace", header=False)

    assert data.feature_names == ("x1=a b", "x1=c", "x2")
    assert data.y.tolist() == ['x "y"', "z"]


@pytest.mark.parametrize(("target", "expected"), [("b", [2, 5]), (0, [1, 4]), (-2, [2, 5])])
def test_target_by_name_or_number(write, target, expected):
    data = read_csv(write("table.csv", "a,b,c\n1,2,3\n4,5,6\n"), target=target)

    assert data.y.tolist() == expected


def test_no_target(write):
    data = read_csv(write("table.csv", "a,b\n1,2\n"), target=None)

    assert data.y is None
    assert data.X.tolist() == [[1, 2]]


def test_misspelt_column_is_answered(write):
    path = write("table.csv", "width,class\n1,2\n")

    with pytest.raises(ValueError, match=r"no column 'klass'\. Did you mean 'class'\?"):
        read_csv(path, target="klass")
    with pytest.raises(ValueError, match="has 2 columns; got column 2"):
        read_csv(path, drop=[2])
    with pytest.raises(ValueError, match="also in drop"):
        read_csv(path, drop=["class"])


def test_dropped_columns_are_not_even_read(write):
    path = write("table.csv", "id,a,class\nx1,1,p\n?,2,q\n")

    data = read_csv(path, drop=["id"])

    assert data.feature_names == ("a",)


@pytest.mark.parametrize("cell", sorted(MISSING))
def test_missing_values(write, cell):
    path = write("table.csv", f"a,kind,class\n1,u,p\n{cell},{cell},q\n")

    with pytest.raises(DataFileError, match=r"line 3: column 'a' has no value.*allow_nan=True"):
        read_csv(path)
    onehot = read_csv(path, allow_nan=True)
    ordinal = read_csv(path, allow_nan=True, nominal="ordinal")
    sparse = read_csv(path, allow_nan=True, nominal="ordinal", dense=False)

    assert np.array_equal(onehot.X, [[1, 1], [np.nan, 0]], equal_nan=True)
    assert np.array_equal(ordinal.X, [[1, 0], [np.nan, np.nan]], equal_nan=True)
    assert np.array_equal(sparse.X.toarray(), ordinal.X, equal_nan=True)


def test_missing_target_is_never_allowed(write):
    path = write("table.csv", "a,class\n1,p\n2,?\n")

    with pytest.raises(DataFileError, match="line 3: the target 'class' has no value"):
        read_csv(path, allow_nan=True)


def test_first_values_may_be_missing(write):
    path = write("table.csv", "a,b,n,class\n?,?,?,p\n?,?,?,q\n3,x,?,p\n")

    data = read_csv(path, allow_nan=True, header=True)

    assert data.feature_names == ("a", "b=x", "n")
    assert np.array_equal(data.X[:, 0], [np.nan, np.nan, 3], equal_nan=True)
    assert data.X[:, 1].tolist() == [0, 0, 1]
    assert np.isnan(data.X[:, 2]).all()


def test_batches_make_no_difference(write, monkeypatch):
    rng = np.random.default_rng(5)
    rows = [f"{rng.normal()},{rng.choice(['u', 'v', 'w'])},{rng.integers(3)}" for _ in range(50)]
    path = write("table.csv", "\n".join(["a,b,class", *rows]))
    whole = read_csv(path)
    monkeypatch.setattr("svmosaic.datasets.readers.table_builder._BATCH_CELLS", 7)

    batched = read_csv(path)

    assert np.array_equal(batched.X, whole.X)
    assert batched.y.tolist() == whole.y.tolist()
    assert batched.feature_names == whole.feature_names


def test_infinite_values_need_leave(write):
    path = write("table.csv", "a,class\ninf,1\nnan,2\n1e999,3\n")

    with pytest.raises(DataFileError, match=r"line 2: the value 'inf' of column 'a' is not finite"):
        read_csv(path)
    assert np.array_equal(read_csv(path, allow_nan=True).X[:, 0], [np.inf, np.nan, np.inf], True)


def test_numbers_can_be_read_as_names(write):
    path = write("table.csv", "code,class\n10,1\n9,2\nA,1\n")

    with pytest.raises(DataFileError, match="line 4: column 'code' holds numbers, got 'A'"):
        read_csv(path)
    data = read_csv(path, nominal_columns=["code", "class"])

    assert data.feature_names == ("code=10", "code=9", "code=A")
    assert data.y.tolist() == ["1", "2", "1"]


@pytest.mark.parametrize(
    ("labels", "kind"), [(["1", "-2"], "i"), (["1.0", "2e0"], "i"), (["1.5", "2"], "f")]
)
def test_numeric_targets_are_whole_if_they_can_be(write, labels, kind):
    data = read_csv(write("table.csv", "".join(f"0,{label}\n" for label in labels)))

    assert data.y.dtype.kind == kind
    assert data.y.tolist() == [float(label) for label in labels]


def test_long_class_names_do_not_fill_the_memory(write):
    data = read_csv(write("table.csv", f"1,{'x' * 10_000}\n2,y\n"), header=False)

    assert data.y.dtype == object
    assert len(data.y[0]) == 10_000


def test_too_many_names_are_refused(write):
    path = write("table.csv", "".join(f"n{i},1\n" for i in range(MAX_NOMINAL_VALUES + 1)))

    with pytest.raises(
        DataFileError, match=rf"line {MAX_NOMINAL_VALUES + 1}: column 'x1' has more"
    ):
        read_csv(path, header=False, dense=False)


def test_a_column_of_many_names_is_refused_as_soon_as_it_is_seen(write, monkeypatch):
    monkeypatch.setattr("svmosaic.datasets.readers.table_builder._BATCH_CELLS", 1000)
    rows = "".join(f"{i},n{i},1\n" for i in range(2000))
    path = write("table.csv", f"{rows}not a row\n")

    with pytest.raises(
        DataFileError, match=r"array of 668 x 669 needs 4 MB; .* drop column 1 with its 668 names,"
    ):
        read_csv(path, header=False, max_bytes=3e6)


def test_too_many_columns_are_refused(write):
    line = ",".join(["1"] * (MAX_ATTRIBUTES + 1))

    with pytest.raises(DataFileError, match=rf"more than {MAX_ATTRIBUTES} columns"):
        read_csv(write("table.csv", f"{line}\n{line}\n"))


def test_one_hot_columns_that_do_not_fit_are_refused(write):
    path = write("table.csv", "".join(f"n{i},1\n" for i in range(2000)))

    with pytest.raises(
        DataFileError, match=r"^table\.csv: a dense array of 2000 x 2000 needs 32 MB"
    ):
        read_csv(path, max_bytes=10_000_000, header=False)
    assert read_csv(path, max_bytes=10_000_000, dense=False, header=False).X.nnz == 2000


finite = st.floats(allow_nan=False, allow_infinity=False)
words = st.text(
    st.characters(codec="utf-8", exclude_characters="\0\r\n", exclude_categories=["Cs"]),
    min_size=1,
).filter(lambda word: word.strip() == word and word not in MISSING)


@given(
    table=st.lists(st.tuples(finite, words, words), min_size=1),
    delimiter=st.sampled_from(",;\t|"),
)
def test_written_tables_are_read_back(tmp_path_factory, table, delimiter):
    buffer = io.StringIO()
    writer = csv.writer(
        buffer, delimiter=delimiter, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n"
    )
    writer.writerows([("number", "word", "class"), *table])
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    path.write_text(buffer.getvalue(), encoding="utf-8", newline="")

    data = read_csv(
        path,
        nominal_columns=["word", "class"],
        delimiter=delimiter,
        header=True,
    )

    assert data.X[:, 0].tolist() == [row[0] for row in table]
    assert data.y.tolist() == [row[2] for row in table]
    for i, row in enumerate(table):
        assert data.X[i, data.feature_names.index(f"word={row[1]}")] == 1
    assert data.X[:, 1:].sum() == len(table)


def test_long_whole_numbers_are_no_labels(tmp_path):
    path = tmp_path / "ids.csv"
    path.write_text("a,y\n1,9007199254740992\n2,9007199254740993\n")
    with pytest.raises(DataFileError, match=r"line 2: the target '9007199254740992' is a whole"):
        read_table(path)
    labels = read_table(path, nominal_columns=["y"]).y
    assert labels.tolist() == ["9007199254740992", "9007199254740993"]
    path.write_text("a,y\n1,1e20\n2,2.5e20\n")
    assert read_table(path).y.tolist() == [1e20, 2.5e20]
