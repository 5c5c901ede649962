"""Targets that read files: every reader and loader gets files that were changed.

A target prepares its seeds once and returns a function that runs one case.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from corpus import read_corpus
from mutation import mutate, pack_sometimes

__all__ = ["FILES", "Case"]

Case = Callable[[np.random.Generator], None]

_LIBSVM = [
    b"1 1:0.5 3:2\n-1 2:1e-3 # comment\n+1 1:-1 2:2 3:3\n",
    b"2 qid:1 1:1\n3 qid:1 2:1\n2 qid:2 1:0.25 7:1\n",
]
_CSV = [
    b"a,b,class\n1,2,x\n3,4,y\n5.5,-6e2,x\n",
    b'1;"u, v";0\n2;"w";1\n3;"u, v";0\n',
    b"size\tkind\ty\n1\tred\t1\n2\tblue\t0\n3\tred\t1\n",
]
_ARFF = [
    b"% c\n@relation r\n@attribute a real\n@attribute 'b c' {x, 'y z'}\n@attribute k {0,1}\n"
    b"@data\n1,x,0\n2.5,'y z',1\n?,x,0\n",
    b"@relation s\n@attribute a numeric\n@attribute b numeric\n@attribute k {n,p}\n@data\n"
    b"{0 1.5, 2 p}\n{1 2}\n{}\n",
]
_BAGS = [
    b"@relation m\n@attribute id {b1,b2}\n@attribute bag relational\n@attribute f real\n"
    b"@attribute g real\n@end bag\n@attribute class {0,1}\n@data\n"
    b"b1,'1,2\\n3,4',0\nb2,\"5,6\",1\n",
    b"bag,f,g,class\nu,1,2,0\nu,3,4,0\nv,5,6,1\n",
]
_TARGETS = [
    b"@relation 'toy: -C -2'\n@attribute a real\n@attribute b {x, y}\n@attribute c real\n"
    b"@attribute d integer\n@data\n1,x,3,4\n5,y,?,8\n9,?,11,12\n"
]
_XML = [
    b'<labels xmlns="http://mulan.sourceforge.net/labels"><label name="d"/>'
    b'<label name="a"/></labels>',
    b'<?xml version="1.0" encoding="utf-8"?>\n<labels><label name="d"><label name="c"/>'
    b"</label></labels>",
]
_SPEC = [
    b'name = "s"\n[protocol]\nkind = "nested"\nouter = 3\ninner = 2\nscoring = ["accuracy"]\n'
    b'[[data]]\nname = "sklearn-iris"\n[[data]]\nname = "two"\npath = "two.csv"\ntarget = "y"\n'
    b'[[methods]]\nname = "ours"\nestimator = "OLLAWVClassifier"\ngrid = { C = [1.0, 10.0] }\n'
    b'[[methods]]\nname = "k"\nestimator = "sklearn.neighbors.KNeighborsClassifier"\n'
    b"params = { n_neighbors = 3 }\n",
    b'[protocol]\nkind = "prequential"\nsamples = 500\nchunk = 100\n[[data]]\nname = "SEA"\n'
    b'[[methods]]\nname = "s"\nestimator = "StreamOLLAWV"\n',
]
_SCORES = [b"dataset,one,two\niris,0.9,0.8\nwine,0.7,0.75\nglass,0.5,0.6\n"]


def _file_case(
    folder: Path,
    seeds: list[bytes],
    names: tuple[str, ...],
    read: Callable[[Path], Any],
    allowed: tuple[type[Exception], ...],
    packed: bool,
    rng: np.random.Generator,
) -> None:
    content, suffix = mutate(rng, seeds), ""
    if packed:
        content, suffix = pack_sometimes(rng, content)
    path = folder / (names[rng.integers(len(names))] + suffix)
    path.write_bytes(content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read(path)
    except allowed as error:
        # One sentence, and no secret of another program's.
        if "\n" in str(error).strip():
            raise AssertionError(f"a message of several lines: {error!r}") from error
    finally:
        path.unlink(missing_ok=True)


def _prepare(
    folder: Path,
    seeds: list[bytes],
    names: tuple[str, ...],
    read: Callable[[Path], Any],
    allowed: tuple[type[Exception], ...],
    packed: bool,
) -> Case:
    """Return the cases of a reader, which has read the seeds: what it imports is imported."""
    for content in seeds:
        for name in names:
            path = folder / name
            path.write_bytes(content)
            with contextlib.suppress(*allowed), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                read(path)
            path.unlink()
    return partial(_file_case, folder, seeds, names, read, allowed, packed)


def _tables(folder: Path, seeds: list[bytes], *names: str) -> Case:
    from svmosaic.datasets import read_table
    from svmosaic.exceptions import DataFileError

    read = partial(read_table, allow_nan=False)
    return _prepare(folder, seeds, names, read, (DataFileError,), True)


def _bags(folder: Path) -> Case:
    from svmosaic.datasets import read_bags
    from svmosaic.exceptions import DataFileError

    return _prepare(folder, _BAGS[:1], ("a.arff",), read_bags, (DataFileError,), True)


def _flat_bags(folder: Path) -> Case:
    from svmosaic.datasets import read_bags
    from svmosaic.exceptions import DataFileError

    def read(path: Path) -> None:
        try:
            read_bags(path, bag="bag")
        except ValueError as error:
            # A file without this column: the parameter is wrong, not the file.
            if type(error) is not ValueError or "'bag'" not in str(error):
                raise

    return _prepare(folder, _BAGS[1:], ("a.csv",), read, (DataFileError,), True)


def _targets(folder: Path) -> Case:
    from svmosaic.datasets import read_multitarget
    from svmosaic.exceptions import DataFileError

    read = partial(read_multitarget, targets=1, allow_nan=True)
    return _prepare(folder, _TARGETS, ("a.arff",), read, (DataFileError,), True)


def _mulan(folder: Path) -> Case:
    from svmosaic.datasets.readers.target_files import read_target_names
    from svmosaic.exceptions import DataFileError

    return _prepare(folder, _XML, ("a.xml",), read_target_names, (DataFileError,), False)


def _spec(folder: Path) -> Case:
    from svmosaic.exceptions import DataFileError
    from svmosaic.experiments import read_spec

    (folder / "two.csv").write_bytes(b"a,y\n1,0\n2,1\n3,0\n")
    return _prepare(folder, _SPEC, ("s.toml",), read_spec, (DataFileError,), False)


def _models(folder: Path) -> Case:
    import svmosaic
    from svmosaic.exceptions import ModelFileError
    from svmosaic.persistence import load
    from svmosaic.persistence.model_file import encode

    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    y = np.arange(30) % 3
    models: list[Any] = [
        svmosaic.OLLAWVClassifier().fit(X, y),
        svmosaic.SVRCC().fit(X, X[:, :2]),
        svmosaic.StreamOLLAWV(chunk_size=10).fit(X, y),
    ]
    seeds = [encode(model) for model in models]

    def read(path: Path) -> None:
        load(path).predict(X[:2])

    return _prepare(folder, seeds, ("m.safetensors",), read, (ModelFileError,), False)


def _libsvm_models(folder: Path) -> Case:
    import svmosaic
    from svmosaic.exceptions import ModelFileError
    from svmosaic.persistence import export_libsvm, import_libsvm

    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3))
    seeds = []
    for n_classes in (2, 3):
        model = svmosaic.OLLAWVClassifier().fit(X, np.arange(20) % n_classes)
        export_libsvm(model, folder / "seed.model")
        seeds.append((folder / "seed.model").read_bytes())

    def read(path: Path) -> None:
        model = import_libsvm(path)
        if model.n_features_in_ < 1000:
            model.predict(np.zeros((2, model.n_features_in_)))

    return _prepare(folder, seeds, ("a.model",), read, (ModelFileError,), False)


def _check_points(folder: Path) -> Case:
    from sklearn.naive_bayes import GaussianNB

    from svmosaic import StreamOLLAWV
    from svmosaic.exceptions import DataFileError
    from svmosaic.streams import SEA, prequential

    def run(path: Path, n_samples: int = 60) -> None:
        models = {"a": StreamOLLAWV(chunk_size=10, memory=20), "b": GaussianNB()}
        prequential(models, SEA(seed=1), n_samples=n_samples, chunk=10, checkpoint=path)

    run(folder / "seed.checkpoint", 40)
    seeds = [(folder / "seed.checkpoint").read_bytes()]
    return _prepare(folder, seeds, ("a.checkpoint",), run, (DataFileError,), False)


def _cluster_check_points(folder: Path) -> Case:
    from svmosaic.dask.checkpoint import Checkpoint, read_checkpoint, write_checkpoint

    def read(path: Path) -> None:
        read_checkpoint(path, {"C": 1.0}, "the attack", 2, [4, 4])

    def run(path: Path) -> None:
        with contextlib.suppress(ValueError):
            read(path)
        # What a checksum hides otherwise.
        first, _, rest = path.read_bytes().partition(b"\n")
        try:
            header = json.loads(first)
            header["sha256"] = hashlib.sha256(rest).hexdigest()
        except (ValueError, TypeError, RecursionError):
            return
        path.write_bytes(json.dumps(header).encode() + b"\n" + rest)
        read(path)

    numbers = np.arange(4)
    state = Checkpoint(
        np.array([0, 2]), numbers % 2, numbers, numbers % 2, np.zeros(4), np.ones(4), numbers % 2,
        numbers, numbers.astype(np.uint64), numbers, numbers % 2, np.ones(4),
    )  # fmt: skip
    write_checkpoint(folder / "seed.npz", {"C": 1.0}, state)
    read(folder / "seed.npz")
    seeds = [(folder / "seed.npz").read_bytes()]
    return _prepare(folder, seeds, ("a.checkpoint",), run, (ValueError,), False)


def _small_run(folder: Path) -> Path:
    from svmosaic.experiments import read_spec, run_experiment, write_results

    spec = folder / "run.toml"
    spec.write_text(
        '[protocol]\nouter = 2\n[[data]]\nname = "sklearn-iris"\n[[methods]]\nname = "k"\n'
        'estimator = "sklearn.neighbors.KNeighborsClassifier"\n'
    )
    out = folder / "run"
    run_experiment(read_spec(spec), out)
    write_results(out, ["accuracy"])
    return out


def _journals(folder: Path) -> Case:
    from svmosaic.exceptions import DataFileError
    from svmosaic.experiments.journal import read_journal

    seeds = [(_small_run(folder) / "journal.jsonl").read_bytes()]
    return _prepare(folder, seeds, ("a.jsonl",), read_journal, (DataFileError,), False)


def _results(folder: Path) -> Case:
    from svmosaic.exceptions import DataFileError
    from svmosaic.experiments import read_results

    seeds = [(_small_run(folder) / "results.csv").read_bytes()]
    return _prepare(folder, seeds, ("r.csv",), read_results, (DataFileError,), True)


def _scores(folder: Path) -> Case:
    from svmosaic.exceptions import DataFileError
    from svmosaic.stats import read_scores

    return _prepare(folder, _SCORES, ("s.csv",), read_scores, (DataFileError,), False)


def _with_corpus(target: str, make: Callable[[Path], Any], folder: Path) -> Case:
    """Return the cases of a target, which begin from its seeds and from its corpus."""
    case = make(folder)
    _, seeds, *others = case.args
    return partial(case.func, folder, [*seeds, *read_corpus(target)], *others)


_MAKERS: dict[str, Callable[[Path], Case]] = {
    "LIBSVM text": lambda folder: _tables(folder, _LIBSVM, "a.svm", "a.libsvm"),
    "CSV": lambda folder: _tables(folder, _CSV, "a.csv", "a.tsv"),
    "ARFF": lambda folder: _tables(folder, _ARFF, "a.arff"),
    "bags": _bags,
    "bags in CSV": _flat_bags,
    "targets": _targets,
    "Mulan XML": _mulan,
    "experiments": _spec,
    "model files": _models,
    "LIBSVM models": _libsvm_models,
    "check-points": _check_points,
    "check-points of clusters": _cluster_check_points,
    "journals": _journals,
    "results": _results,
    "tables of scores": _scores,
}
FILES: dict[str, Callable[[Path], Case]] = {
    target: partial(_with_corpus, target, make) for target, make in _MAKERS.items()
}
