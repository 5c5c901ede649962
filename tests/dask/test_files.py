"""Files as partitions that workers read, and predictions for files of any length."""

from __future__ import annotations

import functools
import gzip
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.pipeline import Pipeline

from same_state import assert_same_state
from svmosaic import OLLAWVClassifier, SMORegressor
from svmosaic.dask import DaskOLLAWVClassifier, DaskSMORegressor
from svmosaic.dask.file_prediction import predict_file, predict_files
from svmosaic.dask.file_summaries import join, summarise
from svmosaic.dask.file_tables import FileOptions, iter_tables
from svmosaic.dask.files import list_files, read_files
from svmosaic.dask.scaling import scaling_steps
from svmosaic.datasets import read_table
from svmosaic.exceptions import DataFileError, DataNotFoundError
from svmosaic.preprocessing import preparation_steps

pytestmark = pytest.mark.dask

pytest.importorskip("distributed")
parquet = pytest.importorskip("pyarrow.parquet")
pyarrow = pytest.importorskip("pyarrow")

HEADER = "size,colour,class\n"


def _rows(n, colours, seed):
    rng = np.random.default_rng(seed)
    lines = []
    for i in range(n):
        label = i % 2
        size = rng.normal(1.0 + label, 0.4)
        lines.append(f"{size:.4f},{colours[i % len(colours)]},{('no', 'yes')[label]}")
    return lines


@pytest.fixture
def flowers(tmp_path):
    """Three CSV files with other colours each, and all of them as one."""
    folder = tmp_path / "flowers"
    folder.mkdir()
    parts = [_rows(30, ["red"], 0), _rows(41, ["blue", "red"], 1), _rows(22, ["green", "a b"], 2)]
    for number, lines in enumerate(parts):
        (folder / f"part-{number}.csv").write_text(HEADER + "\n".join(lines) + "\n")
    (folder / "_SUCCESS").write_text("")
    whole = tmp_path / "whole.csv"
    whole.write_text(HEADER + "\n".join(line for lines in parts for line in lines) + "\n")
    return folder, whole


@pytest.fixture
def words(tmp_path):
    """Two LIBSVM files, the wider one first, and both as one; sparse, with a constant feature."""
    rng = np.random.default_rng(3)
    folder = tmp_path / "words"
    folder.mkdir()
    parts = []
    for number, width in enumerate((40, 12)):
        lines = []
        for i in range(25 + number):
            at = np.sort(rng.choice(np.arange(2, width), 4, replace=False))
            pairs = " ".join(f"{j}:{rng.uniform(0.1, 3):.3f}" for j in at)
            lines.append(f"{i % 3 - 1} 1:7 {pairs}")
        text = "\n".join(lines) + "\n"
        with gzip.open(folder / f"{number}.svm.gz", "wt") as stream:
            stream.write(text)
        parts.append(text)
    whole = tmp_path / "whole.svm"
    whole.write_text("".join(parts))
    return folder, whole


def _summary(files, options=None, **words):
    words = {"is_regression": False, "with_moments": True, **words}
    parts = [summarise(str(path), options or FileOptions(), **words) for path in files]
    return functools.reduce(join, parts)


# Names --------------------------------------------------------------------------------------


def test_folders_patterns_and_files_are_listed(flowers):
    folder, whole = flowers

    found = list_files(
        [
            whole,
            folder,
        ]
    )
    matched = list_files(str(folder / "part-[01].csv"))

    assert [name.rpartition("/")[2] for name in found] == [
        "whole.csv",
        *(f"part-{k}.csv" for k in range(3)),
    ]
    assert matched == found[1:3]


def test_names_that_mean_nothing_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text("")
    (tmp_path / "empty").mkdir()

    for source, message in {
        "nothing.csv": "There is no file and no folder 'nothing.csv'",
        str(tmp_path / "b*"): "No file matches",
        str(tmp_path / "empty"): "has no files",
    }.items():
        with pytest.raises(DataNotFoundError, match=message):
            list_files(source)
    with pytest.raises(ValueError, match="is named twice"):
        list_files([tmp_path / "a.csv", str(tmp_path / "*.csv")])


# What files agree on ------------------------------------------------------------------------


def test_columns_and_classes_are_those_of_the_whole_file(flowers):
    folder, whole = flowers
    data = read_table(whole)

    summary = _summary(list_files(folder))

    assert summary.fault is None
    assert summary.names == data.feature_names
    assert summary.sizes == (30, 41, 22)
    labels, counts = np.unique(data.y, return_counts=True)
    assert summary.target.labels.tolist() == labels.tolist()
    assert summary.target.counts.tolist() == counts.tolist()


def test_the_widest_libsvm_file_decides_and_zeros_are_kept(words):
    folder, whole = words

    summary = _summary(list_files(folder))

    assert summary.n_features == read_table(whole).n_features
    assert summary.stays_sparse


@pytest.mark.parametrize("scale", ["minmax", "standard"])
@pytest.mark.parametrize("float32", [False, True])
@pytest.mark.parametrize("kind", ["flowers", "words"])
def test_steps_are_those_of_all_rows_together(request, kind, scale, float32):
    folder, whole = request.getfixturevalue(kind)
    X = read_table(whole).X
    X = X.astype(np.float32) if float32 else X

    steps = scaling_steps(scale, _summary(list_files(folder), float32=float32))

    expected = preparation_steps(scale, "none", X, hold=kind == "words")
    assert [name for name, _ in steps] == [name for name, _ in expected]
    for (_, step), (_, wanted) in zip(steps, expected, strict=True):
        wanted.fit(X)
        if scale == "minmax" or not hasattr(step, "var_"):
            assert_same_state(step, wanted)
        else:
            assert step.n_samples_seen_ == wanted.n_samples_seen_
            for name in ("mean_", "var_", "scale_"):
                # Single precision sums of scikit-learn are rounded to it.
                rtol = 1e-5 if float32 else 1e-12
                np.testing.assert_allclose(getattr(step, name), getattr(wanted, name), rtol=rtol)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("size,class\n1,no\n2,yes\n", "b.csv lacks the column 'colour' that a.csv has"),
        ("size,colour,form,class\n1,red,x,no\n", "a.csv lacks the column 'form' that b.csv has"),
        ("size,colour,class\n1,2,no\n", "'colour' holds numbers in b.csv and names in a.csv"),
        ("size,colour,class\n1,red,1\n", "targets are numbers in b.csv and names in a.csv"),
        ("size,colour,class\n1,red,no\n,red,no\n", "b.csv, line 3: column 'size' has no value"),
        ("1 1:2\n0 1:3\n", "a.csv is read as csv and b.svm as libsvm"),
    ],
)
def test_files_that_do_not_belong_together(tmp_path, text, message):
    name = "b.svm" if ":" in text else "b.csv"
    (tmp_path / "a.csv").write_text(HEADER + "1,red,no\n2,blue,yes\n")
    (tmp_path / name).write_text(text)

    summary = _summary(list_files(tmp_path))

    assert message in summary.fault
    assert summary.n_faults == 1


def test_columns_may_come_in_another_order(tmp_path):
    (tmp_path / "a.csv").write_text("size,colour,class\n1,red,no\n2,blue,yes\n")
    (tmp_path / "b.csv").write_text("colour,size,class\ngreen,5,no\n")

    summary = _summary(list_files(tmp_path))

    assert summary.names == ("size", "colour=blue", "colour=green", "colour=red")
    np.testing.assert_array_equal(summary.moments.high, [5, 1, 1, 1])
    np.testing.assert_allclose(summary.moments.mean, [8 / 3, 1 / 3, 1 / 3, 1 / 3])


# Blocks of a file ---------------------------------------------------------------------------


@pytest.mark.parametrize("header", [HEADER, ""])
def test_blocks_of_csv_are_the_whole_file(tmp_path, header):
    path = tmp_path / "a.csv"
    # The first lines that decide how a table is written are more than one block.
    path.write_text(header + "\n\n".join(_rows(60, ["red", "3", "blue"], 0)) + "\n")
    whole = read_table(path)

    blocks = list(iter_tables(path, FileOptions(), 25))

    assert [block.n_samples for block in blocks][1:-1] == [25]
    assert sum(block.n_samples for block in blocks) == 60
    y = np.concatenate([block.y for block in blocks])
    assert y.tolist() == whole.y.tolist()
    size = np.concatenate([block.X[:, 0] for block in blocks])
    np.testing.assert_array_equal(size, whole.X[:, 0])


def test_blocks_of_libsvm_and_arff_are_the_whole_file(words, tmp_path):
    _, source = words
    source.write_text("# a comment\n" + source.read_text())
    arff = tmp_path / "a.arff"
    arff.write_text(
        "@relation a\n@attribute x numeric\n@attribute c {no, yes}\n% a comment\n@data\n"
        + "\n".join(f"{i}.5,{('no', 'yes')[i % 2]}" for i in range(11))
    )
    for path, width in ((source, 50), (arff, None)):
        options = {} if width is None else {"n_features": width}
        whole = read_table(path, **options)

        blocks = list(iter_tables(path, FileOptions(), 4, n_features=width))

        assert len(blocks) == -(-whole.n_samples // 4)
        X = sp.vstack([sp.csr_array(block.X) for block in blocks])
        np.testing.assert_array_equal(X.toarray(), sp.csr_array(whole.X).toarray())
        assert np.concatenate([block.y for block in blocks]).tolist() == whole.y.tolist()


def test_errors_name_the_line_of_the_whole_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(HEADER + "\n".join(_rows(70, ["red"], 0)) + "\n\nx,red,no\n")

    with pytest.raises(DataFileError, match=r"^a\.csv, line 73: column 'size' holds numbers"):
        list(iter_tables(path, FileOptions(), 25))


# On a cluster -------------------------------------------------------------------------------


def test_workers_read_what_the_local_reader_reads(client, flowers, words):
    for folder, whole in (flowers, words):
        data = read_table(whole)

        table = read_files(folder, client=client)

        assert table.feature_names == data.feature_names
        assert table.X.chunks[0] == table.summary.sizes
        blocks = client.gather(client.compute(list(table.X.to_delayed().ravel())))
        X = np.concatenate([b.toarray() if sp.issparse(b) else b for b in blocks])
        np.testing.assert_array_equal(X, data.X.toarray() if sp.issparse(data.X) else data.X)
        assert table.y.compute().tolist() == data.y.tolist()


def test_a_model_of_files_is_that_of_the_whole_file(client, flowers, words):
    for folder, whole in (flowers, words):
        data = read_table(whole)
        expected = OLLAWVClassifier(C=10.0, tol=1e-6).fit(data.X, data.y)

        table = read_files(folder, client=client)
        model = DaskOLLAWVClassifier(C=10.0, tol=1e-6)
        model.client = client
        local = model.fit(table.X, table.y).to_local()

        np.testing.assert_allclose(
            local.decision_function(data.X), expected.decision_function(data.X), atol=1e-4
        )


def test_parquet_is_read_as_csv_is(client, flowers, tmp_path):
    folder, whole = flowers
    out = tmp_path / "parquet"
    out.mkdir()
    for path in list_files(folder):
        lines = Path(path).read_text().splitlines()[1:]
        size, colour, label = zip(*(line.split(",") for line in lines), strict=True)
        columns = {
            "size": [float(value) for value in size],
            "label": pyarrow.array(label).dictionary_encode(),
            "colour": list(colour),
        }
        parquet.write_table(pyarrow.table(columns), out / f"{path[-5]}.parquet")
    data = read_table(whole)

    table = read_files(out, target="label", client=client)

    assert table.feature_names == data.feature_names
    np.testing.assert_array_equal(table.X.compute(), data.X)
    assert table.y.compute().tolist() == data.y.tolist()


def test_the_index_of_pandas_is_neither_feature_nor_target(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"size": [1.0, 2.0, 3.0], "flag": [True, False, True], "y": [0, 1, 1]})
    frames = {
        "named": frame.set_index(pandas.Index(["p", "q", "r"], name="who")),
        "nameless": frame.set_index(pandas.Index(["p", "q", "r"])),
        "plain": frame,
    }

    for name, one in frames.items():
        path = tmp_path / f"{name}.parquet"
        one.to_parquet(path)
        summary = _summary([path])
        (block,) = iter_tables(path, FileOptions(), 10)
        local = read_table(path)

        assert summary.names == block.feature_names == local.feature_names
        assert summary.names == ("size", "flag=False", "flag=True")
        assert block.y.tolist() == summary.target.labels[[0, 1, 1]].tolist() == [0, 1, 1]
        assert summary.ids == (("who",) if name == "named" else ())


def test_files_are_read_as_the_options_say(tmp_path):
    text = "who;size;code;when;note;y\n" + "".join(
        f"p{i};{i},5;{i % 2};{i + 1}.2.2024;ä;{'ab'[i % 2]}\n" for i in range(24)
    )
    path = tmp_path / "export.csv"
    path.write_bytes(text.encode("cp1252"))
    reading = {
        **{"encoding": "cp1252", "drop": ["note"], "id_column": 0, "dates": "dmy"},
        "nominal_columns": ["code"],
    }
    options, local = FileOptions(reading=reading), read_table(path, **reading)

    summary = _summary([path], options)
    blocks = list(iter_tables(path, options, 10))

    assert summary.names == local.feature_names == ("size", "code=0", "code=1", "when")
    assert (summary.ids, summary.date_columns, summary.decimal) == (("who",), ("when",), ",")
    np.testing.assert_array_equal(np.vstack([block.X for block in blocks]), local.X)
    fault = _summary([path], FileOptions(reading={"n_columns": 1})).fault
    assert "n_columns" in fault


def test_a_model_knows_how_new_files_are_read(tmp_path):
    text = "who;size;code;when;note;y\n" + "".join(
        f"p{i};{i},5;{i % 2};{i + 1}.2.2024;1:30;{'ab'[i % 2]}\n" for i in range(24)
    )
    path = tmp_path / "new.csv"
    path.write_text(text)
    data = read_table(path, drop=["who", "note"], dates="dmy", nominal_columns=["code"])
    model = OLLAWVClassifier().fit(data.X, data.y)
    expected = model.predict(data.X).tolist()
    model.feature_names_in_ = np.array(data.feature_names, dtype=object)
    model.column_roles_in_ = {"dmy": ["when"], "decimal": [","]}

    done = predict_file(
        str(path), str(tmp_path / "out.parquet"), model, FileOptions(), decision=False
    )

    found = parquet.read_table(done.path).column("prediction").to_pylist()
    assert (done.n_rows, found) == (24, expected)
    options = FileOptions(reading={"drop": ["note", "code"]})
    fault = predict_file(str(path), str(tmp_path / "p.parquet"), model, options, decision=False)
    assert fault == "new.csv: the model was trained on the column 'code'. Do not drop it."


def test_regression_on_parquet(client, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (60, 2))
    y = np.sin(3 * X[:, 0]) + X[:, 1]
    for k in range(2):
        part = slice(30 * k, 30 * k + 30)
        columns = {"a": X[part, 0], "b": X[part, 1].astype(np.float32), "y": y[part]}
        parquet.write_table(pyarrow.table(columns), tmp_path / f"{k}.parquet")
    X[:, 1] = X[:, 1].astype(np.float32)
    expected = SMORegressor(C=10.0, tol=1e-6).fit(X, y)

    table = read_files(tmp_path, is_regression=True, client=client)
    model = DaskSMORegressor(C=10.0, tol=1e-6)
    model.client = client
    model.fit(table.X, table.y)

    np.testing.assert_allclose(model.to_local().predict(X), expected.predict(X), atol=1e-4)


def test_faults_of_files_reach_the_caller(client, flowers):
    folder, _ = flowers
    (folder / "part-1.csv").write_text(HEADER + "1,red,no\nx,red,no\n")

    with pytest.raises(DataFileError, match=r"part-1\.csv, line 3: column 'size' holds numbers"):
        read_files(folder, client=client)


def test_predictions_go_to_one_parquet_file_each(client, flowers, tmp_path):
    folder, whole = flowers
    data = read_table(whole)
    steps = preparation_steps("minmax", "none", data.X, hold=False)
    model = Pipeline([*steps, ("model", OLLAWVClassifier(n_jobs=-1))]).fit(data.X, data.y)
    model.steps[0][1].feature_names_in_ = np.array(data.feature_names, dtype=object)
    # Without labels, and with a column that the model does not know.
    lines = (folder / "part-2.csv").read_text().splitlines()
    extra = ["age," + line.rpartition(",")[0] for line in lines[:1]]
    extra += ["7," + line.rpartition(",")[0] for line in lines[1:]]
    (folder / "part-2.csv").write_text("\n".join(extra) + "\n")

    done = predict_files(model, folder, tmp_path / "out", decision=True, client=client)

    tables = [parquet.read_table(one.path) for one in done]
    found = [value for table in tables for value in table["prediction"].to_pylist()]
    decision = np.concatenate([table["decision"].to_numpy() for table in tables])
    for step in (model, model.steps[0][1]):
        vars(step).pop("feature_names_in_", None)
    assert found == model.predict(data.X).tolist()
    np.testing.assert_allclose(decision, model.decision_function(data.X), rtol=1e-12)
    assert [one.n_rows for one in done] == [30, 41, 22]
    right = int(np.sum(model.predict(data.X)[:30] == data.y[:30]))
    assert [one.n_right for one in done] == [right, done[1].n_right, None]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        f"part-{k}.csv.parquet" for k in range(3)
    ]


def test_a_folder_with_files_is_not_written_to(flowers):
    folder, whole = flowers
    data = read_table(whole)
    model = OLLAWVClassifier().fit(data.X, data.y)

    with pytest.raises(FileExistsError, match="is not empty, and nothing in it is overwritten"):
        predict_files(model, folder, folder)
    with pytest.raises(NotADirectoryError, match="is not a folder"):
        predict_files(model, folder, whole)
    with pytest.raises(FileNotFoundError, match="does not exist"):
        predict_files(model, folder, folder / "a" / "b")


def test_a_file_of_other_columns_leaves_no_output(flowers, tmp_path):
    _, whole = flowers
    data = read_table(whole)
    model = OLLAWVClassifier().fit(data.X, data.y)
    model.feature_names_in_ = np.array(data.feature_names, dtype=object)
    (tmp_path / "b.csv").write_text("colour,class\nred,no\nblue,yes\n")
    output = tmp_path / "b.parquet"

    fault = predict_file(str(tmp_path / "b.csv"), str(output), model, FileOptions(), decision=False)

    assert fault == (
        "b.csv: the column 'size' is not there, which the model was trained on. Use data with the "
        "same columns."
    )
    assert not output.exists()


def test_names_in_a_column_of_numbers_leave_no_output(flowers, tmp_path):
    _, whole = flowers
    data = read_table(whole)
    model = OLLAWVClassifier().fit(data.X, data.y)
    model.feature_names_in_ = np.array(data.feature_names, dtype=object)
    path = tmp_path / "names.csv"
    path.write_text("size,colour\nlow,red\nhigh,red\nlow,red\n")

    output = tmp_path / "out.parquet"

    fault = predict_file(str(path), str(output), model, FileOptions(), decision=False)

    assert fault == "names.csv, line 2: column 'size' holds numbers, got 'low'. Correct the cell."
    assert not output.exists()
