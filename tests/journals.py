"""Journals of runs that never ran: the reports only read."""

from __future__ import annotations

from svmosaic.experiments.journal import Entry, Journal, cell_label

EVIL = "<script>alert(1)</script>"
QUOTED = 'A & "B"'

_WHEN = "2026-01-01T00:00:00+00:00"


def _search(method):
    if method == 0:
        grid = [(gamma, C) for gamma in (0.1, 1.0, 10.0) for C in (1, 10)]
        params = {"gamma": [g for g, _ in grid], "C": [c for _, c in grid]}
        return {"params": params, "score": [0.7, 0.8, 0.9, 0.95, 0.6, None]}
    if method == 1:
        return {"params": {"depth": [1, 2, 4, 8]}, "score": [0.7, 0.8, 0.9, 0.85]}
    return None


def _record(dataset, method, fold, score):
    """Return the record of a cell as the runner writes it."""
    search = _search(method)
    params = {} if search is None else {name: v[0] for name, v in search["params"].items()}
    return {
        **{"repeat": 0, "fold": fold, "n_train": 100 * (dataset + 1), "n_test": 50},
        **{"accuracy": score, "f1": score - 0.01},
        **{"inner_score": None, "n_candidates": None, "n_fits": 1},
        **{"fit_seconds": 0.1 * (method + 1), "refit_seconds": None, "score_seconds": 0.01},
        **{"n_support": 10 + method if method < 2 else None, "support_percent": None},
        **{"params": params, "search_scores": search, "warnings": []},
        **{"n_samples": 100 * (dataset + 1) + 50, "n_features": 4, "n_classes": 2},
        **{"cell_seconds": 0.2, "peak_mb": 100.0},
    }


def write_run(folder, scores, *, datasets=None, methods=None, experiment=True, name="trial"):
    """Write the journal of a run into a new folder, and return the folder.

    Scores are one list of fold scores per data set and method; None is a cell that failed, and a
    shorter list a run that is not finished.
    """
    folder.mkdir()
    datasets = datasets or [f"set {i}" for i in range(len(scores))]
    methods = methods or [f"method {j}" for j in range(len(scores[0]))]
    n_folds = max(len(folds) for of_dataset in scores for folds in of_dataset)
    provenance = {"name": name, "code": "0123abcd 1 2 3 4", "python": "3.13", "spec": "Spec()"}
    if experiment:
        provenance["experiment"] = _experiment(datasets, methods)
        provenance["versions"] = {"numpy": "2.0"}
    places = [(i, j) for i in range(len(datasets)) for j in range(len(methods))]
    with Journal(folder / "journal.jsonl") as journal:
        plan = {
            f"{i}-{j}-{fold}": cell_label(methods[j], datasets[i], 0, fold)
            for i, j in places
            for fold in range(n_folds)
        }
        journal.begin(plan, _WHEN, provenance)
        for i, j in places:
            for fold, score in enumerate(scores[i][j]):
                record = _failure() if score is None else _record(i, j, fold, score)
                where = (f"{i}-{j}-{fold}", datasets[i], methods[j], 0, fold)
                status = "failed" if score is None else "done"
                journal.add(Entry(*where, status, record, _WHEN))
    return folder


def _failure():
    return {
        "error": f"ValueError: no rows {EVIL}",
        "traceback": f"Traceback:\n  {EVIL}\nValueError: no rows",
        "warnings": [],
        "cell_seconds": 0.1,
    }


def _experiment(datasets, methods):
    return {
        "name": "trial",
        "data": [{"name": name, "path": None, "target": None} for name in datasets],
        "methods": [
            {"name": name, "estimator": "some.Thing", "params": {}, "grid": None}
            for name in methods
        ],
        "protocol": {
            **{"kind": "nested", "outer": 2, "inner": 3, "repeats": 1, "n_splits": 100},
            **{"test_size": 0.25, "search": "grid", "scoring": ["accuracy", "f1"]},
            **{"scale": "minmax", "random_state": 7},
        },
    }
