"""Draw the figures of a report; one that fails is reported and costs nothing else."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from svmosaic.exceptions import MissingDependencyError
from svmosaic.reports.document import Figure

__all__ = ["Studio"]


class Studio:
    """Draws figures and remembers what could not be drawn.

    Attributes
    ----------
    failures : list of str
        A sentence for each figure that failed.
    missing : str
        What to install, where the package that draws is not there.
    """

    def __init__(self) -> None:
        self.failures: list[str] = []
        self.missing = ""

    def draw(
        self, make: Callable[[], Any], alt: str, caption: str = "", *, wide: bool = False
    ) -> list[Figure]:
        """Return the figure that `make` draws, as a list of one; of none if it fails.

        Parameters
        ----------
        make : callable
            Returns axes.
        alt, caption, wide : optional
            As in `Figure`.
        """
        if self.missing:
            return []
        try:
            with warnings.catch_warnings():
                # A letter that the font does not have is drawn as a box; that is enough.
                warnings.simplefilter("ignore")
                from svmosaic.plots.style import to_svg

                return [Figure(to_svg(make()), "image/svg+xml", alt, caption, wide)]
        except MissingDependencyError as error:
            self.missing = str(error)
        except Exception as error:
            self.failures.append(f"{alt}: {type(error).__name__}: {error}")
        return []
