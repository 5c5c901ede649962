"""``svmosaic train --scheduler``: train on files that the workers of a Dask cluster read."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svmosaic.cli import options
from svmosaic.cli.cluster import connect, show_log
from svmosaic.cli.console import format_fields, note
from svmosaic.cli.methods import make_cluster_estimator
from svmosaic.utils.optional import import_optional
from svmosaic.utils.wording import plural

if TYPE_CHECKING:
    from svmosaic.cli.data_kinds import Columns
    from svmosaic.cli.preparation import Preparation
    from svmosaic.dask.file_summaries import FileSummary
    from svmosaic.dask.files import FileTable

__all__ = ["train_on_cluster"]


def train_on_cluster(args: argparse.Namespace, score_rows: int) -> Any:
    """Train the model that the arguments ask for, show a summary and return the model.

    Parameters
    ----------
    args : Namespace
        The arguments of ``svmosaic train``.
    score_rows : int
        The score on the training data is measured on at most this many rows.
    """
    # Imported here: the numerical libraries take a second, and the help does not need them.
    from sklearn.base import is_regressor

    from svmosaic.cli.data_kinds import select_columns
    from svmosaic.cli.describe import part_name, stop_reasons
    from svmosaic.cli.option_names import own_options
    from svmosaic.dask.file_tables import FileOptions
    from svmosaic.dask.files import list_files, load_files, survey_files

    if args.impute != "none":
        raise ValueError(
            "--impute needs all rows on one computer. Fill the gaps in the files, or leave "
            "--scheduler out."
        )
    estimator = make_cluster_estimator(args.method, options.estimator_parameters(args), args.set)
    estimator.set_params(verbose=int(args.verbose))
    columns = select_columns(args, "rows", f"the method {args.method}")
    regression = is_regressor(estimator)
    files = list_files(args.data)
    reading = FileOptions(
        args.format, args.target, max_bytes=args.max_bytes, reading=columns.for_workers()
    )
    with connect(args.scheduler) as client, show_log(verbose=args.verbose):
        begin = time.perf_counter()
        if args.verbose:
            note(f"reading {plural(len(files), 'file')} on the workers")
        with own_options():
            summary = survey_files(
                files,
                reading,
                client,
                is_regression=regression,
                float32=args.float32,
                with_moments=args.scale != "none",
            )
        preparation = _preparation(args.scale, summary)
        steps = [step for _, step in preparation.steps]
        table = load_files(files, reading, summary, client, steps=steps, float32=args.float32)
        estimator.client = client
        estimator.fit(table.X, table.y, table.sample_weight)
        seconds = time.perf_counter() - begin
        local = estimator.to_local().set_params(n_jobs=args.n_jobs)

        print(format_fields([*_data_fields(summary, regression), *preparation.fields()]))
        n_support = int(local.n_support_.sum())
        fields: list[tuple[str, object]] = [
            ("seconds", f"{seconds:.2f}"),
            ("support vectors", f"{n_support} ({n_support / summary.n_rows:.1%} of the rows)"),
            (part_name(local), f"{local.intercept_.size}; {stop_reasons(local)}"),
            (
                f"training {'R2' if regression else 'accuracy'}",
                _training_score(local, table, score_rows, client),
            ),
        ]
        print(format_fields(fields))
    targets = [args.target] if isinstance(args.target, str) else []
    return preparation.assemble(local, summary.names, targets, _roles(columns, summary))


def _roles(columns: Columns, summary: FileSummary) -> dict[str, list[str]]:
    """Return what the model is to know of columns that are neither features nor targets."""
    from svmosaic.datasets.readers.column_roles import find_column

    names = summary.columns
    first = Path(summary.first)
    thousands = columns.reading.get("thousands")
    roles: dict[str, list[str]] = {
        "id": list(summary.ids),
        "drop": [names[find_column(key, names, first)] for key in columns.drop],
        columns.reading.get("dates", "ymd"): list(summary.date_columns),
        "decimal": [","] if summary.decimal == "," else [],
        "thousands": [] if thousands is None else [thousands],
    }
    return {role: own for role, own in roles.items() if own}


def _preparation(scale: str, summary: FileSummary) -> Preparation:
    from svmosaic.cli.preparation import Preparation, describe_holding, describe_scaling
    from svmosaic.dask.scaling import count_constant, scaling_steps

    return Preparation(
        tuple(scaling_steps(scale, summary)),
        describe_scaling(scale, sparse=summary.stays_sparse),
        holding=describe_holding(count_constant(summary)),
    )


def _data_fields(summary: FileSummary, regression: bool) -> list[tuple[str, object]]:
    from svmosaic.cli.target_words import describe_counts

    features, n_rows = str(summary.n_features), summary.n_rows
    if summary.stays_sparse:
        share = summary.n_stored / (n_rows * summary.n_features)
        features += f", sparse ({share:.1%} non-zero)"
    target = summary.target
    assert target is not None
    if regression:
        mean = target.total / n_rows
        about = ("target", f"{target.low:.6g} to {target.high:.6g}, mean {mean:.6g}")
    else:
        about = ("classes", describe_counts(target.labels, target.counts))
    rows = f"{n_rows} in {plural(len(summary.sizes), 'file')}"
    return [("rows", rows), ("features", features), about]


def _training_score(model: Any, table: FileTable, most: int, client: Any) -> str:
    """Return the score on some rows of each file: all of them would cost more than the training."""
    import numpy as np
    import scipy.sparse as sp

    from svmosaic.cli.predict import model_score

    delayed = import_optional("dask", "train on a cluster").delayed
    n_rows = table.summary.n_rows
    blocks = zip(table.X.to_delayed().ravel(), table.y.to_delayed().ravel(), strict=True)
    drawn = client.gather(
        client.compute([delayed(_draw)(*block, most / n_rows, i) for i, block in enumerate(blocks)])
    )
    parts = [X for X, _ in drawn]
    X = sp.csr_array(sp.vstack(parts)) if sp.issparse(parts[0]) else np.concatenate(parts)
    y = np.concatenate([y for _, y in drawn])
    some = f" (on {y.size} rows drawn at random)" if y.size < n_rows else ""
    return f"{model_score(model, X, y):.4f}{some}"


def _draw(X: Any, y: Any, share: float, seed: int) -> tuple[Any, Any]:
    """Return a share of the rows of a block, drawn at random."""
    import numpy as np

    if share >= 1.0:
        return X, y
    size = min(y.size, max(1, round(share * y.size)))
    rows = np.sort(np.random.default_rng(seed).choice(y.size, size, replace=False))
    return X[rows], y[rows]
