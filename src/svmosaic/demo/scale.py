"""How much the demo does."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FULL", "QUICK", "Scale"]


@dataclass(frozen=True)
class Scale:
    """Sizes of all chapters.

    Attributes
    ----------
    compared : dict of str to str
        Data sets to compare on with SVC: the name to show, and that of the registry.
    gammas : tuple of float
        Values of gamma to tune over, as multiples of 1 / (n_features * X.var()).
    Cs : tuple of float
        Values of C to tune over.
    n_folds : int
        Folds of the tuning, of the bags and of the ranking.
    sizes : tuple of int
        Training rows of the fits whose times are compared.
    most_seconds : float
        The sizes end after a fit of SVC that took longer.
    n_gaussian : int
        Samples of the figure with the boundary.
    target_sizes : tuple of int
        Training rows for several targets.
    n_bags : int
        Bags of the figure of bags.
    n_stream : int
        Samples of the stream.
    ranked : tuple of str
        Data sets of the ranking.
    """

    compared: dict[str, str]
    gammas: tuple[float, ...]
    Cs: tuple[float, ...]
    n_folds: int
    sizes: tuple[int, ...]
    most_seconds: float
    n_gaussian: int
    target_sizes: tuple[int, ...]
    n_bags: int
    n_stream: int
    ranked: tuple[str, ...]


# The small sets come with the package.
FULL = Scale(
    compared={"wine": "wine", "cancer": "sklearn-breast-cancer", "digits": "sklearn-digits"},
    gammas=(1 / 4, 1.0, 4.0),
    Cs=(1.0, 10.0, 100.0),
    n_folds=5,
    sizes=(1000, 2000, 5000, 10_000, 20_000),
    most_seconds=3.0,
    n_gaussian=400,
    target_sizes=(60, 120, 240),
    n_bags=60,
    n_stream=30_000,
    ranked=(
        *("australian", "cancer", "dermatology", "fertility", "glass", "heart", "ionosphere"),
        *("iris", "liver", "sonar", "spect", "teach", "vote", "wine"),
    ),
)
QUICK = Scale(
    compared={"wine": "wine"},
    gammas=(0.25, 1.0),
    Cs=(1.0, 10.0),
    n_folds=3,
    sizes=(300, 600),
    most_seconds=3.0,
    n_gaussian=60,
    target_sizes=(30, 40),
    n_bags=20,
    n_stream=3000,
    ranked=("iris", "teach", "wine", "fertility"),
)
