"""``svmosaic data describe FILE``: what the readers see, and what they would refuse."""

from __future__ import annotations

import json

import pytest

EXPORT = """\
patient;ward;born;age;weight;note;code;share;healthy
P1;A;01.02.1970;45;71,5;fine;1;5%;yes
P2;B;05.02.1971;46;;ok;1;6%;no
P3;A;01.12.1970;47;72,5;tired;1;7%;yes
P4;A;01.02.1975;48;79,5;so so;1;8%;yes
P5;C;11.02.1970;x;80,5;x;1;9%;no
P6;A;01.02.1979;50;81,5;y;1;9%;yes
P7;B;01.12.1980;51;?;z;1;9%;yes
P8;A;21.02.1970;52;79,5;a;1;9%;yes
P9;A;01.02.1977;53;60,5;b;1;9%;maybe
P10;C;31.01.1970;54;66,5;c;1;9%;no
"""


@pytest.fixture
def describe(svmosaic, tmp_path):
    """Return a function that writes a file and describes it as JSON."""

    def run(text, *options, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        outcome = svmosaic("data", "describe", path, "--output-format", "json", *options)
        assert outcome.code == 0, outcome.err
        return json.loads(outcome.out)

    return run


def _columns(record):
    return {column["name"]: column for column in record["columns"]}


def test_the_dialect_and_the_columns_are_found(describe):
    record = describe(EXPORT)
    columns = _columns(record)

    assert record["file"] == "t.csv"
    assert (record["delimiter"], record["decimal"], record["header"]) == (";", ",", True)
    assert (record["rows"], record["features"], record["targets"]) == (10, 8, ["healthy"])
    assert {name: column["kind"] for name, column in columns.items()} == {
        **{"patient": "names", "ward": "names", "born": "dates", "age": "whole numbers"},
        **{"weight": "numbers", "note": "names", "code": "whole numbers"},
        **{"share": "written numbers", "healthy": "names"},
    }
    assert (columns["weight"]["missing"], columns["weight"]["minimum"]) == (2, 60.5)
    assert columns["weight"]["maximum"] == 81.5
    assert columns["ward"]["values"] == {"A": 6, "B": 2, "C": 2}
    assert columns["healthy"]["values"] == {"yes": 6, "no": 3, "maybe": 1}


def test_everything_that_would_be_refused_or_teach_nothing_is_a_warning(describe):
    warnings = "\n".join(describe(EXPORT)["warnings"])

    for part in (
        "1 class of 'healthy' with one row only: 'maybe'",
        "2 cells without a value in the column 'weight'. Train with --impute",
        "'patient' has 10 different names in 10 rows. It seems to identify rows",
        "'born' holds dates. Pass --dates",
        "'age' holds numbers, but 1 value is not: 'x' in line 6",
        "'share' holds numbers such as '9%', which are not read",
        "the column 'code' with one value only teaches nothing",
    ):
        assert part in warnings


def test_options_of_train_answer_the_warnings(describe):
    record = describe(
        EXPORT,
        *("--id", "patient", "--drop", "note,share", "--dates", "dmy", "--categorical", "age,code"),
    )
    roles = {name: column["role"] for name, column in _columns(record).items()}

    assert (roles["patient"], roles["note"], roles["healthy"]) == ("id", "left out", "target")
    assert record["features"] == 5
    warnings = " ".join(record["warnings"])
    assert not any(name in warnings for name in ("'patient'", "'born'", "'note'", "'share'"))
    assert "'age' has 10 different names in 10 rows" in warnings


def test_text_has_a_line_for_each_column(svmosaic, tmp_path):
    (tmp_path / "t.csv").write_text(EXPORT)

    outcome = svmosaic("data", "describe", tmp_path / "t.csv", "--target", "ward")

    assert outcome.code == 0, outcome.err
    assert "csv, utf-8, semicolons between cells, decimal comma, with a header" in outcome.out
    assert "target             ward: 3 classes (A: 6, B: 2, C: 2)" in outcome.out
    assert "weight   feature  numbers                2          7  60.5 to 81.5" in outcome.out
    assert "\nwarning: " in outcome.out
    assert outcome.err == ""


@pytest.mark.parametrize(
    ("text", "options", "part"),
    [
        ("a,y\n1,0.5\n2,1.5\n", (), "'y' has fractions: for numbers use --method smo-regression"),
        ("a,y\n1,\n2,b\n3,b\n", (), "the target 'y' has no value in 1 row"),
        ("a,y\n1,b\n2,b\n", (), "'y' has one value only"),
        ("a,y\n1,3\n" + "2,4\n" * 3, ("--numeric", "a"), "1 class of 'y' with one row only: '3'"),
        ("a,y\n,b\n,c\n", (), "the column 'a' has no value at all"),
        ("a,y\ninf,b\n1,c\n", (), "'a' has 1 value that are not finite"),
        ("a,y\n10:30,b\n11:30,c\n", (), "'a' holds times, which are not read"),
        ("a,y\n1.5.24,b\n1.6.24,c\n", (), "years have two digits"),
        ("a,y\nb,b\nb,c\n", ("--numeric", "a"), "holds numbers, but 2 values are not: 'b' in"),
        (
            "i,y\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(20)),
            (),
            "the column 'i' counts the rows",
        ),
        (
            "a,y\n" + "".join(f"{i % 3},{7 * i}\n" for i in range(20)),
            (),
            "the target 'y' has 20 different numbers in 20 rows",
        ),
    ],
)
def test_warnings(describe, text, options, part):
    assert any(part in warning for warning in describe(text, *options)["warnings"])


def test_a_clean_file_has_no_warnings(describe):
    record = describe("a,b,y\n" + "".join(f"{i * i},{i % 4},{'ab'[i % 2]}\n" for i in range(30)))

    assert record["warnings"] == []


def test_packed_and_encoded_text(describe):
    import gzip

    record = describe(gzip.compress("a\ty\n1\tä\n2\tb\n".encode("utf-16")), name="t.tsv.gz")
    latin = describe("a,y\n1,ä\n2,b\n".encode("cp1252"), "--encoding", "cp1252")

    assert (record["gzip"], record["encoding"], record["delimiter"]) == (True, "utf-16", "\t")
    assert (latin["gzip"], latin["encoding"]) == (False, "cp1252")
    assert set(_columns(latin)["y"]["values"]) == {"ä", "b"}


def test_formats_without_columns_and_with_declared_ones(describe):
    libsvm = describe("1 1:2 5:1\n-1 2:1\n", name="t.svm")
    arff = describe(
        "@relation t\n@attribute a real\n@attribute c {r,g,b}\n@attribute y {0,1}\n@data\n"
        "1,r,0\n?,g,1\n3,?,1\n",
        name="t.arff",
    )

    assert (libsvm["rows"], libsvm["features"], libsvm["header"]) == (2, 5, None)
    assert libsvm["columns"][0]["values"] == {"-1": 1, "1": 1}
    columns = _columns(arff)
    assert (columns["a"]["missing"], columns["a"]["maximum"]) == (1, 3)
    assert (columns["c"]["missing"], columns["c"]["values"]) == (1, {"r": 1, "g": 1})
    assert columns["y"]["values"] == {"1": 2, "0": 1}


def test_workbooks_and_parquet_files(describe, tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pytest.importorskip("openpyxl")
    frame = pandas.DataFrame(
        {"size": [1.5, None, 3.0], "colour": ["r", "g", "r"], "y": [0, 1, 1]},
        index=pandas.Index(["p", "q", "r"], name="who"),
    )
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_excel(tmp_path / "t.xlsx")

    for name in ("t.parquet", "t.xlsx"):
        record = describe((tmp_path / name).read_bytes(), name=name)
        columns = _columns(record)
        assert (record["rows"], record["encoding"], record["targets"]) == (3, None, ["y"])
        assert (columns["size"]["missing"], columns["colour"]["values"]) == (1, {"r": 2, "g": 1})
        assert columns["y"]["kind"] == "whole numbers"
    assert _columns(describe((tmp_path / "t.parquet").read_bytes(), name="t.parquet"))["who"][
        "role"
    ] == ("id")


def test_several_targets_and_bags(describe):
    text = "bag,a,p,q\n" + "".join(f"b{i // 2},{i},{i * 0.5},{i * 2}\n" for i in range(12))
    targets = describe(text, "--targets", "p,q")
    last_two = describe(text, "--targets", "2")
    bags = describe(text, "--bag", "bag")

    assert targets["targets"] == last_two["targets"] == ["p", "q"]
    assert not any("target" in warning for warning in targets["warnings"])
    assert _columns(bags)["bag"]["role"] == "bag"


def test_a_data_set_as_json(svmosaic):
    outcome = svmosaic("data", "describe", "sklearn-iris", "--output-format", "json")

    assert json.loads(outcome.out)["n_samples"] == 150


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["iris", "--header"], "--header is for files, and there is no file 'iris'"),
        (["irris"], "Did you mean 'iris'?"),
        (["t.csv", "--target", "klass"], "--target: t.csv has no column 'klass'. Did you mean"),
        (["odd.csv"], "odd.csv, line 3: the row has 3 cells; expected 2"),
        (["head.csv"], "the table has no rows"),
    ],
)
def test_bad_requests_are_one_line(svmosaic, tmp_path, monkeypatch, words, part):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a,class\n1,x\n")
    (tmp_path / "odd.csv").write_text("a,y\n1,x\n1,2,x\n")
    (tmp_path / "head.csv").write_text("a,y\n")

    outcome = svmosaic("data", "describe", *words)

    assert outcome.code == 1
    assert part in outcome.err
    assert outcome.err.count("\n") == 1
