"""Check-points: interrupted runs end with the same table; no file does harm."""

from __future__ import annotations

import hashlib
import io
import json
import pickle
import random
import signal
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB

from quick_processes import start_process
from small_streams import Blobs, Watcher
from svmosaic import (
    NLSGDClassifier,
    OLLAL2Classifier,
    OnlineSVMCBPClassifier,
    OnlineSVMClassifier,
    StreamOLLAL2,
    StreamOLLAWV,
)
from svmosaic.exceptions import DataFileError
from svmosaic.streams import DDM, SEA, prequential
from svmosaic.streams.check_point import _DIGEST_BYTES, _START

# Kills and resumes ----------------------------------------------------------------------------


def _without_times(records):
    # A resumed object shares less with others, so its pickle has some bytes more or less.
    return [
        {k: v for k, v in r.items() if not k.endswith(("_seconds", "n_bytes"))} for r in records
    ]


@pytest.mark.parametrize(
    ("model", "n_kills", "n_samples"),
    [
        (StreamOLLAWV(chunk_size=100, memory=300), 3, 4000),
        (SGDClassifier(random_state=0), 2, 4000),
        pytest.param(StreamOLLAWV(chunk_size=100), 20, 40_000, marks=pytest.mark.slow),
        pytest.param(SGDClassifier(random_state=0), 20, 60_000, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_a_killed_run_ends_with_the_same_table(tmp_path, model, n_kills, n_samples):
    path = tmp_path / "run.checkpoint"
    rng = random.Random(n_kills)
    options = {"n_samples": n_samples, "chunk": 100}
    run = partial(prequential, model, Blobs(), checkpoint=path, checkpoint_seconds=0.0, **options)
    n_killed = 0
    for _ in range(n_kills):
        before = path.stat().st_mtime_ns if path.exists() else 0
        process = start_process(run)
        deadline = time.monotonic() + 120
        # It has begun to work when it has written; then any moment is as good.
        while process.is_alive() and time.monotonic() < deadline:
            if path.exists() and path.stat().st_mtime_ns > before:
                break
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 0.05))
        process.kill()
        process.join()
        n_killed += process.exitcode == -signal.SIGKILL
    assert n_killed == n_kills

    resumed = prequential(clone(model), Blobs(), checkpoint=path, **options)
    whole = prequential(clone(model), Blobs(), **options)

    np.testing.assert_equal(_without_times(resumed.records), _without_times(whole.records))


def test_a_check_point_of_something_else_is_refused(tmp_path):
    path = tmp_path / "run.checkpoint"
    prequential(GaussianNB(), Blobs(200), chunk=100, checkpoint=path)

    with pytest.raises(DataFileError, match="check-point of another run"):
        prequential(GaussianNB(), Blobs(200), chunk=50, checkpoint=path)
    path.write_bytes(b"nonsense")
    with pytest.raises(DataFileError, match="is no check-point"):
        prequential(GaussianNB(), Blobs(200), chunk=100, checkpoint=path)


def test_a_check_point_of_another_seed_is_refused(tmp_path):
    path = tmp_path / "run.checkpoint"
    prequential(GaussianNB(), SEA(seed=1), n_samples=200, chunk=100, checkpoint=path)

    with pytest.raises(DataFileError, match="check-point of another run"):
        prequential(GaussianNB(), SEA(seed=2), n_samples=200, chunk=100, checkpoint=path)


def test_a_learner_without_words_can_be_taken_up(tmp_path):
    path = tmp_path / "run.checkpoint"
    prequential(Watcher(), Blobs(), n_samples=200, chunk=100, checkpoint=path)

    result = prequential(Watcher(), Blobs(), n_samples=300, chunk=100, checkpoint=path)

    assert [record["end"] for record in result.records] == [100, 200, 300]


def test_a_run_that_its_progress_ends_goes_on_there(tmp_path):
    path = tmp_path / "run.checkpoint"
    options = {"n_samples": 1000, "chunk": 100, "checkpoint": path}
    seen = []

    def stop(position, records):
        seen.append(position)
        if position == 300:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prequential(GaussianNB(), Blobs(), progress=stop, **options)
    result = prequential(GaussianNB(), Blobs(), progress=stop, **options)
    whole = prequential(GaussianNB(), Blobs(), n_samples=1000, chunk=100)

    assert seen == [*range(100, 400, 100), *range(400, 1100, 100)]
    np.testing.assert_equal(_without_times(result.records), _without_times(whole.records))


def test_predictions_survive_a_check_point(tmp_path):
    options = {"chunk": 100, "keep_predictions": True}
    path = tmp_path / "run.checkpoint"
    prequential(GaussianNB(), Blobs(), n_samples=300, checkpoint=path, **options)

    resumed = prequential(GaussianNB(), Blobs(), n_samples=700, checkpoint=path, **options)
    whole = prequential(GaussianNB(), Blobs(), n_samples=700, **options)

    np.testing.assert_array_equal(resumed.labels, whole.labels)
    np.testing.assert_array_equal(
        resumed.predictions["GaussianNB"], whole.predictions["GaussianNB"]
    )
    with pytest.raises(DataFileError, match="another run"):
        prequential(GaussianNB(), Blobs(), n_samples=900, chunk=100, checkpoint=path)


OURS = {
    "adaptive": lambda: StreamOLLAWV(chunk_size=100, memory=500),
    "support": lambda: StreamOLLAWV(chunk_size=100, memory="support"),
    "detector": lambda: StreamOLLAWV(chunk_size=100, memory=500, detector=DDM()),
    "published": lambda: StreamOLLAWV(rule="published", chunk_size=100),
    "L2": lambda: StreamOLLAL2(chunk_size=100),
    "every chunk": lambda: StreamOLLAL2(chunk_size=100, keep=-np.inf, rebuild=-np.inf),
    "OLLA-L2": lambda: OLLAL2Classifier(gamma=0.5),
    "NL-SGD": lambda: NLSGDClassifier(gamma=0.5),
    "linear NL-SGD": lambda: NLSGDClassifier(kernel="linear"),
    "online SVM": lambda: OnlineSVMClassifier(max_iter=50),
    "boundary": lambda: OnlineSVMCBPClassifier(sigma=1.0, max_iter=50),
}


class Turning(Blobs):
    """Blobs with words as labels, which change their places early."""

    classes = np.array(["left", "right"])
    drifts = (250,)

    def read(self, begin, count):
        X, y = super().read(begin, count)
        turned = np.arange(begin, begin + len(y)) >= 250
        return X, self.classes[np.where(turned, 1 - y, y)]


def _stopped_at(wanted):
    """Return a function that ends a run at a sample."""

    def stop(position, records):
        if position == wanted:
            raise KeyboardInterrupt

    return stop


def _interrupted(make, stream, path, at=350, **options):
    """Return the result of a run that was interrupted at a sample and resumed."""
    with pytest.raises(KeyboardInterrupt):
        prequential(make(), stream, checkpoint=path, progress=_stopped_at(at), **options)
    return prequential(make(), stream, checkpoint=path, **options)


@pytest.mark.parametrize("options", [{}, {"delay": 130}, {"one_by_one": True}], ids=str)
@pytest.mark.parametrize("name", OURS)
def test_our_learners_go_on_from_their_stored_state(tmp_path, name, options, caplog):
    caplog.set_level("INFO", logger="svmosaic")
    options = {"n_samples": 700, "chunk": 70, "keep_predictions": True, **options}

    resumed = _interrupted(OURS[name], Turning(), tmp_path / "run.checkpoint", **options)
    whole = prequential(OURS[name](), Turning(), **options)

    assert caplog.records == []
    np.testing.assert_equal(_without_times(resumed.records), _without_times(whole.records))
    np.testing.assert_equal(resumed.predictions, whole.predictions)
    np.testing.assert_array_equal(resumed.labels, whole.labels)


@pytest.mark.parametrize("options", [{}, {"delay": 30}, {"one_by_one": True}], ids=str)
def test_other_learners_learn_the_stream_again(tmp_path, options, caplog):
    caplog.set_level("INFO", logger="svmosaic")
    path = tmp_path / "run.checkpoint"
    options = {"n_samples": 100, "chunk": 20, **options}

    def make():
        return {
            "hinge": SGDClassifier(random_state=0),
            "logistic": SGDClassifier(loss="log_loss", random_state=1),
        }

    resumed = _interrupted(make, Turning(), path, at=60, **options)
    whole = prequential(make(), Turning(), **options)

    n_known = 60 - options.get("delay", 0)
    assert [record.getMessage() for record in caplog.records] == [
        f"{name} learns the first {n_known} samples again: {path} does not hold its state."
        for name in ("hinge", "logistic")
    ]
    np.testing.assert_equal(_without_times(resumed.records), _without_times(whole.records))


def test_a_learner_learns_the_chunks_that_it_had(tmp_path):
    path = tmp_path / "run.checkpoint"
    X, y = Blobs().read(0, 300)
    model, expected = SGDClassifier(random_state=0), SGDClassifier(random_state=0)
    # The first run ends within a chunk.
    prequential(SGDClassifier(random_state=0), Blobs(), n_samples=150, chunk=100, checkpoint=path)

    prequential(model, Blobs(), n_samples=300, chunk=100, checkpoint=path)
    for begin, end in ((0, 100), (100, 150), (150, 250), (250, 300)):
        expected.partial_fit(X[begin:end], y[begin:end], classes=[0, 1])

    np.testing.assert_array_equal(model.coef_, expected.coef_)


def test_a_learner_of_river_learns_the_stream_again(tmp_path):
    tree = pytest.importorskip("river.tree")
    options = {"n_samples": 700, "chunk": 70}

    def make():
        return tree.HoeffdingTreeClassifier(grace_period=50)

    resumed = _interrupted(make, Turning(), tmp_path / "run.checkpoint", **options)
    whole = prequential(make(), Turning(), **options)

    np.testing.assert_equal(_without_times(resumed.records), _without_times(whole.records))


def test_a_detector_of_another_library_is_learned_again(tmp_path, caplog):
    drift = pytest.importorskip("river.drift")
    caplog.set_level("INFO", logger="svmosaic")
    options = {"n_samples": 700, "chunk": 70}

    def make():
        return StreamOLLAWV(chunk_size=70, memory=300, detector=drift.ADWIN())

    resumed = _interrupted(make, Turning(), tmp_path / "run.checkpoint", **options)
    whole = prequential(make(), Turning(), **options)

    assert "learns the first 350 samples again" in caplog.text
    np.testing.assert_equal(_without_times(resumed.records), _without_times(whole.records))


def test_a_learner_that_does_not_repeat_itself_is_refused(tmp_path):
    path = tmp_path / "run.checkpoint"

    class Guessing(Watcher):
        def predict(self, X):
            return np.random.default_rng().integers(2, size=len(X))

    prequential(Guessing(), Blobs(), n_samples=300, chunk=100, checkpoint=path)

    with pytest.raises(ValueError, match="with a fixed seed"):
        prequential(Guessing(), Blobs(), n_samples=400, chunk=100, checkpoint=path)


def test_a_trained_learner_that_could_not_be_resumed_is_refused(tmp_path):
    path = tmp_path / "run.checkpoint"
    trained = GaussianNB().fit(*Blobs().read(0, 50))

    with pytest.raises(ValueError, match="GaussianNB is already fitted"):
        prequential(trained, Blobs(), n_samples=300, chunk=100, checkpoint=path)
    assert not path.exists()

    used = GaussianNB()
    prequential(used, Blobs(), n_samples=300, chunk=100, checkpoint=path)
    with pytest.raises(ValueError, match="GaussianNB is already fitted"):
        prequential(used, Blobs(), n_samples=400, chunk=100, checkpoint=path)


# Damage ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Return a function that resumes from any content, and the content of a small check-point."""
    path = tmp_path_factory.mktemp("small") / "run.checkpoint"

    def run(content=None, n_samples=40):
        if content is not None:
            path.write_bytes(content)
        model = {"a": StreamOLLAWV(chunk_size=10, memory=20), "b": StreamOLLAL2(chunk_size=10)}
        options = {"chunk": 10, "window": 7, "keep_predictions": True, "checkpoint": path}
        return prequential(model, Blobs(), n_samples=n_samples, **options)

    run()
    return run, path.read_bytes()


def test_every_changed_byte_is_refused(small):
    run, content = small
    rng = np.random.default_rng(0)
    places = np.unique([*range(60), *rng.integers(len(content), size=600), len(content) - 1])

    for place in places:
        changed = bytearray(content)
        changed[place] ^= 1 << int(rng.integers(8))
        with pytest.raises(DataFileError, match="check-point"):
            run(bytes(changed))


def test_every_truncation_is_refused(small):
    run, content = small
    rng = np.random.default_rng(0)

    for length in {0, 1, *range(20, 60), *rng.integers(len(content), size=300).tolist()}:
        with pytest.raises(DataFileError, match="check-point"):
            run(content[:length])
    with pytest.raises(DataFileError, match="check-point"):
        run(content + b"x")


def test_a_pickle_is_refused_and_not_run(small, tmp_path):
    run, _ = small
    trace = tmp_path / "trace"

    class Attack:
        def __reduce__(self):
            return Path.touch, (trace,)

    for content in ((3, "plan", {}), Attack()):
        with pytest.raises(DataFileError, match=r"is a pickle.*remove the file"):
            run(pickle.dumps(content, protocol=5))
    assert not trace.exists()


# Forged files with a fitting checksum ---------------------------------------------------------


def _open_up(content):
    """Return the header and the arrays of a check-point."""
    _, _, length = _START.unpack_from(content)
    header = json.loads(content[_START.size : _START.size + length])
    stream = io.BytesIO(content[_START.size + length : -_DIGEST_BYTES])
    arrays = []
    for name, *shape in header["arrays"]:
        n_bytes = int(np.prod(shape, dtype=int)) * np.dtype(name).itemsize
        arrays.append(np.frombuffer(stream.read(n_bytes), name).reshape(shape).copy())
    return header, arrays


def _forge(header, arrays, *, described=True):
    if described:
        header["arrays"] = [[array.dtype.name, *array.shape] for array in arrays]
    text = json.dumps(header).encode()
    body = _START.pack(b"SVMOSAIC-CHECK-POINT", 4, len(text)) + text
    body += b"".join(array.tobytes() for array in arrays)
    return body + hashlib.sha256(body).digest()


def test_an_opened_and_closed_file_is_the_same(small):
    run, content = small

    assert _open_up(_forge(*_open_up(content)))[0] == _open_up(content)[0]
    assert run(_forge(*_open_up(content)), n_samples=50).last()["a"]["end"] == 50


def _places(value, path=()):
    """Yield the path of every number, word and empty list of a JSON value."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _places(item, (*path, key))
    elif isinstance(value, list) and value:
        for number, item in enumerate(value):
            yield from _places(item, (*path, number))
    else:
        yield path, value


def _put(value, path, new):
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = new


_HOSTILE = [-1, 10**6, 2**63, 1e308, float(-1), "nan", "inf", "x", None, [], {}, True, [[0]]]


def test_hostile_values_are_refused_or_harmless(small):
    run, content = small
    header, arrays = _open_up(content)
    places = [path for path, _ in _places(header["state"])]
    rng = np.random.default_rng(0)
    n_refused = 0

    for path in places:
        forged = json.loads(json.dumps(header))
        new = _HOSTILE[rng.integers(len(_HOSTILE))]
        _put(forged["state"], path, new)
        n_refused += _refused_or_runs(run, _forge(forged, arrays))
    # What is harmless are counts of errors, times and the like.
    assert n_refused > 0.5 * len(places)


def test_hostile_arrays_are_refused_or_harmless(small):
    run, content = small
    header, arrays = _open_up(content)
    rng = np.random.default_rng(0)
    n_tried = n_refused = 0

    for place, array in enumerate(arrays):
        wide = np.zeros((*array.shape[:-1], array.shape[-1] + 1), array.dtype)
        with np.errstate(invalid="ignore"):
            other = array.astype("float64" if array.dtype.kind == "i" else "int64")
        for forged in (_spoil(array, rng), wide, array[:-1], other, array[None]):
            if forged is not None and forged.ndim <= 2:
                n_tried += 1
                changed = [*arrays[:place], forged, *arrays[place + 1 :]]
                n_refused += _refused_or_runs(run, _forge(json.loads(json.dumps(header)), changed))
    assert n_refused > 0.9 * n_tried


def _spoil(array, rng):
    """Return an array with one value that cannot be."""
    if array.size == 0:
        return None
    forged = array.copy()
    bad = [np.nan, np.inf] if array.dtype.kind == "f" else [-1, 2**62]
    forged.flat[rng.integers(array.size)] = bad[rng.integers(2)]
    return forged


def _refused_or_runs(run, content):
    """Return whether a file is refused; if not, the run must go on or say what is wrong."""
    try:
        result = run(content, n_samples=60)
    except DataFileError as error:
        said = str(error)
    else:
        assert result.last()["a"]["end"] == result.last()["b"]["end"] == 60
        return False
    assert "check-point" in said
    assert "\n" not in said
    return True


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        ([["float64", 2**40, 2**40]], "longer than the file"),
        ([["float64", 2**61]], "longer than the file"),
        ([["float64", -1]], "shape that cannot be"),
        ([["float64", 2**70]], "shape that cannot be"),
        ([["float64", 1.0]], "shape that cannot be"),
        ([["object", 1]], "type that no state uses"),
        ([[["float64"], 1]], "type that no state uses"),
        ([["float64", 1, 1, 1]], "described in another way"),
        ([], "bytes after its last array"),
        ({}, "other entries than expected"),
    ],
)
def test_shapes_that_lie_are_refused(small, shapes, words):
    run, content = small
    header, arrays = _open_up(content)
    header["arrays"] = shapes

    with pytest.raises(DataFileError, match=words):
        run(_forge(header, arrays, described=False))


def test_a_state_of_another_width_is_refused(small, tmp_path):
    run, content = small
    header, arrays = _open_up(content)
    model = StreamOLLAWV(chunk_size=10, memory=20)
    X, y = Blobs().read(0, 40)
    state = model.partial_fit(X[:, :2], y, classes=[0, 1]).get_plain_state()
    header["state"]["courses"][0]["learner"] = {
        "values": state.values,
        "arrays": list(range(len(arrays), len(arrays) + len(state.arrays))),
    }

    with pytest.raises(DataFileError, match=r"no part of the state names|other features"):
        run(_forge(header, [*arrays, *state.arrays]))
