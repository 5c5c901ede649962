"""What came out of a prequential evaluation: records, predictions, alarms."""

from __future__ import annotations

import csv
import math
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmosaic.metrics.drift_alarms import AlarmScores, score_alarms
from svmosaic.utils.atomic import atomic_write
from svmosaic.utils.optional import import_optional
from svmosaic.utils.shown_table import ShownAsTable, ShownTable

__all__ = ["SECONDS", "PrequentialResult"]

# The times in a record.
SECONDS = ("train_seconds", "test_seconds", "train_cpu_seconds", "test_cpu_seconds")


@dataclass(frozen=True, repr=False)
class PrequentialResult(ShownAsTable):
    """The records of an evaluation, one per learner and chunk.

    Attributes
    ----------
    records : list of dict
        ``learner``, ``begin`` and ``end`` (samples), each measure over all predictions so far and
        with ``window_`` before its name over the last ones, ``train_seconds`` and
        ``test_seconds``, the same of the processor as ``train_cpu_seconds`` and
        ``test_cpu_seconds``, how often it restarted as ``n_drifts`` if it says so, and what it
        says of its size, measured with every tenth record.
    drifts : tuple of int
        Where the stream changes its concept, if it says so.
    labels : ndarray of shape (n_samples,)
        The true labels, if predictions were kept.
    predictions : dict of str to ndarray
        What each learner predicted, if it was kept: the labels of the last samples, as many as the
        array is long. The first samples are only learned from.
    baselines : list of dict
        Records of the predictions "the label before" (``no-change``) and "the class that came most
        often" (``majority``), both of which know every label as soon as it arrives: ``learner``,
        ``begin``, ``end`` and the measures. Their samples are those that all learners predicted.
    """

    records: list[dict[str, Any]]
    drifts: tuple[int, ...] = ()
    labels: NDArray[Any] = field(default_factory=lambda: np.empty(0))
    predictions: dict[str, NDArray[Any]] = field(default_factory=dict)
    baselines: list[dict[str, Any]] = field(default_factory=list)

    def last(self) -> dict[str, dict[str, Any]]:
        """Return the last record of each learner, by its name.

        Returns
        -------
        dict of str to dict
            The records, by learner.
        """
        return {record["learner"]: record for record in self.records}

    def last_baselines(self) -> dict[str, dict[str, Any]]:
        """Return the last record of each baseline, by its name.

        Returns
        -------
        dict of str to dict
            The records, by baseline.
        """
        return {record["learner"]: record for record in self.baselines}

    def of(self, learner: str) -> list[dict[str, Any]]:
        """Return the records of one learner, in order.

        Parameters
        ----------
        learner : str
            Name of the learner.

        Returns
        -------
        list of dict
            One record per chunk.
        """
        return [record for record in self.records if record["learner"] == learner]

    def seconds(self) -> dict[str, float]:
        """Return training and test seconds of each learner, all chunks together.

        Returns
        -------
        dict of str to float
            The seconds, by learner.
        """
        sums: dict[str, float] = {}
        for record in self.records:
            spent = record["train_seconds"] + record["test_seconds"]
            sums[record["learner"]] = sums.get(record["learner"], 0.0) + spent
        return sums

    def summary(self) -> list[dict[str, Any]]:
        """Return one record per learner: its measures at the end, and what the whole run took.

        Returns
        -------
        list of dict
            ``learner``, ``n_samples``, the measures over all predictions and over the last
            window, the seconds of all chunks, ``samples_per_second`` of training and test
            together, and the size at the end.

        Examples
        --------
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from svmosaic.streams import SEA, prequential
        >>> (row,) = prequential(GaussianNB(), SEA(seed=1), n_samples=3000).summary()
        >>> row["learner"], row["n_samples"], row["samples_per_second"] > 0
        ('GaussianNB', 3000, True)
        """
        rows = []
        for name, last in self.last().items():
            records = self.of(name)
            sums = {name: math.fsum(record[name] for record in records) for name in SECONDS}
            spent = sums["train_seconds"] + sums["test_seconds"]
            measured = {k: v for k, v in last.items() if k not in ("learner", "begin", "end")}
            rows.append(
                {
                    "learner": name,
                    "n_samples": last["end"],
                    **measured,
                    **sums,
                    "samples_per_second": last["end"] / spent if spent > 0 else math.inf,
                }
            )
        return rows

    def baseline_summary(self) -> list[dict[str, Any]]:
        """Return one record per baseline: ``learner``, ``n_samples`` and its measures at the end.

        Returns
        -------
        list of dict
            ``no-change`` and ``majority``. Whoever is not above both has learned nothing.

        Examples
        --------
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from svmosaic.streams import SEA, prequential
        >>> result = prequential(GaussianNB(), SEA(seed=1), n_samples=3000)
        >>> [row["learner"] for row in result.baseline_summary()]
        ['no-change', 'majority']
        """
        return [
            {"learner": name, "n_samples": last["end"]}
            | {k: v for k, v in last.items() if k not in ("learner", "begin", "end")}
            for name, last in self.last_baselines().items()
        ]

    def _shown(self) -> ShownTable:
        rows = self.summary()
        # The measures, in the order in which they were asked for; their windows are on the curves.
        sizes = {"learner", "begin", "end", "n_drifts", *SECONDS}
        measures = [
            name
            for name in (self.records[0] if self.records else ())
            if name not in sizes and f"window_{name}" in self.records[0]
        ]
        return ShownTable(
            f"{len(rows)} learners on {max((row['n_samples'] for row in rows), default=0)} samples",
            ["learner", *measures, "samples/s"],
            [
                [
                    row["learner"],
                    *(f"{row[name]:.4f}" for name in measures),
                    f"{row['samples_per_second']:.0f}",
                ]
                for row in rows
            ]
            + [
                [row["learner"], *(f"{row[name]:.4f}" for name in measures), ""]
                for row in self.baseline_summary()
            ],
            f"{len(self.drifts)} changes of concept" if self.drifts else "",
        )

    def alarms(self, learner: str) -> list[int]:
        """Return after how many samples a learner restarted; the ends of chunks in which it did.

        A learner says so by an attribute `n_drifts_`, as `StreamOLLAWV` does.

        Parameters
        ----------
        learner : str
            Name of the learner.

        Returns
        -------
        list of int
            Numbers of samples.
        """
        found, before = [], 0
        for record in self.of(learner):
            now = record.get("n_drifts", 0)
            if now > before:
                found.append(int(record["end"]))
            before = now
        return found

    def alarm_scores(self, *, horizon: int | None = None) -> dict[str, AlarmScores]:
        """Return how well the learners found the changes of concept; see `score_alarms`.

        Only learners that say when they restart are in it, and a delay counts to the end of the
        chunk. Without known changes every alarm is a false one.

        Parameters
        ----------
        horizon : int, default=None
            Samples after a change in which an alarm counts for it; None means until the next one.

        Returns
        -------
        dict of str to AlarmScores
            The scores, by learner.

        Examples
        --------
        >>> from svmosaic import StreamOLLAWV
        >>> from svmosaic.streams import prequential, stream
        >>> result = prequential(StreamOLLAWV(), stream("SEASuddenAN0", n_samples=8000))
        >>> scores = result.alarm_scores()["StreamOLLAWV"]
        >>> scores.n_found + scores.n_missed
        3
        """
        return {
            name: score_alarms(
                self.alarms(name),
                [drift for drift in self.drifts if drift < last["end"]],
                last["end"],
                horizon=horizon,
            )
            for name, last in self.last().items()
            if "n_drifts" in last
        }

    def predictions_to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write each sample as a line: its number from 0, its label, and all predictions.

        A field is empty where a learner did not predict yet. The file appears whole or not at all.

        Parameters
        ----------
        path : path-like
            The file.
        """
        if not self.predictions:
            raise ValueError(
                "No predictions were kept. Call prequential with keep_predictions=True."
            )
        n = self.labels.size
        columns = [[""] * (n - kept.size) + kept.tolist() for kept in self.predictions.values()]
        with atomic_write(path) as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(["sample", "label", *self.predictions])
            writer.writerows(zip(range(n), self.labels.tolist(), *columns, strict=True))

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the records, then those of the baselines; the file appears whole or not at all.

        Parameters
        ----------
        path : path-like
            The file.
        """
        with atomic_write(path) as stream:
            writer = csv.DictWriter(stream, self._columns(), restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.records)
            writer.writerows(self.baselines)

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write the same as a parquet file, whole or not at all; needs pyarrow.

        Parameters
        ----------
        path : path-like
            The file.
        """
        purpose = "write parquet files"
        arrow = import_optional("pyarrow", purpose)
        parquet = import_optional("pyarrow.parquet", purpose)
        records = [*self.records, *self.baselines]
        columns = {n: [record.get(n) for record in records] for n in self._columns()}
        with atomic_write(path, "wb") as stream:
            parquet.write_table(arrow.table(columns), stream)

    def _columns(self) -> list[str]:
        return list(dict.fromkeys(name for record in self.records for name in record))
