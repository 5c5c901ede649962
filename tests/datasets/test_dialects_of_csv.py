"""Encodings, decimal commas, dates and ids, read by `read_table` and its relatives."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from svmosaic.datasets import read_bags, read_multitarget, read_table
from svmosaic.datasets.readers.dates import days_of_date, looks_like_date
from svmosaic.datasets.readers.feature_matrix import match_codes
from svmosaic.datasets.readers.numbers import NumberFormat
from svmosaic.exceptions import DataFileError
from svmosaic.streams import FileStream

TEXT = "größe;y\n1,5;ä\n2,25;b\n3;ä\n"


@pytest.mark.parametrize(
    ("encoding", "given"),
    [
        ("utf-8", None),
        ("utf-8-sig", None),
        ("utf-16", None),
        ("utf-32", None),
        ("utf-16-le", "utf-16-le"),
        ("cp1252", "cp1252"),
        ("latin-1", "latin-1"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_every_encoding_gives_the_same_table(tmp_path, encoding, given, packed):
    content = TEXT.encode(encoding)
    path = tmp_path / "t.csv"
    path.write_bytes(gzip.compress(content) if packed else content)

    data = read_table(path, encoding=given)

    assert data.feature_names == ("größe",)
    assert data.X[:, 0].tolist() == [1.5, 2.25, 3.0]
    assert data.y.tolist() == ["ä", "b", "ä"]


def test_a_wrong_encoding_is_named_with_the_line(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(TEXT.encode("latin-1"))

    with pytest.raises(DataFileError, match=r"t\.csv, line 1: byte 0xf6 is not UTF-8.*cp1252"):
        read_table(path)
    with pytest.raises(DataFileError, match=r"t\.csv, line 1: byte 0xf6 is not ascii"):
        read_table(path, encoding="ascii")
    for name in ("klingon", "hex"):
        with pytest.raises(ValueError, match="no character encoding"):
            read_table(path, encoding=name)


@pytest.mark.parametrize(
    ("format", "text", "number"),
    [
        (NumberFormat(","), "1.234,5", 1234.5),
        (NumberFormat(","), "1 234 567,25", 1234567.25),
        (NumberFormat(","), "1.234", 1234.0),
        (NumberFormat(","), "-,5e3", -500.0),
        (NumberFormat(",", "'"), "1'234,5", 1234.5),
        (NumberFormat(".", ","), "1,234.5", 1234.5),
        (NumberFormat(".", ","), "12", 12.0),
        (NumberFormat(","), "inf", np.inf),
    ],
)
def test_numbers_are_read_as_they_are_written(format, text, number):
    assert format.parse(text) == number


@pytest.mark.parametrize(
    ("format", "text"),
    [
        (NumberFormat(","), "1.5"),
        (NumberFormat(","), "1.23,5"),
        (NumberFormat(","), "0.123"),
        (NumberFormat(","), "012.345,5"),
        (NumberFormat(".", ","), "0,123"),
        (NumberFormat(","), "1.234 567,5"),
        (NumberFormat(","), ""),
        (NumberFormat(","), ","),
        (NumberFormat(".", ","), "12,34"),
        (NumberFormat(), "1,5"),
        (NumberFormat(), "1_000"),
        (NumberFormat(","), "\u0661,5"),
    ],
)
def test_what_is_no_number_is_none(format, text):
    assert not format.is_number(text)


def test_dates_are_days(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("when,y\n02.01.1970,a\n1970-01-03 12:00,b\n31.01.1970,a\n")

    with pytest.raises(DataFileError, match=r"column 'when' holds dates such as"):
        read_table(path)
    data = read_table(path, dates="dmy")
    assert data.X[:, 0].tolist() == [1.0, 2.5, 30.0]
    assert data.date_columns == ("when",)
    assert read_table(path, dates={"when": "dmy"}).X[:, 0].tolist() == [1.0, 2.5, 30.0]
    assert read_table(path, nominal_columns=["when"]).n_features == 3
    with pytest.raises(DataFileError, match=r"in the order mdy, got '31\.01\.1970'"):
        read_table(path, dates="mdy")
    with pytest.raises(ValueError, match="'dates' option of read_table must be"):
        read_table(path, dates="soon")


def test_moments_and_zones():
    assert days_of_date("1970-01-01T01:00:00+01:00", "ymd") == 0.0
    assert days_of_date("1/2/1970 06:00", "mdy") == 1.25
    assert all(map(looks_like_date, ["1.2.2024", "2024-02-13T12:30Z", "1/2/24"]))
    assert not any(map(looks_like_date, ["1.2.3", "1.2-2024", "12:30", "2024"]))


@pytest.mark.parametrize("suffix", [".csv", ".arff"])
def test_ids_are_kept_as_text(tmp_path, suffix):
    rows = "007,1,2,a\nx,3,4,b\n"
    head = "key,p,q,y\n"
    if suffix == ".arff":
        head = "@relation r\n@attribute key string\n@attribute p real\n@attribute q real\n"
        head += "@attribute y {a,b}\n@data\n"
    path = tmp_path / f"t{suffix}"
    path.write_text(head + rows)

    data = read_table(path, id_column="key")

    assert data.ids.tolist() == ["007", "x"]
    assert data.feature_names == ("p", "q")
    several = read_multitarget(path, targets=["p"], id_column="key", drop=["y"])
    assert several.ids.tolist() == ["007", "x"]
    with pytest.raises(ValueError, match="cannot be both target and id_column"):
        read_table(path, id_column="y")


def test_bags_have_ids(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("bag;x;y\nb2;1,5;0\nb1;2,5;1\nb2;3,5;0\n")

    data = read_bags(path)

    assert data.ids.tolist() == ["b2", "b1"]
    assert [bag.ravel().tolist() for bag in data.X] == [[1.5, 3.5], [2.5]]


def test_a_missing_name_can_be_nan(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("c,y\nred,0\n,1\nblue,0\nred,1\n")

    zeros = read_table(path, allow_nan=True)
    gaps = read_table(path, allow_nan=True, nominal_gaps="nan")

    assert zeros.X[1].tolist() == [0.0, 0.0]
    assert np.isnan(gaps.X[1]).all()
    assert not np.isnan(gaps.X[[0, 2, 3]]).any()
    with pytest.raises(ValueError, match="'nominal_gaps' option of read_table must be"):
        read_table(path, nominal_gaps="none")


def test_long_labels_of_libsvm_text_are_refused(tmp_path):
    path = tmp_path / "t.svm"
    path.write_text("1 1:1\n9007199254740993 1:2\n9007199254740992 1:3\n")
    with pytest.raises(DataFileError, match=r"t\.svm, line 2: the label '9007199254740993'"):
        read_table(path)
    # A real number is no id.
    path.write_text("1e20 1:1\n2.5 1:2\n")
    assert read_table(path).y.tolist() == [1e20, 2.5]


def test_hostile_workbooks_and_parquet_files(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("pyarrow")
    for name in ("t.xlsx", "t.parquet"):
        (tmp_path / name).write_bytes(b"nothing of the kind")
        with pytest.raises(DataFileError, match=r"this is not an? (Excel workbook|parquet file)"):
            read_table(tmp_path / name)
    (tmp_path / "old.xls").write_bytes(b"\xd0\xcf\x11\xe0" + bytes(100))
    with pytest.raises(DataFileError, match="Excel 97 to 2003"):
        read_table(tmp_path / "old.xls")
    book = openpyxl.Workbook()
    for i in range(3000):
        book.active.append([0, 0, 0, i % 2])
    book.save(tmp_path / "long.xlsx")
    with pytest.raises(DataFileError, match="longer than 10 kB"):
        read_table(tmp_path / "long.xlsx", max_bytes=10_000)
    assert read_table(tmp_path / "long.xlsx", max_bytes=1e9).n_samples == 3000


@pytest.mark.parametrize("first", ["0.123", "0.500"])
def test_a_group_of_digits_does_not_begin_with_zero(write, first):
    path = write("t.csv", f"a;b;y\n{first};5,5;x\n0.250;6,1;z\n")

    with pytest.raises(DataFileError, match=r"has a decimal comma and '0.* a decimal point"):
        read_table(path)


@pytest.mark.parametrize("delimiter", ["\t", ";", "|"])
def test_a_comma_that_may_stand_between_groups_is_refused(write, delimiter):
    lines = ["a-b-y", "999-5-x", "1,234-6-z", "2,500-7-x"]
    path = write("t.txt", "\n".join(lines).replace("-", delimiter) + "\n")

    with pytest.raises(DataFileError, match=r"comma in '1,234' may be .* decimal=',' or thousands"):
        read_table(path)
    assert read_table(path, decimal=",", drop=[1]).X[:2, 0].tolist() == [999.0, 1.234]
    assert read_table(path, thousands=",", drop=[1]).X[:2, 0].tolist() == [999.0, 1234.0]
    # One number shows what all commas are.
    lines.append("0,5-8-z")
    path = write("t.txt", "\n".join(lines).replace("-", delimiter) + "\n")
    assert read_table(path, drop=[1]).X[:2, 0].tolist() == [999.0, 1.234]


@pytest.mark.parametrize(
    ("cells", "advice"),
    [
        (['"1,234"', '"2,500"', '"3,250.5"'], "pass decimal=',' or thousands=','"),
        (["(5)", "(6)", "7"], "list the column in nominal_columns"),
        (["5%", "6 %", "7%"], "list the column in nominal_columns"),
        (["$5", "-$6", "7 \u20ac"], "list the column in nominal_columns"),
        (["\u22125", "\u22126", "7"], "list the column in nominal_columns"),
        (["5%", "6%", "unknown"], "list the column in nominal_columns"),
    ],
)
def test_numbers_as_people_write_them_do_not_become_names(write, cells, advice):
    rows = [f"{cell},{i},{'xz'[i % 2]}" for i, cell in enumerate(cells)]
    path = write("t.csv", "\n".join(["a,b,y", *rows]) + "\n")

    with pytest.raises(DataFileError, match=r"line 2: column 'a' holds numbers, got ") as caught:
        read_table(path)
    assert advice in str(caught.value)
    assert read_table(path, nominal_columns=["a"]).n_features == 4


def test_a_late_decimal_comma_is_refused(write, monkeypatch):
    from svmosaic.datasets.readers import table_builder

    late = "".join(f"{1 + i % 6},5;{i % 5};{'np'[i % 2]}\n" for i in range(30))
    path = write("t.csv", "a;b;y\n" + "0;1;n\n" * 20 + late)
    expected = r"column 'a' holds numbers, got '1,5'.*pass decimal=',' or thousands=','"
    with pytest.raises(DataFileError, match="line 22: " + expected):
        read_table(path)

    # Names at first, most of which turn out to be numbers.
    monkeypatch.setattr(table_builder, "_BATCH_CELLS", 9)
    path = write("t.csv", "a;b;y\n" + "k;1;n\nm;1;n\n" * 11 + late)
    with pytest.raises(DataFileError, match=expected):
        read_table(path)


def test_names_with_digits_stay_names(write):
    path = write("t.csv", "a,v,y\n20-30,1.2.3,x\n30-40,1.10.0,z\nA5,2.0.1,x\n<5,2.1.1,z\n")

    assert read_table(path).n_features == 8


def test_a_stream_refuses_numbers_as_people_write_them(write):
    path = write("t.csv", "a,b,y\n5%,1,x\n6%,2,z\n")

    with pytest.raises(DataFileError, match="line 2: column 'a' holds numbers, got '5%'"):
        FileStream(path)


@pytest.mark.parametrize("rows", [["1,9", "9,1"], ["1,5", "2", ",5"], ["1,5", "NA"]])
def test_one_column_of_decimal_commas_is_one_column(write, rows):
    path = write("t.csv", "\n".join(["a", *rows]) + "\n")

    data = read_table(path, target=None, allow_nan=True)

    assert data.feature_names == ("a",)
    assert data.X[0, 0] == float(rows[0].replace(",", "."))


def test_one_heading_over_two_cells_is_an_error(write):
    with pytest.raises(DataFileError, match="line 2: the row has 2 cells; expected 1"):
        read_table(write("t.csv", "a\n1.5,2\n2.5,3\n"), target=None)
    with pytest.raises(DataFileError, match="comma in '1,234' may be"):
        read_table(write("t.csv", "a\n1,234\n2,345\n"), target=None)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_delimiter_at_the_end_of_rows_shifts_nothing(write, delimiter):
    text = "a,b\n35,1,\n5,6,\n7,8\n"
    data = read_table(write("t.csv", text.replace(",", delimiter)), target=None)

    assert data.feature_names == ("a", "b")
    assert data.X.tolist() == [[35, 1], [5, 6], [7, 8]]
    late = "a,b\n" + "35,1,\n" * 30 + "35,1,2\n"
    with pytest.raises(DataFileError, match=r"line 32: the (cell '2' has no heading|row has 3)"):
        read_table(write("t.csv", late.replace(",", delimiter)), target=None)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("row", '"a" "b" "y"\n"37" 0.1 5 "p"\n"4" 0.2 6 "n"\n"k" 0.3 7 "p"\n'),
        ("x1", ",a,b,y\n37,0.1,5,p\n4,0.2,6,n\nk,0.3,7,p\n"),
    ],
)
def test_a_column_without_a_heading_identifies_the_rows(write, name, text):
    path = write("t.csv", text)

    data = read_table(path)

    assert data.feature_names == ("a", "b")
    assert data.ids.tolist() == ["37", "4", "k"]
    assert read_table(path, drop=[name]).ids is None
    assert read_table(path, id_column="b").feature_names == ("a",)
    assert read_table(path, nominal_columns=[name]).n_features == 5
    assert read_multitarget(path, targets=["b"], drop=["y"]).feature_names == ("a",)
    assert FileStream(path).read(0, 2)[0].tolist() == [[0.1, 5], [0.2, 6]]
    with pytest.raises(DataFileError, match="it may hold bag ids or row names"):
        read_bags(path)
    assert read_bags(path, bag="b").ids.tolist() == ["5", "6", "7"]


def test_a_workbook_with_an_index(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in ([None, "a", "y"], [7, 0.5, "p"], [3, 0.25, "n"]):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")

    data = read_table(tmp_path / "t.xlsx")

    assert data.feature_names == ("a",)
    assert data.ids.tolist() == ["7", "3"]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["5/1/24", "6/1/24"], "holds dates such as '5/1/24', whose years have two digits"),
        (["01.05.24", "02.05.24"], "holds dates such as '01.05.24', whose years have two"),
        (["2024-05-01", "2024-05-02", "unknown"], "holds dates such as '2024-05-01'"),
        (["2024-05-01", "2024-13-45"], "holds dates such as '2024-05-01'"),
        (["0000-00-00", "2024-05-02"], "holds dates such as"),
        (["25.05.2024", "05/25/2024"], "holds dates such as"),
        (["12:30", "13:30"], "holds times such as '12:30'"),
        (["1:30 pm", "2:05:10 PM", "noon"], "holds times such as"),
    ],
)
def test_dates_and_times_do_not_become_names(write, cells, expected):
    rows = [f"{cell},{i},{'xz'[i % 2]}" for i, cell in enumerate(cells)]
    path = write("t.csv", "\n".join(["d,a,y", *rows]) + "\n")

    with pytest.raises(DataFileError, match=f"column 'd' {expected}"):
        read_table(path)
    assert read_table(path, nominal_columns=["d"]).n_features == len(cells) + 1
    assert read_table(path, drop=["d"]).n_features == 1


def test_what_is_no_date_among_dates_is_named(write):
    path = write("t.csv", "d,a,y\n2024-05-01,1,x\n2024-05-02,2,z\nunknown,3,z\n")

    with pytest.raises(DataFileError, match=r"line 4: column 'd' holds dates .* got 'unknown'"):
        read_table(path, dates="ymd")


@pytest.mark.parametrize("delimiter", ["|", " "])
def test_commas_are_decimal_between_other_delimiters_without_a_header(write, delimiter):
    text = "1,5|2,5|x\n2,5|3,5|z\n".replace("|", delimiter)

    data = read_table(write("t.csv", text))

    assert data.X.tolist() == [[1.5, 2.5], [2.5, 3.5]]
    assert data.y.tolist() == ["x", "z"]


@pytest.mark.parametrize(
    ("text", "n_features"),
    [("1, 2, x\n3, 4, z\n", 2), ("a b,1,x\nc d,2,z\n", 3), ("a|b,1,x\nc|d,2,z\n", 3)],
)
def test_commas_separate_cells_where_they_are_not_decimal(write, text, n_features):
    data = read_table(write("t.csv", text))

    assert data.n_features == n_features
    assert data.y.tolist() == ["x", "z"]


def test_cells_under_an_empty_last_heading_are_no_target(write):
    path = write("t.csv", "a,b,y,\n1,2,x,5\n2,3,z,6\n")

    with pytest.raises(DataFileError, match="line 1: the last column, 4, has cells but no heading"):
        read_table(path)


def test_a_comment_line_is_named(write):
    path = write("t.csv", "# made by hand\na,b,y\n1,2,x\n2,3,z\n")
    with pytest.raises(DataFileError, match=r"line 1: .* comment lines are not read"):
        read_table(path)

    # A heading may begin with the sign.
    path = write("t.csv", "#a,b,y\n1,2,x\n2,3,z\n")
    assert read_table(path).feature_names == ("#a", "b")


@pytest.mark.parametrize("name", ["t.csv", "t.arff"])
def test_line_ends_of_carriage_returns_are_refused(write, name):
    path = write(name, "a,b,y\r1,1,x\r2,2,z\r")

    with pytest.raises(DataFileError, match="line 1: a carriage return within the line"):
        read_table(path)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("2019,2020,2021,y\n1.5,2,3,a\n2,1,7,b\n", ("2019", "2020", "2021")),
        ("land,2019,2020,y\nA,1.5,2,a\nB,2,1,b\n", ("land=A", "land=B", "2019", "2020")),
        ("2021;2020;2019;y\n1,5;2;3;a\n2,5;;7;b\n", ("2021", "2020", "2019")),
        ("2019,2020,y\n150000,2,a\n170000,1,b\n", ("2019", "2020")),
    ],
)
def test_years_over_other_numbers_name_columns(tmp_path, text, names):
    path = tmp_path / "t.csv"
    path.write_text(text)

    assert read_table(path, allow_nan=True).feature_names == names


@pytest.mark.parametrize(
    "text",
    ["2019,2020,2021\n2020,2021,2022\n2017,2018,2019\n", "1999,2000,a\n1950,2010,b\n"],
)
def test_years_over_years_are_data_with_a_warning(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text)

    with pytest.warns(UserWarning, match=r"t\.csv: the first row has the years .* header=True"):
        assert read_table(path).n_samples == text.count("\n")
    # Whoever says it gets no warning.
    assert read_table(path, header=False).n_samples == text.count("\n")
    assert read_table(path, header=True).n_samples == text.count("\n") - 1


def test_other_numbers_stay_data(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("2019,2021,1\n5,6,0\n7,9,1\n")

    assert read_table(path).n_samples == 3


def test_whole_numbers_of_parquet_and_excel_are_codes_as_in_text(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pytest.importorskip("openpyxl")
    frame = pandas.DataFrame({"code": [1.0, 2.5, 1.0], "y": ["a", "b", "a"]})
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_excel(tmp_path / "t.xlsx", index=False)

    for name in ("t.parquet", "t.xlsx"):
        data = read_table(tmp_path / name, nominal_columns=["code"])
        assert data.feature_names == ("code=1", "code=2.5")


def test_codes_agree_whatever_their_zeros():
    assert match_codes(
        ["code=1.0", "code=2", "code=03", "size", "v=1.0", "n=-4.00"],
        ["code=1", "code=2.0", "code=3", "size", "v=1.0", "v=1", "n=-4"],
    ) == ["code=1", "code=2.0", "code=03", "size", "v=1.0", "n=-4"]
    # What is there already is not there twice.
    assert match_codes(["code=1.0", "code=1"], ["code=1"]) == ["code=1.0", "code=1"]
