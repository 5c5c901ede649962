"""``svmosaic predict --scheduler``: predict files of any length on a Dask cluster."""

from __future__ import annotations

import argparse
from typing import Any

from svmosaic.cli.cluster import connect, show_log
from svmosaic.cli.console import note
from svmosaic.utils.wording import plural

__all__ = ["predict_on_cluster"]


def predict_on_cluster(args: argparse.Namespace, model: Any) -> None:
    """Write one parquet file per data file, and show the accuracy where there are labels."""
    # Imported here: the numerical libraries take a second, and the help does not need them.
    from svmosaic.cli.data_kinds import data_kind, select_columns
    from svmosaic.cli.model_parts import final_estimator
    from svmosaic.dask.file_prediction import predict_files

    kind = data_kind(final_estimator(model))
    columns = select_columns(args, kind, f"the model {args.model}")
    if columns.id is not None:
        raise ValueError(
            "--id is not for --scheduler: predictions are in the order of the rows of each file. "
            "Leave it out."
        )
    if kind != "rows":
        raise ValueError(
            f"{args.model} predicts {'bags' if kind == 'bags' else 'several targets'}, which "
            "--scheduler does not do. Leave --scheduler out."
        )
    with connect(args.scheduler) as client, show_log(verbose=False):
        done = predict_files(
            model,
            args.data,
            args.output,
            target=args.target,
            format=args.format,
            decision=args.decision,
            reading=columns.for_workers(),
            client=client,
        )
    n_rows = sum(one.n_rows for one in done)
    print(f"{plural(n_rows, 'row')} of {plural(len(done), 'file')} predicted into {args.output}")
    labelled = [one for one in done if one.n_right is not None]
    if labelled:
        right = sum(one.n_right or 0 for one in labelled)
        rows = sum(one.n_rows for one in labelled)
        note(f"accuracy {right / rows:.4f} ({right} of {plural(rows, 'row')} right)")
