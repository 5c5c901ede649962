"""What a fit on a cluster did and what it sent, for a person to read."""

from __future__ import annotations

from dataclasses import dataclass

from svmosaic.dask.sweeps import Traffic

__all__ = ["ClusterFitReport"]


@dataclass(frozen=True)
class ClusterFitReport:
    """What a fit on a cluster did and what it sent; ``print(report)`` shows it.

    Attributes
    ----------
    estimator : str
        The class that was fitted.
    n_samples, n_partitions, n_workers : int
        Distinct rows of positive weight, partitions, and workers at the start.
    n_in_play, n_support : int
        Samples that joined, and support vectors.
    n_lost : int
        Workers that were lost on the way.
    violation, dual_gap : float
        Where it ended.
    traffic : Traffic
        Rounds, sweeps and bytes.
    seconds : float
        Wall-clock time.
    """

    estimator: str
    n_samples: int
    n_partitions: int
    n_workers: int
    n_in_play: int
    n_support: int
    n_lost: int
    violation: float
    dual_gap: float
    traffic: Traffic
    seconds: float

    def __str__(self) -> str:
        sent = self.traffic
        mb = 1e-6
        lines = {
            "samples": f"{self.n_samples} in {self.n_partitions} partitions",
            "workers": f"{self.n_workers}; {self.n_lost} lost",
            "support vectors": f"{self.n_support}; {self.n_in_play} active samples",
            "violation": f"{self.violation:.3g}; dual gap {self.dual_gap:.3g}",
            "rounds": f"{sent.n_rounds}; {sent.n_sweeps} sweeps, {sent.n_updates} updates",
            "sent to each worker": (
                f"{sent.row_bytes * mb:.1f} MB of rows, {sent.change_bytes * mb:.1f} MB of changes"
            ),
            "sent to all workers": f"{sent.part_bytes * mb:.1f} MB of parts",
            "brought back": f"{sent.result_bytes * mb:.1f} MB from all workers",
            "seconds": (
                f"{self.seconds:.2f}; parts {sent.part_seconds:.2f}, active values "
                f"{sent.product_seconds:.2f}, values of the others {sent.outside_seconds:.2f}"
            ),
        }
        width = max(map(len, lines)) + 2
        return "\n".join(
            [self.estimator, *(f"  {name:<{width}}{text}" for name, text in lines.items())]
        )
