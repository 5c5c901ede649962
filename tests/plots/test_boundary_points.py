"""Figures of boundary points and widths."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons

from svmosaic import (
    OnlineSVMCBPClassifier,
    SVMCBPClassifier,
    characteristic_boundary_points,
)
from svmosaic.plots import (
    new_axes,
    plot_boundary_points,
    plot_sigma_lambda,
    plot_width_profile,
    to_svg,
)


@pytest.fixture(scope="module")
def moons():
    return make_moons(60, noise=0.2, random_state=0)


def test_every_boundary_point_has_its_ball(moons):
    found = characteristic_boundary_points(*moons)

    ax = plot_boundary_points(*moons, sigma=0.5, ax=new_axes(), title="moons")

    (balls,) = (c for c in ax.collections if type(c).__name__ == "PatchCollection")
    assert len(balls.get_paths()) == found.radii.size
    drawn = ax.collections[-1].get_offsets()
    np.testing.assert_allclose(np.asarray(drawn), found.points)
    bar = ax.get_lines()[0].get_xdata()
    assert bar[1] - bar[0] == pytest.approx(0.5)
    assert to_svg(ax)


def test_samples_of_more_features_are_refused():
    with pytest.raises(ValueError, match=r"shape \(n_samples, 2\)"):
        plot_boundary_points(*load_iris(return_X_y=True))


def test_the_profile_shows_the_terms_of_the_fitted_classifiers(moons):
    X, y = moons
    sigmas = [0.2, 0.6]

    ax = plot_width_profile(SVMCBPClassifier(), X, y, X, y, sigmas=sigmas)

    norms = [SVMCBPClassifier(sigma=s).fit(X, y).norm_[0] for s in (0.6, 0.2)]
    curves = {line.get_label(): line for line in ax.get_lines()}
    np.testing.assert_array_equal(curves["norm"].get_xdata(), [0.6, 0.2])
    np.testing.assert_allclose(curves["norm"].get_ydata(), np.array(norms) / max(norms))
    assert set(curves) == {"norm", "error", "training accuracy", "test accuracy"}


@pytest.mark.parametrize("gradient", [True, False])
def test_the_profile_of_an_online_classifier(moons, gradient):
    model = OnlineSVMCBPClassifier(max_iter=200)

    ax = plot_width_profile(model, *moons, sigmas=[0.2, 0.6], gradient=gradient)

    second = "change of the norm" if gradient else "error"
    assert [line.get_label() for line in ax.get_lines()][:2] == ["norm", second]


def test_one_panel_for_every_sigma_and_lambda(moons):
    figure = plot_sigma_lambda(
        SVMCBPClassifier(), *moons, sigmas=[0.2, 1.0], lams=[0.1, 1.0, 10.0], resolution=15
    )

    titles = [ax.get_title() for ax in figure.axes]
    assert len(titles) == 6
    assert titles[0] == "sigma 0.2, lambda 0.1"
