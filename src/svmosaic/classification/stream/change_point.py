"""Where in a chunk the errors of a learner begin to be more frequent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["ChangePoint", "likeliest_change"]


@dataclass(frozen=True)
class ChangePoint:
    """A place from which on errors are more frequent than expected.

    Attributes
    ----------
    begin : int
        The first sample after the change.
    evidence : float
        Logarithm of the likelihood ratio of a change there to no change; 0 if errors are as rare as
        expected or rarer.
    """

    begin: int
    evidence: float


def likeliest_change(wrong: npt.NDArray[np.bool_], expected: float) -> ChangePoint:
    """Return the likeliest change to a higher share of errors that lasts to the end of the chunk.

    Parameters
    ----------
    wrong : ndarray of bool
        Whether each prediction is wrong, in their order.
    expected : float
        The share of errors before, strictly between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.classification.stream.change_point import likeliest_change
    >>> wrong = np.arange(100) % 10 == 0
    >>> wrong[80:] = True
    >>> likeliest_change(wrong, 0.1).begin
    80
    """
    # The likeliest suffix begins with an error. For each of those: its length, its errors, and the
    # gain of its own share over the expected one.
    begins = np.flatnonzero(wrong)
    if begins.size == 0:
        return ChangePoint(0, 0.0)
    length = wrong.size - begins
    n_wrong = np.arange(begins.size, 0, -1)
    right = length - n_wrong
    share = n_wrong / length
    # Without right ones, what their share is compared with does not matter.
    hits = right * np.log(np.where(right > 0, 1.0 - share, 1.0) / (1.0 - expected))
    evidence = np.where(share > expected, n_wrong * np.log(share / expected) + hits, 0.0)
    place = int(evidence.argmax())
    if evidence[place] <= 0.0:
        return ChangePoint(0, 0.0)
    return ChangePoint(int(begins[place]), float(evidence[place]))
