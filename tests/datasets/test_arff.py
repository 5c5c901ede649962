import gzip
import math
from functools import partial

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from svmosaic.datasets import read_table
from svmosaic.exceptions import DataFileError

read_arff = partial(read_table, format="arff")

WEATHER = """% the classic
@RELATION 'the weather'

@Attribute outlook {sunny, 'over cast', "rainy"}   % a comment
@attribute 'air temperature' REAL
@attribute windy {TRUE,FALSE}
@attribute humidity integer
@attribute play {yes, no}
@DATA
sunny, 85.5, FALSE, 85, no
'over cast',8e1,TRUE,90,"no"  % tail
  rainy ,70,FALSE,96,yes

"""


def test_dense_rows(write):
    data = read_arff(write("weather.arff", WEATHER))

    assert data.feature_names == (
        "outlook=sunny",
        "outlook=over cast",
        "outlook=rainy",
        "air temperature",
        "windy=TRUE",
        "windy=FALSE",
        "humidity",
    )
    assert data.X.tolist() == [
        [1, 0, 0, 85.5, 0, 1, 85],
        [0, 1, 0, 80, 1, 0, 90],
        [0, 0, 1, 70, 0, 1, 96],
    ]
    assert data.y.tolist() == ["no", "no", "yes"]
    assert data.target_names == ("yes", "no")
    assert data.sample_weight is None
    assert "the weather" in data.description


def test_ordinal_codes_follow_the_declaration(write):
    data = read_arff(write("weather.arff", WEATHER), nominal="ordinal")

    assert data.X.tolist() == [[0, 85.5, 1, 85], [1, 80, 0, 90], [2, 70, 1, 96]]


SPARSE = """@relation s
@attribute a numeric
@attribute colour {red, green}
@attribute b numeric
@attribute class {no, yes}
@data
{0 1.5, 2 -3}
{1 green, 3 yes}
{}
{ 1 'red' , 3 "yes" } % tail
"""


def test_sparse_rows_have_defaults(write):
    data = read_arff(write("s.arff", SPARSE))

    assert scipy.sparse.issparse(data.X)
    assert data.feature_names == ("a", "colour=red", "colour=green", "b")
    assert data.X.toarray().tolist() == [[1.5, 1, 0, -3], [0, 0, 1, 0], [0, 1, 0, 0], [0, 1, 0, 0]]
    assert data.y.tolist() == ["no", "yes", "no", "yes"]


def test_sparse_file_as_ordinal_and_dense(write):
    data = read_arff(write("s.arff", SPARSE), nominal="ordinal", dense=True)

    assert data.X.tolist() == [[1.5, 0, -3], [0, 1, 0], [0, 0, 0], [0, 0, 0]]


def test_sparse_numeric_target_and_dropped_column(write):
    path = write(
        "s.arff",
        "@relation s\n@attribute y numeric\n@attribute when date\n@attribute a numeric\n@data\n"
        '{0 2, 1 "2020-01-01", 2 3}\n{2 4}\n',
    )

    data = read_arff(path, target="y", drop=["when"])

    assert data.X.toarray().tolist() == [[3], [4]]
    assert data.y.tolist() == [2, 0]


def test_sparse_missing_values(write):
    header = "@relation s\n@attribute a numeric\n@attribute c {u,v}\n@attribute y numeric\n@data\n"
    path = write("s.arff", header + "{0 ?, 1 ?, 2 1}\n")

    with pytest.raises(DataFileError, match=r"line 6: column 'a' has no value"):
        read_arff(path)
    data = read_arff(path, allow_nan=True, dense=True)

    assert np.array_equal(data.X, [[np.nan, 0, 0]], equal_nan=True)


def test_sparse_string_target(write):
    header = "@relation s\n@attribute a numeric\n@attribute y string\n@data\n"

    data = read_arff(write("s.arff", header + "{0 1, 1 b}\n{1 a}\n"))

    assert data.y.tolist() == ["b", "a"]
    assert data.target_names == ("a", "b")
    with pytest.raises(DataFileError, match="line 6: attribute 'y' has no value"):
        read_arff(write("s.arff", header + "{0 1, 1 b}\n{0 1}\n"))


def test_one_hot_defaults_that_do_not_fit_are_refused(write):
    attributes = "".join(f"@attribute a{i} {{u,v}}\n" for i in range(200))
    path = write("s.arff", f"@relation s\n{attributes}@data\n" + "{}\n" * 500)

    with pytest.raises(DataFileError, match=r"one-hot coding of 199 nominal attributes needs"):
        read_arff(path, max_bytes=1_000_000)
    assert read_arff(path, max_bytes=1_000_000, nominal="ordinal").X.nnz == 0


@pytest.mark.parametrize("row", ["1, yes, {2.5}", "1,'yes' , { 2.5 } % c", "{0 1, 1 yes}, {2.5}"])
def test_instance_weights(write, row):
    other = "{0 2}" if row.startswith("{") else "2,no"
    path = write(
        "w.arff",
        f"@relation w\n@attribute a real\n@attribute c {{no,yes}}\n@data\n{row}\n{other}\n",
    )

    data = read_arff(path)

    assert data.sample_weight.tolist() == [2.5, 1.0]
    assert data.y.tolist() == ["yes", "no"]


def test_quotes_and_escapes(write):
    path = write(
        "q.arff",
        r"""@relation q
@attribute 'it\'s' {'a,b', "c'd", 'e\\f', 'g%h', '\u0041\tB', '?', ' x '}
@attribute "say \"y\"" string
@data
'a,b', 'p%'
"c'd", "q {r}"
'e\\f', r s
'g\%h', t
'\u0041\tB', u
'?', 'v\nw'
' x ', ''
""",
    )

    data = read_arff(path, nominal="ordinal")

    assert data.feature_names == ("it's",)
    assert data.X[:5, 0].tolist() == [0, 1, 2, 3, 4]
    assert data.X[5, 0] == 5
    assert data.y.tolist() == ["p%", "q {r}", "r s", "t", "u", "v\nw", ""]


def test_missing_values(write):
    header = "@relation m\n@attribute a real\n@attribute b {u,v}\n@attribute c {x,y}\n@data\n"
    path = write("m.arff", header + "1,u,x\n?,v,y\n")

    with pytest.raises(DataFileError, match=r"^m\.arff, line 7: column 'a' has no value"):
        read_arff(path)
    data = read_arff(path, allow_nan=True)
    assert np.array_equal(data.X, [[1, 1, 0], [np.nan, 0, 1]], equal_nan=True)
    with pytest.raises(DataFileError, match="line 6: the target 'c' has no value"):
        read_arff(write("m.arff", header + "1,u,?\n"), allow_nan=True)


@pytest.mark.parametrize("kind", ["date", "DATE 'yyyy-MM-dd'", "string"])
def test_text_attributes_can_be_dropped_or_named(write, kind):
    path = write(
        "t.arff", f"@relation t\n@attribute t {kind}\n@attribute c real\n@data\nb,1\na,2\n"
    )

    with pytest.raises(DataFileError, match=r"^t\.arff, line 2: attribute 't' is a"):
        read_arff(path)
    with pytest.raises(DataFileError, match="no feature columns are left"):
        read_arff(path, drop=["t"])
    assert read_arff(path, nominal_columns=["t"]).feature_names == ("t=a", "t=b")


def test_relational_attribute_is_named(write):
    path = write(
        "bags.arff",
        "@relation b\n@attribute id {1}\n@attribute bag relational\n@attribute f real\n"
        "@end bag\n@attribute class {0,1}\n@data\n1,'2',0\n",
    )

    with pytest.raises(DataFileError, match=r"^bags\.arff, line 3: attribute 'bag' is relational"):
        read_arff(path)


def test_real_relational_files_are_refused(classification_folder):
    for path in sorted((classification_folder.parent / "multiinstance").glob("*.arff.gz"))[:3]:
        with pytest.raises(DataFileError, match="is relational"):
            read_arff(path)


@pytest.mark.parametrize("name", ["edm", "jura", "wisconsin"])
def test_agrees_with_scipy_on_real_files(classification_folder, name, tmp_path):
    path = classification_folder.parent / "multitarget" / f"{name}.arff.gz"
    if not path.is_file():
        pytest.skip(f"{name} is not in the data folder")
    plain = tmp_path / "plain.arff"
    plain.write_bytes(gzip.decompress(path.read_bytes()))

    ours = read_arff(path, target=None, allow_nan=True, nominal="ordinal")
    table, meta = scipy.io.arff.loadarff(plain)

    for j, name_ in enumerate(meta.names()):
        kind, values = meta[name_]
        column = table[name_]
        if kind == "nominal":
            column = np.array([values.index(cell.decode()) for cell in column])
        assert np.array_equal(ours.X[:, j], column, equal_nan=True)


words = st.text(st.characters(codec="utf-8", exclude_characters="\0\n\r"), min_size=1)
finite = st.floats(allow_nan=False, allow_infinity=False)


def quote(word: str, mark: str) -> str:
    escaped = word.replace("\\", "\\\\").replace(mark, "\\" + mark)
    return mark + escaped + mark


@given(
    table=st.lists(st.tuples(st.one_of(finite, st.just(math.nan)), words), min_size=1),
    names=st.lists(words, min_size=2, max_size=2, unique=True),
    mark=st.sampled_from("'\""),
    sparse=st.booleans(),
)
def test_written_tables_are_read_back(tmp_path_factory, table, names, mark, sparse):
    values = list(dict.fromkeys(word for _, word in table))
    declared = ",".join(quote(word, mark) for word in values)
    template = "{{0 {}, 1 {}}}" if sparse else "{},{}"
    rows = [
        template.format("?" if math.isnan(number) else repr(number), quote(word, mark))
        for number, word in table
    ]
    path = tmp_path_factory.mktemp("arff") / "table.arff"
    lines = [
        "@relation r",
        f"@attribute {quote(names[0], mark)} numeric",
        f"@attribute {quote(names[1], mark)} {{{declared}}}",
        "@data",
        *rows,
    ]
    path.write_text("\n".join(lines), encoding="utf-8", newline="")

    data = read_arff(path, allow_nan=True, dense=True)

    assert data.feature_names == (names[0],)
    assert np.array_equal(data.X[:, 0], [number for number, _ in table], equal_nan=True)
    assert data.y.tolist() == [word for _, word in table]
    assert data.target_names == tuple(values)


def test_declared_values_and_attributes_have_limits(tmp_path, monkeypatch):
    path = tmp_path / "table.arff"
    monkeypatch.setattr("svmosaic.datasets.readers.arff.MAX_NOMINAL_VALUES", 3)
    monkeypatch.setattr("svmosaic.datasets.readers.arff.MAX_ATTRIBUTES", 5)
    path.write_text("@relation r\n@attribute a {1, 2, 3, 4}\n@data\n1\n")
    with pytest.raises(DataFileError, match="'a' has more than 3 values"):
        read_arff(path)
    declared = "".join(f"@attribute a{i} real\n" for i in range(6))
    path.write_text(f"@relation r\n{declared}@data\n1,2,3,4,5,6\n")
    with pytest.raises(DataFileError, match="more than 5 attributes"):
        read_arff(path)
