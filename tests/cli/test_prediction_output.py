"""What `predict` writes: headings of decision values and ids, formats that hold them."""

from __future__ import annotations

import numpy as np
import pytest

from svmosaic.persistence import load


@pytest.fixture
def three_classes(tmp_path):
    rng = np.random.default_rng(0)
    lines = ["a,b,y"]
    for i in range(30):
        x = rng.normal(size=2) + 3 * (i % 3)
        lines.append(f"{x[0]:.3f},{x[1]:.3f},{'pqr'[i % 3]}")
    path = tmp_path / "three.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(
    ("shape", "columns"),
    [
        ("ovo", ["decision_p_vs_q", "decision_p_vs_r", "decision_q_vs_r"]),
        ("ovr", ["decision_p", "decision_q", "decision_r"]),
    ],
)
def test_three_pairs_are_not_three_classes(svmosaic, three_classes, tmp_path, shape, columns):
    setting = ("--method", "smo", "--set", f"decision_function_shape={shape}")
    assert svmosaic("train", three_classes, "-o", tmp_path / "m", *setting).code == 0

    outcome = svmosaic("predict", tmp_path / "m", three_classes, "--decision")

    head, first, *_ = outcome.out.splitlines()
    assert head.split(",") == ["row", "prediction", *columns]
    # The first row is a p, so that its pairs speak for p.
    assert first.split(",")[1] == "p"
    values = [float(text) for text in first.split(",")[2:4]]
    assert values[0] > 0
    assert shape == "ovr" or values[1] > 0
    assert load(tmp_path / "m")[-1].decision_function_shape == shape


@pytest.mark.parametrize(
    "words",
    [("-o", "out.txt"), ("--output-format", "labels"), ("-o", "o", "--output-format", "labels")],
)
def test_bare_labels_have_no_place_for_decision_values(
    svmosaic, flowers, tmp_path, monkeypatch, words
):
    monkeypatch.chdir(tmp_path)
    assert svmosaic("train", flowers, "-o", "m").code == 0

    outcome = svmosaic("predict", "m", flowers, "--decision", *words)

    assert outcome.code == 1
    assert "--decision writes a table" in outcome.err
    assert not (tmp_path / "out.txt").exists()
    assert svmosaic("predict", "m", flowers, *words).code == 0
    table = svmosaic(
        "predict", "m", flowers, "--decision", "-o", "out.txt", "--output-format", "csv"
    )
    assert table.code == 0
    assert (tmp_path / "out.txt").read_text().startswith("row,prediction,decision_yes\n")


def test_ids_chosen_by_number_keep_their_heading(svmosaic, flowers, tmp_path):
    assert svmosaic("train", flowers, "-o", tmp_path / "m").code == 0
    (tmp_path / "new.csv").write_text("name,size,colour\nu,1.0,red\nv,2.0,blue\n")

    outcome = svmosaic("predict", tmp_path / "m", tmp_path / "new.csv", "--id", "0")

    assert outcome.out.splitlines()[0] == "name,prediction"
    assert outcome.out.splitlines()[1].startswith("u,")
