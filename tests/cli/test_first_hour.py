"""The first hour with the command line: what people type, and what they get.

Each case is a line, its exit code, and parts of what it shows and says. The files are made
here; the models are trained once.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import shlex
from dataclasses import dataclass

import numpy as np
import pytest

from svmosaic.cli.main import main
from written_tables import DIALECTS, make_rows


@dataclass(frozen=True)
class Case:
    """A line, and what it must give."""

    line: str
    code: int = 0
    out: tuple[str, ...] = ()
    err: tuple[str, ...] = ()
    quiet: bool = False  # nothing at all on the error stream


def fine(line, *out, err=(), quiet=False):
    return Case(line, 0, out, (err,) if isinstance(err, str) else err, quiet)


def wrong(line, *err, code=1):
    return Case(line, code, (), err)


# Files ----------------------------------------------------------------------------------------


def _write_tables(folder):
    """Rows with two classes: red and small means yes."""
    rng = np.random.default_rng(0)
    lines, rows = ["key,size,colour,code,day,class"], []
    for i in range(40):
        yes = i % 2 == 0
        size = rng.normal(1.0 if yes else 2.0, 0.1)
        colour = "red" if yes else ("blue", "green")[i % 4 // 2]
        rows.append((size, colour, 7 + i % 3, f"{i % 28 + 1:02d}/02/2024", "yes" if yes else "no"))
        lines.append(f"k{i},{size:.4f},{colour},{rows[-1][2]},{rows[-1][3]},{rows[-1][4]}")
    (folder / "full.csv").write_text("\n".join(lines) + "\n")
    plain = ["size,colour,class", *(f"{s:.4f},{c},{y}" for s, c, _, _, y in rows)]
    (folder / "plain.csv").write_text("\n".join(plain) + "\n")
    (folder / "plain.csv.gz").write_bytes(gzip.compress((folder / "plain.csv").read_bytes()))
    (folder / "noname.csv").write_text("\n".join(plain[1:]) + "\n")
    (folder / "new.csv").write_text("colour,size\nred,1.0\nblue,2.0\n")
    (folder / "more.csv").write_text("note,colour,size,class\na,red,1.0,yes\nb,blue,2.0,no\n")
    (folder / "black.csv").write_text("size,colour\n1.0,red\n2.0,black\n")
    (folder / "short.csv").write_text("colour\nred\n")
    (folder / "text.csv").write_text("size,colour\nsmall,red\n2.0,blue\n")
    (folder / "gaps.csv").write_text(
        "size,colour,class\n"
        + "".join(
            f"{'' if i == 3 else s},{'NA' if i == 6 else c},{y}\n"
            for i, (s, c, _, _, y) in enumerate(rows)
        )
    )
    (folder / "empty.csv").write_text("")
    (folder / "head.csv").write_text("a,b,c\n")
    (folder / "ragged.csv").write_text("a,b,y\n1,2,x\n3,4\n5,6,z\n")
    (folder / "twice.csv").write_text("a,a,y\n1,2,x\n3,4,z\n")
    (folder / "one.csv").write_text("a,y\n" + "".join(f"{i / 7},same\n" for i in range(12)))
    (folder / "infinite.csv").write_text("a,y\n1,x\ninf,z\n3,x\n")
    (folder / "mixed.csv").write_text("a;y\n1,5;x\n2.25;z\n3,5;x\n")
    (folder / "latin.csv").write_bytes("größe,y\n1,ä\n2,b\n3,ä\n4,b\n".encode("latin-1"))
    (folder / "piped.txt").write_text("a|b|y\n" + "".join(f"{i}|{-i}|{i % 2}\n" for i in range(20)))
    (folder / "binary.csv").write_bytes(bytes(range(256)))
    (folder / "years.csv").write_text(
        "2023,2024,y\n" + "".join(f"{i % 5}.5,{i % 2},{'ab'[i % 2]}\n" for i in range(20))
    )
    (folder / "price.csv").write_text(
        "area,rooms,price\n" + "".join(f"{i}.5,{i % 3},{3 * i + i % 3}\n" for i in range(40))
    )
    (folder / "flats.csv").write_text(
        "area,side,price,rent\n"
        + "".join(f"{i}.5,{'ns'[i % 2]},{3 * i},{i / 5}\n" for i in range(30))
    )
    rows = "".join(f"{i % 5}.5;{i % 2};{'ab'[i % 2]};;\r\n" for i in range(12))
    (folder / "spreadsheet.csv").write_text(f"p;q;y;;\r\n{rows};;;;\r\n;;;;\r\n")
    (folder / "two.svm").write_text(
        "".join(f"{i % 2} {1 + i % 2}:{1 + i / 50} 4:0.5\n" for i in range(30))
    )
    (folder / "toy.arff").write_text(
        "@relation toy\n@attribute a real\n@attribute c {x,y}\n@attribute label {no,yes}\n@data\n"
        + "".join(f"{i % 2 + i / 99},{'xy'[i % 2]},{('no', 'yes')[i % 2]}\n" for i in range(20))
    )
    for name in ("excel German, UTF-8", "excel German, ANSI", "excel Unicode text", "R write.csv2"):
        DIALECTS[name][0](folder / f"{name.split()[1].strip(',')}-{name[-4:]}.csv", make_rows())


def _write_bags(folder):
    rng = np.random.default_rng(1)
    lines = ["molecule,x,z,class"]
    for number in range(20):
        active = number % 2
        for i in range(3):
            x, z = rng.normal(size=2) + 5 * active * (i == 0)
            lines.append(f"m{number},{x:.4f},{z:.4f},{'active' if active else 'dull'}")
    (folder / "bags.csv").write_text("\n".join(lines) + "\n")
    cells = [line.split(",") for line in lines]
    moved = "".join(f"{z},{y},note,{m},{x}\n" for m, x, z, y in cells[1:])
    (folder / "moved.csv").write_text("z,class,remark,molecule,x\n" + moved)
    plain = "".join(f"{x},{m},{z}\n" for m, x, z, _ in cells[1:])
    (folder / "unlabelled.csv").write_text("x,molecule,z\n" + plain)


MODELS = (
    "train plain.csv -o rows.model",
    "train full.csv -o full.model --id key --dates dmy --categorical code",
    "train price.csv -o price.model --method smo-regression --C 100",
    "train flats.csv -o flats.model --method svrcc --targets price,rent --set Cs=[10.0]",
    "train bags.csv -o bags.model --method mirsvm --set positive=active --C 10",
    "train gaps.csv -o gaps.model --impute most_frequent",
    "train sklearn-iris -o iris.model",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with all files and models."""
    folder = tmp_path_factory.mktemp("hour")
    _write_tables(folder)
    _write_bags(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for line in MODELS:
            assert main(shlex.split(line)) == 0, line
    return folder


# Lines ----------------------------------------------------------------------------------------

TRAINING = (
    fine("train plain.csv -o m", "rows               40", "training accuracy  1.0000", quiet=True),
    fine("train plain.csv.gz -o m", "classes            2 (no: 20, yes: 20)", quiet=True),
    fine("train plain.csv -o m --cv 5", "5-fold accuracy    1.0000 (deviation 0.0000"),
    fine("train plain.csv -o m --target class --test plain.csv", "test accuracy      1.0000"),
    fine("train noname.csv -o m --no-header", "features           4"),
    fine("train noname.csv -o m", "rows               40"),
    fine("train plain.csv -o m --header", "rows               40"),
    fine("train plain.csv -o m --drop size", "left out           size", "features           3"),
    fine("train plain.csv -o m --drop 0", "left out           size"),
    fine("train full.csv -o m --drop key,day", "left out           key, day"),
    fine("train full.csv -o m --drop key --drop day", "left out           key, day"),
    fine("train full.csv -o m --id key --drop day", "ids                key"),
    fine("train full.csv -o m --id key --dates dmy", "dates              day (dmy)"),
    fine(
        "train full.csv -o m --drop day",
        err="the column 'key' has 40 different names in 40 rows. It seems to identify rows",
    ),
    fine("train full.csv -o m --id key --drop day --categorical code", "features           7"),
    fine("train full.csv -o m --id key --drop day --numeric code,size", "features           5"),
    fine("train full.csv -o m --id key --categorical day", "rows               40"),
    fine("train years.csv -o m --header --drop 2023", "left out           2023"),
    fine("train piped.txt -o m", "rows               20"),
    fine("train piped.txt -o m --delimiter |", "features           2"),
    fine("train German-TF-8.csv -o m", "classes            2 (ja: 24, nein: 24)", quiet=True),
    fine("train German-ANSI.csv -o m --encoding cp1252", "rows               48", quiet=True),
    fine("train Unicode-text.csv -o m", "features           5", quiet=True),
    fine("train write.csv2-csv2.csv -o m --decimal ,", "features           5", quiet=True),
    fine("train latin.csv -o m --encoding latin-1", "rows               4"),
    fine("train gaps.csv -o m --impute mean", "gaps "),
    fine("train two.svm -o m", "rows               30"),
    fine("train toy.arff -o m", "classes            2 (no: 10, yes: 10)"),
    fine("train sklearn-wine -o m --scale standard", "scaling            mean 0, deviation 1"),
    fine("train price.csv -o m --method smo-regression --cv 3", "3-fold R2"),
    fine("train plain.csv -o m --method online-svm --seed 3", "rows               40"),
    fine("train bags.csv -o m --method mirsvm", "positive class     dull: one such instance"),
    fine("train bags.csv -o m --method mirsvm --set positive=active --C 10", "bag ids "),
    fine(
        "train moved.csv -o m --method mirsvm --bag molecule --target class --drop remark", "bags"
    ),
    fine("train flats.csv -o m --method svrcc --targets 2 --set Cs=[1.0]", "targets            2:"),
    fine("train bags.csv -o m --method mirsvm --C 10 --cv 3", "3-fold accuracy"),
    wrong("train nothing.csv -o m", "There is no file and no data set 'nothing.csv'"),
    wrong("train plain.cvs -o m", "Did you mean 'plain.csv"),
    wrong("train plain.csv", "required: -o/--output", code=2),
    wrong("train plain.csv -o m --taget class", "Did you mean --target", code=2),
    wrong("train plain.csv -o m --target klass", "--target: plain.csv has no column 'klass'"),
    wrong("train plain.csv -o m --target 9", "--target: plain.csv has 3 columns; got column 9"),
    wrong("train plain.csv -o m --drop weight", "--drop: plain.csv has no column 'weight'"),
    wrong("train plain.csv -o m --id nr", "--id: plain.csv has no column 'nr'"),
    wrong("train plain.csv -o m --numeric colour", "column 'colour' holds numbers, got 'red'"),
    wrong("train plain.csv -o m --drop class", "'class' of plain.csv is also in --drop"),
    wrong("train plain.csv -o m --id class", "cannot be both --target and --id"),
    wrong(
        "train plain.csv -o m --numeric size --categorical size",
        "in --categorical and in --numeric",
    ),
    wrong("train plain.csv -o m --drop size,colour", "Check --delimiter, --target and --drop"),
    wrong("train full.csv -o m --id key", "holds dates such as '01/02/2024'. Pass --dates ymd"),
    wrong("train full.csv -o m --id key --dates mdy", "holds dates in the order mdy, got '13/02"),
    wrong("train full.csv -o m --dates soon", "invalid choice", code=2),
    wrong("train latin.csv -o m", "is not UTF-8", "--encoding cp1252"),
    wrong("train latin.csv -o m --encoding klingon", "no character encoding 'klingon'", code=2),
    wrong("train latin.csv -o m --encoding ascii", "is not ascii. Pass another --encoding"),
    wrong("train mixed.csv -o m", "a decimal comma and '2.25' a decimal point. Pass --decimal"),
    wrong("train mixed.csv -o m --decimal ;", "invalid choice", code=2),
    wrong("train plain.csv -o m --delimiter ab", "expected one character", code=2),
    wrong("train empty.csv -o m", "the file is empty"),
    wrong("train head.csv -o m", "the table has no rows"),
    wrong("train ragged.csv -o m", "ragged.csv, line 3: the row has 2 cells; expected 3"),
    wrong("train twice.csv -o m", "columns 1 and 2 are both called 'a'", "--no-header"),
    wrong("train one.csv -o m", "class"),
    wrong("train infinite.csv -o m", "is not finite", "--impute mean"),
    wrong("train gaps.csv -o m", "has no value", "train with --impute mean"),
    wrong("train binary.csv -o m", "binary.csv, line 1:"),
    wrong("train two.svm -o m --drop 1", "--drop does not apply to libsvm files"),
    wrong("train two.svm -o m --delimiter ,", "--delimiter does not apply to libsvm files"),
    wrong("train toy.arff -o m --no-header", "--header does not apply to arff files"),
    wrong("train sklearn-iris -o m --drop 0", "--drop is for files"),
    wrong("train plain.csv -o m --cv 1", "at least 2 folds", code=2),
    wrong("train plain.csv -o m --cv 30", "has 20 samples, too few for 30 folds"),
    wrong("train plain.csv -o m --seed 1", "The method ollawv has no --seed"),
    wrong("train plain.csv -o m --seed x", "expected a whole number", code=2),
    wrong("train bags.csv -o m --method mirsvm --id x", "Name their ids with --bag"),
    wrong("train bags.csv -o m --method mirsvm --bag mol", "--bag: bags.csv has no column 'mol'"),
    wrong("train bags.csv -o m --method mirsvm --set positive=none", "Use one of: active, dull"),
    wrong("train flats.csv -o m --method svrcc --targets prize", "--targets: flats.csv has no"),
    wrong("train flats.csv -o m --method svrcc", "Name them with --targets"),
    wrong("train plain.csv -o m --method smo-regression", "Regression needs numbers"),
    wrong(
        "train price.csv -o m --target area", "has fractions, such as 0.5, which are not classes"
    ),
    fine("train price.csv -o m", err="has 40 different numbers in 40 rows. For numbers use"),
    fine("train spreadsheet.csv -o m", "rows               12", "features           2", quiet=True),
    wrong("train plain.csv plain.csv -o m", "Expected one data file, got 2"),
    wrong("train plain.csv -o plain.csv", "is the same file as the input"),
)

PREDICTING = (
    fine("predict rows.model new.csv", "row,prediction\n1,yes\n2,no\n", quiet=True),
    fine("predict rows.model plain.csv", "40,no\n", err=("accuracy 1.0000", "precision  recall")),
    fine("predict rows.model plain.csv", err="label \\ predicted  no  yes"),
    fine("predict rows.model plain.csv --target none", "1,yes\n", quiet=True),
    fine("predict rows.model new.csv --decision", "row,prediction,decision_yes\n"),
    fine("predict rows.model new.csv --output-format labels", "yes\nno\n", quiet=True),
    fine("predict rows.model new.csv --output-format jsonl", '{"row": 1, "prediction": "yes"}'),
    fine("predict rows.model more.csv", "1,yes\n2,no\n", err="the column 'note' unknown"),
    fine("predict rows.model more.csv --drop note", "1,yes\n2,no\n"),
    fine("predict rows.model more.csv --id note", "note,prediction\na,yes\nb,no\n"),
    fine("predict rows.model black.csv", "2,no", err="'colour=black' unknown to the model"),
    fine("predict full.model full.csv", "key,prediction\nk0,yes\n", err="accuracy 1.0000"),
    fine("predict full.model full.csv --target none", "key,prediction\nk0,yes\n", quiet=True),
    fine("predict gaps.model gaps.csv", "row,prediction", err="accuracy"),
    fine("predict price.model price.csv", "row,prediction\n", err="R2 0.9"),
    fine("predict flats.model flats.csv", "row,price,rent\n", err="mean R2"),
    fine("predict iris.model sklearn-iris --decision", "decision_0,decision_1,decision_2"),
    fine(
        "predict bags.model bags.csv", "molecule,prediction\nm0,dull\nm1,active\n", err="accuracy"
    ),
    fine("predict bags.model moved.csv", "molecule,prediction\nm0,dull\n", err="'remark' unknown"),
    fine(
        "predict bags.model unlabelled.csv", "molecule,prediction\nm0,dull\nm1,active\n", quiet=True
    ),
    fine("predict bags.model bags.csv --instances", "molecule,prediction,instance,score_dull\nm0,"),
    fine("predict bags.model bags.csv --decision", "molecule,prediction,decision_dull\n"),
    wrong("predict rows.model short.csv", "lacks the column 'size'"),
    wrong(
        "predict rows.model text.csv", "text.csv, line 2: column 'size' holds numbers, got 'small'"
    ),
    wrong("predict rows.model new.csv --proba", "rows.model has no probabilities. Use --decision"),
    wrong("predict price.model price.csv --proba", "predicts values, not classes"),
    wrong("predict rows.model new.csv --instances", "--instances is for bags"),
    wrong("predict rows.model new.csv --id nr", "--id: new.csv has no column 'nr'"),
    wrong("predict rows.model new.csv --output-format xml", "invalid choice", code=2),
    wrong("predict rows.model new.csv --output-format parquet", "Name a file with -o"),
    wrong("predict rows.model nothing.csv", "There is no file"),
    wrong("predict plain.csv plain.csv", "not a model file"),
    wrong("predict rows.model gaps.csv", "has no value"),
)

LOOKING = (
    fine("info rows.model", "features           4: size, colour=blue", "predicts           class"),
    fine("info full.model", "ids                key", "dates              day (dmy)"),
    fine("info bags.model", "bag ids            molecule", "positive class     active"),
    fine("data list --kind rows", "sklearn-iris"),
    fine("data describe sklearn-wine", "samples "),
    wrong("data describe wien", "Did you mean"),
    wrong("info nothing.model", "No such file"),
    wrong("trian plain.csv", "Did you mean train", code=2),
    wrong("", "a command is needed", code=2),
)

TUNING = (
    fine(
        "tune plain.csv --gammas 1 --Cs 1,10 --cv 2", "chosen             margin=0.1, gamma=1, C=1"
    ),
    fine("tune plain.csv --gammas 1 --Cs 1 --cv 2 --scoring roc_auc", "roc_auc"),
    fine("tune full.csv --id key --drop day --gammas 1 --Cs 1 --cv 2", "ids                key"),
    fine(
        "tune price.csv --method smo-regression --gammas 1 --Cs 10 --cv 2 --grid epsilon=0.1,1",
        "hold-out score ",
        "r2",
    ),
    fine(
        "tune flats.csv --method svrcc --targets price,rent --Cs 10 --cv 2",
        "targets            2: price, rent",
    ),
    fine(
        "tune bags.csv --method mirsvm --gammas 1 --Cs 10 --cv 2 --grid positive=active,dull",
        "positive=first",
        "bags               20: 16 to search on",
    ),
    fine("tune plain.csv --method kernel-primal --grid lam=0.1,1 --gammas 1 --cv 2", "lam"),
    wrong("tune plain.csv --scoring best", "There is no --scoring best"),
    wrong("tune plain.csv --method smo --grid eps=1", "has no parameter 'eps'"),
    wrong("tune plain.csv --grid eps", "expected NAME=VALUE", code=2),
    wrong("tune plain.csv --method oge --gammas 1", "The method oge has no --gammas"),
)


@pytest.mark.parametrize(
    "case", [*TRAINING, *PREDICTING, *LOOKING, *TUNING], ids=lambda case: case.line or "(nothing)"
)
def test_a_line(folder, monkeypatch, capsys, case):
    monkeypatch.chdir(folder)
    before = {path.name for path in folder.iterdir()}

    code = main(shlex.split(case.line))

    out, err = capsys.readouterr()
    assert code == case.code, err
    for part in case.out:
        assert part in out
    for part in case.err:
        assert part in err
    if case.quiet:
        assert err == ""
    if case.code:
        assert out == ""
        assert err.startswith("svmosaic: error: ")
        assert err.count("\n") == 1
        assert "Traceback" not in err
        assert {path.name for path in folder.iterdir()} == before


def test_there_are_enough_lines():
    assert len((*TRAINING, *PREDICTING, *LOOKING, *TUNING)) >= 120


@pytest.mark.parametrize("name", ["out.csv", "out.jsonl", "out.parquet", "out.txt"])
def test_the_extension_decides_what_is_written(folder, monkeypatch, name):
    monkeypatch.chdir(folder)
    if name.endswith("parquet"):
        pandas = pytest.importorskip("pandas")
        pytest.importorskip("pyarrow")

    assert main(["predict", "full.model", "full.csv", "-o", name]) == 0

    if name == "out.parquet":
        table = pandas.read_parquet(name)
        rows = list(zip(table["key"], table["prediction"], strict=True))
    elif name == "out.jsonl":
        lines = (folder / name).read_text().splitlines()
        rows = [tuple(json.loads(line).values()) for line in lines]
    elif name == "out.csv":
        rows = [tuple(row) for row in csv.reader(io.StringIO((folder / name).read_text()))][1:]
    else:
        labels = (folder / name).read_text().split()
        rows = [(f"k{i}", label) for i, label in enumerate(labels)]
    assert rows == [(f"k{i}", "yes" if i % 2 == 0 else "no") for i in range(40)]


def test_two_runs_give_the_same_model(folder, monkeypatch):
    monkeypatch.chdir(folder)
    for name in ("a", "b"):
        words = ["train", "bags.csv", "-o", f"{name}.same", "--method", "mirsvm"]
        assert main(words) == 0

    assert (folder / "a.same").read_bytes() == (folder / "b.same").read_bytes()


# Probabilities -------------------------------------------------------------------------------


def test_probabilities_are_trained_and_written(svmosaic, tmp_path):
    model, table = tmp_path / "m", tmp_path / "p.csv"
    trained = svmosaic("train", "sklearn-wine", "-o", model, "--proba", "--cv", "3")
    assert trained.code == 0, trained.err
    assert "support vectors" in trained.out
    assert "sigmoid" in svmosaic("info", model).out

    outcome = svmosaic("predict", model, "sklearn-wine", "--proba", "-o", table)

    assert outcome.code == 0, outcome.err
    header, *rows = [line.split(",") for line in table.read_text().splitlines()]
    assert [name for name in header if name.startswith("proba_")] == [
        f"proba_{label}" for label in (0, 1, 2)
    ]
    for row in rows:
        assert abs(sum(map(float, row[-3:])) - 1.0) < 1e-6
    refused = svmosaic("predict", model, "sklearn-wine", "--decision")
    assert refused.code == 1
    assert "has probabilities in place of decision values. Use --proba." in refused.err


def test_probabilities_of_a_model_without_them_are_refused(svmosaic, tmp_path):
    svmosaic("train", "sklearn-wine", "-o", tmp_path / "m")

    outcome = svmosaic("predict", tmp_path / "m", "sklearn-wine", "--proba")

    assert outcome.code == 1
    assert "has no probabilities. Use --decision, or train with --proba." in outcome.err


def test_a_regressor_has_no_probabilities(svmosaic, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("a,y\n" + "".join(f"{k},{k / 2}\n" for k in range(20)))

    outcome = svmosaic(
        "train", table, "-o", tmp_path / "m", "--proba", "--method", "smo-regression"
    )

    assert outcome.code == 1
    assert "predicts values, not classes, so there are no probabilities" in outcome.err
