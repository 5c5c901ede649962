"""Files with several targets: Mulan, MEKA, targets last."""

from __future__ import annotations

import numpy as np
import pytest

from svmosaic.datasets import read_multitarget
from svmosaic.datasets.readers.target_files import read_target_names
from svmosaic.exceptions import DataFileError

HEAD = "@relation {relation}\n@attribute a real\n@attribute b {{x, y}}\n@attribute c real\n"
TAIL = "@attribute d integer\n@data\n1, x, 3, 4\n5, y, ?, 8\n9, ?, 11, 12\n"
XML = """<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="d"/><label name="a"/></labels>"""


@pytest.fixture
def write(tmp_path):
    def write_file(text, name="toy.arff"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write_file


def toy(relation="toy"):
    return HEAD.format(relation=relation) + TAIL


def test_targets_last(write):
    data = read_multitarget(write(toy()), targets=1, allow_nan=True)

    assert data.y.tolist() == [[4.0], [8.0], [12.0]]
    assert data.feature_names == ("a", "b=x", "b=y", "c")
    np.testing.assert_array_equal(data.X, [[1, 1, 0, 3], [5, 0, 1, np.nan], [9, 0, 0, 11]])


def test_targets_by_name_or_number_keep_their_order(write):
    path = write(toy())

    by_name = read_multitarget(path, targets=["d", "a"], allow_nan=True)
    by_number = read_multitarget(path, targets=[-1, 0], allow_nan=True)

    assert by_name.target_names == by_number.target_names == ("d", "a")
    assert by_name.y.tolist() == [[4.0, 1.0], [8.0, 5.0], [12.0, 9.0]]


@pytest.mark.parametrize("nominal", ["onehot", "ordinal"])
def test_a_csv_file_has_targets_too(write, nominal):
    path = write("a,b,c,d\n1,x,3,4\n5,y,6,8\n9,x,11,12\n", "toy.csv")

    data = read_multitarget(path, targets=["d", "a"], nominal=nominal)

    assert data.target_names == ("d", "a")
    assert data.y.tolist() == [[4.0, 1.0], [8.0, 5.0], [12.0, 9.0]]
    assert data.X[:, -1].tolist() == [3.0, 6.0, 11.0]
    with pytest.raises(DataFileError, match="'b' has names for values"):
        read_multitarget(path, targets=["b", "c"], nominal=nominal)
    with pytest.raises(DataFileError, match="does not say which columns"):
        read_multitarget(path)


def test_columns_without_names_are_counted(write):
    data = read_multitarget(write("1,2,3\n4,5,6\n", "toy.csv"), targets=2)

    assert data.X.tolist() == [[1.0], [4.0]]
    assert data.target_names == ("x2", "x3")


def test_libsvm_text_has_one_target(write):
    with pytest.raises(DataFileError, match="libsvm files have one target"):
        read_multitarget(write("1 1:2 2:3\n", "toy.svm"), targets=1)


def test_xml_beside_the_file_or_by_path(write):
    path = write(toy())
    xml = write(XML, "toy.xml")

    beside = read_multitarget(path, allow_nan=True)
    by_path = read_multitarget(path, targets=xml, allow_nan=True)

    assert beside.target_names == by_path.target_names == ("a", "d")


@pytest.mark.parametrize(
    ("relation", "names"), [("'toy: -C 1'", ("a",)), ("'toy: -split 2 -C -1'", ("d",))]
)
def test_meka_says_it_in_the_relation(write, relation, names):
    assert read_multitarget(write(toy(relation)), allow_nan=True).target_names == names


@pytest.mark.parametrize(
    ("text", "targets", "message"),
    [
        (toy(), None, "does not say which columns are targets"),
        (toy(), 4, "expected 1 to 3 targets, got 4"),
        (toy(), 0, "expected 1 to 3 targets, got 0"),
        (toy(), 2, "'c' has no value in row 2"),
        (toy(), ["b"], "'b' has names for values; targets must be numeric"),
        (toy(), ["e"], "there is no column 'e'"),
        (toy(), ["a", "a"], "must name different columns"),
        (toy(), [9], "there is no column '9'"),
        (toy("'toy: -C 7'"), None, "-C 7 does not fit 4 attributes"),
    ],
)
def test_malformed_files_are_refused_with_a_sentence(write, text, targets, message):
    with pytest.raises(DataFileError, match=message):
        read_multitarget(write(text), targets=targets, allow_nan=True)


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        ("<labels>", "this is not XML"),
        ("<labels/>", "expected different <label name=...>"),
        ('<labels><label name="a"/><label name="a"/></labels>', "expected different"),
        ('<labels><label name="z"/></labels>', "'z' of the XML file is not a column"),
        ('<!DOCTYPE x [<!ENTITY e "e">]><labels/>', "has a document type"),
    ],
)
def test_malformed_xml_is_refused_with_a_sentence(write, xml, message):
    write(xml, "toy.xml")

    with pytest.raises(DataFileError, match=message):
        read_multitarget(write(toy()), allow_nan=True)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused_in_every_encoding(tmp_path, encoding):
    # Each entity is ten of the one before: a gigabyte of text.
    entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 10))
    text = f'<!DOCTYPE x [<!ENTITY e0 "ha">{entities}]><labels><label name="&e9;"/></labels>'
    path = tmp_path / "bomb.xml"
    path.write_text(f'<?xml version="1.0" encoding="{encoding}"?>{text}', encoding=encoding)

    with pytest.raises(DataFileError, match="has a document type"):
        read_target_names(path)


def test_a_file_of_another_encoding_is_read(tmp_path):
    path = tmp_path / "names.xml"
    head = '<?xml version="1.0" encoding="utf-16"?>'
    path.write_text(f'{head}<labels xmlns="urn:x"><label name="é"/></labels>', encoding="utf-16")

    assert read_target_names(path) == ("é",)


def test_missing_values_need_permission(write):
    with pytest.raises(DataFileError, match="allow_nan=True"):
        read_multitarget(write(toy()), targets=1)


@pytest.mark.parametrize(
    "encoding", ["nonsense", "hex", "rot13", "idna", "utf-7", "euc_jp", "big5", "cp037", "\u00e9"]
)
def test_an_encoding_that_cannot_be_read_is_a_fault_of_the_file(tmp_path, encoding):
    path = tmp_path / "names.xml"
    head = f'<?xml version="1.0" encoding="{encoding}"?>'
    path.write_text(f'{head}<labels><label name="a"/></labels>', encoding="utf-8")

    with pytest.raises(DataFileError, match=r"^names\.xml: this is not XML \(.*\)\. "):
        read_target_names(path)


def test_columns_can_be_dropped_and_read_as_names(write):
    data = read_multitarget(
        write(toy()), targets=1, drop=["c"], nominal_columns=["a"], allow_nan=True
    )

    assert data.feature_names == ("a=1", "a=5", "a=9", "b=x", "b=y")
    with pytest.raises(ValueError, match=r"The target 'd' of toy\.arff is also in drop"):
        read_multitarget(write(toy()), targets=1, drop=["d"], allow_nan=True)
