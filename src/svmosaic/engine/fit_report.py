"""What a fit did and what it cost, for a person to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from svmosaic.engine.counters import PhaseSeconds, SolveCounters
from svmosaic.engine.problem import DoubleArray, Problem, Solution
from svmosaic.utils.progress import log_lines
from svmosaic.utils.threads import resolve_threads
from svmosaic.utils.wording import plural

__all__ = ["FitReport", "ReportedFit", "report_fit"]

_MB = 1024 * 1024
_SHOWN_SECONDS = 0.0005
# The phases of a solver, in the order in which they are shown.
_PHASES = ("selection", "clusters", "start", "solving", "certificate")


@dataclass(frozen=True)
class FitReport:
    """What a fit did and what it cost.

    ``print(report)`` shows all of it. Two reports are equal if their counts are: seconds are not
    compared.

    Attributes
    ----------
    estimator : str
        The class that was fitted.
    n_samples : int
        Training samples: distinct rows of positive weight.
    n_support : int
        Support vectors; one of several binary problems counts once.
    n_problems : int
        Binary problems.
    stop_reasons : dict of str to int
        Why the problems were left, and how many for each reason; see ``stop_reason_``.
    dual_gap : float or None
        The largest of ``dual_gap_``; None where nothing is certified.
    counters : SolveCounters
        The work of all problems together.
    n_certificate_values : int
        The kernel values between the samples and the support vectors of each problem, the least
        that any certificate of optimality needs: n_samples * n_support if there is one problem.
    n_threads : int
        Threads that the solver could use.
    cache_mb : float
        Memory in MB that kernel columns could take.
    seconds : float
        Wall-clock time of `fit`.
    preparation_seconds : float
        The part of it before the solver: checks, distinct rows, binary problems.
    phases : PhaseSeconds
        Wall-clock time of the solver by phase, summed over the problems. Problems that ran side by
        side can have more of it than `seconds`.
    """

    estimator: str
    n_samples: int
    n_support: int
    n_problems: int
    stop_reasons: dict[str, int]
    dual_gap: float | None
    counters: SolveCounters
    n_certificate_values: int
    n_threads: int = field(compare=False)
    cache_mb: float = field(compare=False)
    seconds: float = field(compare=False)
    preparation_seconds: float = field(compare=False)
    phases: PhaseSeconds = field(compare=False)

    @property
    def kernel_value_ratio(self) -> float:
        """Kernel values computed, as a multiple of those that a certificate needs.

        No exact solver can do with much less than 1.
        """
        return self.counters.n_kernel_values / max(1, self.n_certificate_values)

    def fields(self) -> list[tuple[str, str]]:
        """Return names and values as text, in the order of the report."""
        counters = self.counters
        shown = [("samples", str(self.n_samples)), ("support vectors", str(self.n_support))]
        if self.n_problems > 1:
            shown.append(("binary problems", str(self.n_problems)))
        gap = "not computed" if self.dual_gap is None else f"{self.dual_gap:.3g}"
        ratio = f"{self.kernel_value_ratio:.1f} x (samples x support vectors)"
        shown += [
            ("stop reason", self._reasons()),
            ("dual gap", gap),
            ("kernel values", f"{counters.n_kernel_values:,}, {ratio}"),
            ("kernel columns", f"{counters.n_columns:,}; {self._cache()}"),
        ]
        if counters.n_selections:
            shown.append(("selection steps", f"{counters.n_selections:,}"))
        if counters.n_updates:
            shown.append(("updates", f"{counters.n_updates:,}"))
        if counters.n_rounds:
            blocks = f", {plural(counters.n_blocks, 'block')}" if counters.n_blocks else ""
            shown.append(("rounds", f"{counters.n_rounds}{blocks}"))
        if counters.n_sweeps:
            lengths = f"mean length {counters.theta_mean:.2f}, least {counters.theta_min:.2f}"
            shown.append(("joint steps", f"{counters.n_sweeps}; {lengths}"))
        return [*shown, ("threads", str(self.n_threads)), ("seconds", self._seconds())]

    def _reasons(self) -> str:
        if len(self.stop_reasons) == 1:
            return next(iter(self.stop_reasons))
        return ", ".join(f"{count} {reason}" for reason, count in self.stop_reasons.items())

    def _cache(self) -> str:
        used = f"{self.counters.cache_bytes / _MB:.1f} MB kept"
        if not np.isfinite(self.cache_mb):
            return used
        whose = " by the largest problem" if self.n_problems > 1 else ""
        return f"{used}{whose}, {self.cache_mb:.0f} MB allowed"

    def _seconds(self) -> str:
        parts = [
            f"{name} {seconds:.3f}"
            for name in _PHASES
            if (seconds := getattr(self.phases, name)) >= _SHOWN_SECONDS
        ]
        text = f"{self.seconds:.3f}; preparation {self.preparation_seconds:.3f}"
        if not parts:
            return text
        return f"{text}, {'all problems: ' if self.n_problems > 1 else ''}{', '.join(parts)}"

    def __str__(self) -> str:
        shown = self.fields()
        width = max(len(name) for name, _ in shown)
        return "\n".join([self.estimator, *(f"  {name:<{width}}  {text}" for name, text in shown)])

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr><th style="text-align: left">{escape(name)}</th>'
            f'<td style="text-align: left">{escape(text)}</td></tr>'
            for name, text in self.fields()
        )
        return f"<table><caption>{escape(self.estimator)}</caption>{rows}</table>"


class ReportedFit:
    """Mixin of the estimators that say what their fit did: their base or they set the report."""

    _fit_report: FitReport
    dual_gap_: DoubleArray
    support_: Any
    n_jobs: int | None
    verbose: int

    @property
    def fit_report_(self) -> FitReport:
        """What `fit` did and what it cost."""
        report: FitReport | None = vars(self).get("_fit_report")
        if report is None:
            raise AttributeError(
                f"This {type(self).__name__} has no fit_report_: only `fit` makes one, and model "
                "files do not hold it."
            )
        return report


def report_fit(
    estimator: ReportedFit,
    problems: Sequence[Problem],
    solutions: Sequence[Solution],
    *,
    n_samples: int,
    seconds: float,
    preparation_seconds: float,
) -> FitReport:
    """Return the report of a fit, whose results are set; log it if the estimator is `verbose`."""
    known = estimator.dual_gap_[np.isfinite(estimator.dual_gap_)]
    reasons = Counter(solution.status for solution in solutions)
    report = FitReport(
        estimator=type(estimator).__name__,
        n_samples=n_samples,
        n_support=int(estimator.support_.size),
        n_problems=len(problems),
        stop_reasons={str(reason): count for reason, count in sorted(reasons.items())},
        dual_gap=float(known.max()) if known.size else None,
        counters=SolveCounters.total(solution.counters for solution in solutions),
        n_certificate_values=sum(
            problem.samples.size * solution.support.size
            for problem, solution in zip(problems, solutions, strict=True)
        ),
        n_threads=resolve_threads(estimator.n_jobs),
        cache_mb=max(solution.cache_mb for solution in solutions),
        seconds=seconds,
        preparation_seconds=preparation_seconds,
        phases=PhaseSeconds.sum_of(solution.seconds for solution in solutions),
    )
    if estimator.verbose:
        log_lines(str(report))
    return report
