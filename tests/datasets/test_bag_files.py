"""Files of bags: relational ARFF, tables with bag ids, LIBSVM text."""

from __future__ import annotations

import re

import numpy as np
import pytest
import scipy.sparse as sp

from svmosaic.datasets import read_bags
from svmosaic.exceptions import DataFileError

HEAD = """@relation toy
@attribute id {m1, m2}
@attribute bag relational
  @attribute a numeric
  @attribute 'b c' real
@end bag
@attribute class {0, 1}
@data
"""
NAMED = HEAD.replace("'b c' real", "colour {red, blue}").replace("{0, 1}", "{musk, other}")


def _lists(data):
    bags = data.X
    return [(bag.toarray() if sp.issparse(bag) else bag).tolist() for bag in bags]


def test_relational_arff(write):
    data = read_bags(write("toy.arff", HEAD + 'm1,"1,2\\n3,4",1\nm2,"5,6",0\n'))

    assert _lists(data) == [[[1, 2], [3, 4]], [[5, 6]]]
    assert data.y.tolist() == [1, 0]
    assert data.y.dtype == np.int64
    assert data.feature_names == ("a", "b c")
    assert repr(data) == "Dataset(name='toy', n_samples=2, n_features=2, n_classes=2)"


def test_relational_arff_sparse(write):
    data = read_bags(write("toy.arff", HEAD + 'm1,"1,0\\n0,4",1\nm2,"0,0",0\n'), dense=False)

    assert sp.issparse(data.X.instances)
    assert data.X.instances.nnz == 2
    assert _lists(data) == [[[1, 0], [0, 4]], [[0, 0]]]


def test_names_inside_bags_and_as_labels(write):
    text = NAMED + 'm1,"1,red\\n3,blue",other\nm2,"5,red",musk\n'
    data = read_bags(write("toy.arff", text))
    ordinal = read_bags(write("toy.arff", text), nominal="ordinal")

    assert _lists(data) == [[[1, 1, 0], [3, 0, 1]], [[5, 1, 0]]]
    assert (data.y.tolist(), data.target_names) == (["other", "musk"], ("musk", "other"))
    assert _lists(ordinal) == [[[1, 0], [3, 1]], [[5, 0]]]


@pytest.mark.parametrize(
    "bag",
    [
        '"1,2,\\n3,4"',
        '"1,2\\n3,4,"',
        '"1,2,\\n3,4,\\n"',
        '"1,2 , \\n 3 , 4,  \\n\\n"',
        '"\\n1,2\\n\\n3,4\\n"',
        '"1,2\\r\\n3,4,\\r\\n"',
        "'1,2,\\n3,4,'",
        " '1,2\\n3,4' ",
        '"1,2,\\n3,4,{0.5}"',
    ],
)
def test_stray_commas_and_blank_rows_inside_bags(write, bag):
    data = read_bags(write("fox.arff", HEAD + f'm1,{bag},1\nm2,"5,6,",0\n'))

    assert _lists(data) == [[[1, 2], [3, 4]], [[5, 6]]]
    assert data.y.tolist() == [1, 0]


def test_stray_commas_after_names_inside_bags(write):
    text = NAMED + "m1,'1,red,\\n3,\\'blue\\',\\n',other\nm2,\"5,red , \",musk\n"
    data = read_bags(write("toy.arff", text), nominal="ordinal")

    assert _lists(data) == [[[1, 0], [3, 1]], [[5, 0]]]


def test_missing_values_and_weights(write):
    path = write("toy.arff", HEAD + 'm1,"1,?\\n3,4",1,{2.5}\nm2,"5,6",0\n')
    data = read_bags(path, allow_nan=True)

    assert np.isnan(data.X[0][0, 1])
    assert data.sample_weight.tolist() == [2.5, 1.0]
    with pytest.raises(DataFileError, match=r"toy.arff, line 9: column 'b c' has no value"):
        read_bags(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (HEAD + 'm1,"1,2\\n3",1\n', "line 9: an instance has 1 cells; expected 2"),
        (HEAD + 'm1,"1,",1\n', "line 9: an instance has 1 cells; expected 2"),
        (HEAD + 'm1,"1,2,,",1\n', "line 9: an instance has 3 cells; expected 2"),
        (HEAD + 'm1,",",1\n', "line 9: an instance has 1 cells; expected 2"),
        (HEAD + 'm1,"1,x",1\n', "line 9: column 'b c' holds numbers, got 'x'"),
        (HEAD + 'm1,"",1\n', "line 9: the bag is empty"),
        (HEAD + "m1,1,2,1\n", "line 9: the row has 4 cells; expected 3"),
        (HEAD + 'm1,"1,2",7\n', "'7' is not a declared value"),
        (HEAD, "no bags follow @data"),
        (HEAD.replace("@end bag\n", ""), "line 3: attribute 'bag' is not ended"),
        (
            HEAD.replace("  @attribute a numeric\n  @attribute 'b c' real\n", ""),
            "has no attributes",
        ),
        (
            HEAD.replace("a numeric", "a string") + 'm1,"1,2",1\n',
            "line 4: attribute 'a' is a string",
        ),
        (HEAD.replace("'b c'", "a") + 'm1,"1,2",1\n', "line 5: attribute 'a' was declared"),
        (HEAD.replace("{0, 1}", "string") + 'm1,"1,2",1\n', "the label 'class' is string"),
    ],
)
def test_malformed_relational_files_are_named(write, text, words):
    with pytest.raises(DataFileError, match=words):
        read_bags(write("toy.arff", text))


def test_a_bag_by_name_among_two(write):
    text = HEAD.replace(
        "@attribute class",
        "@attribute more relational\n@attribute z real\n@end more\n@attribute class",
    )
    path = write("toy.arff", text + 'm1,"1,2","9\\n8",1\n')

    assert _lists(read_bags(path, bag="more")) == [[[9], [8]]]
    assert _lists(read_bags(path, bag=1)) == [[[1, 2]]]
    with pytest.raises(DataFileError, match=r"line \d+: attribute 'more' is relational too, and"):
        read_bags(path)


def test_flat_csv(write):
    path = write("toy.csv", "bag,size,kind,class\nz,1,u,yes\na,2,v,no\nz,3,u,yes\n")
    data = read_bags(path)

    assert _lists(data) == [[[1, 1, 0], [3, 1, 0]], [[2, 0, 1]]]
    assert data.y.tolist() == ["yes", "no"]
    assert data.feature_names == ("size", "kind=u", "kind=v")


def test_columns_of_flat_files_are_free(write):
    path = write("toy.csv", "class,x,id\n1,0.5,7\n0,1.5,8\n1,2.5,7\n")
    data = read_bags(path, bag="id", target="class")

    assert _lists(data) == [[[0.5], [2.5]], [[1.5]]]
    assert data.y.tolist() == [1, 0]
    with pytest.raises(ValueError, match="cannot be one column"):
        read_bags(path, bag="id", target="id")


def test_flat_arff(write):
    text = "@relation r\n@attribute id {p,q}\n@attribute x real\n@attribute class {0,1}\n@data\n"
    data = read_bags(write("toy.arff", text + "q,1,1\np,2,0\nq,3,1\n"))

    assert _lists(data) == [[[1], [3]], [[2]]]
    assert data.y.tolist() == [1, 0]


def test_libsvm_with_query_ids_or_a_feature(write):
    by_query = read_bags(write("q.svm", "1 qid:5 1:2\n# comment\n-1 qid:6 2:3\n1 qid:5 2:1\n"))
    by_feature = read_bags(write("f.svm", "1 1:2 3:5\n-1 2:3 3:6\n1 2:1 3:5\n"), bag=3)

    for data in (by_query, by_feature):
        assert sp.issparse(data.X.instances)
        assert _lists(data) == [[[2, 0], [0, 1]], [[0, 3]]]
        assert data.y.tolist() == [1, -1]


def test_bad_flat_files_are_told(write):
    with pytest.raises(DataFileError, match="bag 'a' has instances with different labels"):
        read_bags(write("t.csv", "bag,x,class\na,1,0\na,2,1\n"))
    with pytest.raises(DataFileError, match=r"t.svm, line 2: the line has no bag id"):
        read_bags(write("t.svm", "1 qid:1 1:2\n1 1:3\n"))
    with pytest.raises(ValueError, match=r"'qid' or a feature from 1 to 2. Got 9"):
        read_bags(write("t.svm", "1 1:2\n1 2:3\n"), bag=9)
    with pytest.raises(ValueError, match="'n_features' option of read_bags does not apply to csv"):
        read_bags(write("t.csv", "bag,x,class\na,1,0\n"), n_features=3)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("bag,class\na,0\n", {}),
        ("bag,class\na,0\n", {"target": None, "bag": 0, "drop": ["class"]}),
        ("bag,x,class\na,1,0\n", {"drop": ["x"]}),
    ],
)
def test_a_table_without_features_is_told_in_words_of_bags(write, text, options):
    with pytest.raises(DataFileError, match="no feature columns are left beside the bag ids"):
        read_bags(write("t.csv", text), **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": 0}, "The bag ids and the labels of t.csv cannot be one column, 'bag'"),
        ({"target": "bag"}, "The bag ids and the labels of t.csv cannot be one column, 'bag'"),
        ({"bag": "class"}, "The bag ids and the labels of t.csv cannot be one column, 'class'"),
        ({"bag": -1, "target": "class"}, "cannot be one column, 'class'"),
        ({"bag": 7}, "t.csv has 3 columns; got column 7"),
        ({"drop": ["bag"]}, "The bag ids of t.csv are in column 'bag', which is also in drop"),
    ],
)
def test_columns_that_clash_are_named(write, options, message):
    path = write("t.csv", "bag,x,class\na,1,0\nb,2,1\n")

    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        read_bags(path, **options)

    assert "drop" in options or "drop" not in str(caught.value)


def test_a_relational_attribute_alone_has_no_label(write):
    head = "@relation r\n@attribute b relational\n@attribute a real\n@end b\n@data\n"

    with pytest.raises(DataFileError, match=r"line 2: the label 'b' is relational") as caught:
        read_bags(write("t.arff", head + "'1\\n2'\n"))

    assert "drop" not in str(caught.value)
    assert len(read_bags(write("t.arff", head + "'1\\n2'\n"), target=None).X) == 1


def test_columns_of_instances_can_be_dropped(write):
    arff = "@relation r\n@attribute b string\n@attribute when date\n@attribute x real\n"
    arff += "@attribute c {0,1}\n@data\nu,'2020',1,0\nv,'2021',2,1\nu,'2022',3,0\n"
    path = write("t.arff", arff)

    with pytest.raises(DataFileError, match=r"Leave it out with drop=\['when'\]"):
        read_bags(path)
    data = read_bags(path, drop=["when"])

    assert [bag.ravel().tolist() for bag in data.X] == [[1, 3], [2]]
    assert data.y.tolist() == [0, 1]
    named = read_bags(path, nominal_columns=["when"])
    assert named.feature_names == ("when=2020", "when=2021", "when=2022", "x")


def test_instances_do_not_depend_on_the_batches(write, monkeypatch):
    bags = [[(i * j % 7, j) for j in range(1 + i % 4)] for i in range(50)]
    rows = ["\\n".join(f"{a},{b}" for a, b in bag) for bag in bags]
    path = write("t.arff", HEAD + "".join(f"m1,'{row}',{i % 2}\n" for i, row in enumerate(rows)))

    for size in (1, 7, 10_000):
        monkeypatch.setattr("svmosaic.datasets.readers.arff_bags._BATCH_CELLS", size)
        for dense in (True, False):
            assert _lists(read_bags(path, dense=dense)) == [list(map(list, bag)) for bag in bags]
        assert read_bags(path).y.tolist() == [0, 1] * 25


def test_a_table_of_one_column_is_a_fault_of_the_file(tmp_path):
    path = tmp_path / "one.arff"
    path.write_text("@relation r\n@attribute class {0,1}\n@data\n0\n1\n")

    with pytest.raises(DataFileError, match="expected columns of bag ids, features and labels"):
        read_bags(path)


@pytest.mark.parametrize("ids", [("1.1", "1.10"), ("007", "7"), ("1e1", "10")])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_bag_ids_are_text(tmp_path, ids, suffix):
    path = tmp_path / f"t.{suffix}"
    if suffix == "csv":
        path.write_text(f"bag,f,y\n{ids[0]},1,0\n{ids[1]},2,1\n{ids[0]},3,0\n")
    else:
        arrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        columns = {"bag": [*ids, ids[0]], "f": [1.0, 2.0, 3.0], "y": [0, 1, 0]}
        parquet.write_table(arrow.table(columns), path)

    data = read_bags(path)

    assert data.ids.tolist() == list(ids)
    assert [bag.ravel().tolist() for bag in data.X] == [[1.0, 3.0], [2.0]]


def test_bag_ids_may_be_missing_nowhere(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("bag,f,y\n1,1,0\n,2,1\n")

    with pytest.raises(DataFileError, match=r"t\.csv, line 3: the target 'bag' has no value"):
        read_bags(path)
