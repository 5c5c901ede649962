"""Decision boundaries."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_blobs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from svmosaic import NLSGDClassifier, OLLAWVClassifier
from svmosaic.plots import new_axes, plot_boundaries, plot_boundary, to_png, to_svg


@pytest.fixture(scope="module")
def two_classes():
    return make_blobs(80, centers=2, cluster_std=1.5, random_state=0)


def _legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_the_given_axes_are_used_and_returned(two_classes):
    X, y = two_classes
    ax = new_axes()

    returned = plot_boundary(OLLAWVClassifier().fit(X, y), X, y, ax=ax, resolution=20, title="t")

    assert returned is ax
    assert ax.get_title() == "t"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("feature 1", "feature 2")


def test_support_vectors_of_a_pipeline_lie_on_samples(two_classes):
    X, y = two_classes
    model = make_pipeline(MinMaxScaler(), OLLAWVClassifier()).fit(X, y)

    ax = plot_boundary(model, X, y, resolution=20)

    rings = ax.collections[-1].get_offsets()
    assert len(rings) == model[-1].support_.size
    np.testing.assert_allclose(rings, X[model[-1].support_], atol=1e-9)
    assert _legend(ax)[-1] == f"support vectors ({len(rings)})"


def test_a_model_on_sparse_data_can_be_drawn(two_classes):
    X, y = two_classes
    model = OLLAWVClassifier().fit(csr_array(X), y)

    ax = plot_boundary(model, X, y, resolution=20)

    assert b"<svg" in to_svg(ax)


@pytest.mark.parametrize("refine", [None, "full"])
def test_margins_are_where_the_model_has_them(two_classes, refine):
    X, y = two_classes
    model = OLLAWVClassifier(refine=refine, margin=0.25, C=2.0).fit(X, y)

    ax = plot_boundary(model, X, y, resolution=40)

    levels = sorted(level for c in ax.collections for level in getattr(c, "levels", [])[:1])
    expected = 0.5 if refine is None else 1.0
    assert {-expected, 0.0, expected} <= set(levels)


def test_many_classes_get_regions():
    X, y = make_blobs(60, centers=4, random_state=0)

    ax = plot_boundary(OLLAWVClassifier().fit(X, y), X, y, resolution=20, support=False)

    assert _legend(ax) == [f"class {c}" for c in range(4)]


class _Wedges:
    """Three classes that meet at the origin: angles below 120 degrees, below 240 and the rest."""

    classes_ = np.array(["a", "b", "c"])
    support_vectors_ = np.empty((0, 2))

    def predict(self, points):
        angle = np.degrees(np.arctan2(points[:, 1], points[:, 0])) % 360.0
        return self.classes_[(angle // 120.0).astype(int)]


def test_lines_between_many_classes_are_smooth():
    X = np.array([[-1.0, -1.0], [1.0, 1.0]])

    ax = plot_boundary(_Wedges(), X, ["a", "b"], support=False, resolution=50)

    lines = [c for c in ax.collections if tuple(getattr(c, "levels", ())) == (0.0,)]
    assert len(lines) == 3
    cell = np.ptp(ax.get_xlim()) / 49
    for line in lines:
        points = np.vstack([path.vertices for path in line.get_paths()])
        radius, angle = np.hypot(*points.T), np.arctan2(points[:, 1], points[:, 0])
        away = np.min(np.abs(np.sin(angle[:, None] - np.radians([0.0, 120.0, 240.0]))), axis=1)
        # Of a stair, the distance is up to half a cell; where three meet, the corner is rounded.
        assert np.all((away * radius)[radius > 3 * cell] < 0.13 * cell)


def test_columns_of_a_frame_name_the_axes():
    pandas = pytest.importorskip("pandas")
    X, y = make_blobs(60, centers=3, random_state=0)
    X = pandas.DataFrame(X, columns=["length (cm)", "width (cm)"])
    y = pandas.Series(np.array(["setosa", "versicolor", "virginica"])[y])
    model = make_pipeline(MinMaxScaler(), OLLAWVClassifier()).fit(X, y)

    ax = plot_boundary(model, X, y, resolution=20)

    # No warning that names were expected, which would be an error here.
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("length (cm)", "width (cm)")
    ax = plot_boundary(model, X, y, resolution=20, feature_names=("x", "y"))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x", "y")
    two = y != "setosa"
    pair = OLLAWVClassifier().fit(X[two], y[two])
    ax = plot_boundaries({"svm": pair}, X[two], y[two], resolution=20)
    assert ax.get_ylabel() == "width (cm)"


def test_long_names_fit_below_the_axes():
    X, y = make_blobs(60, centers=3, random_state=0)
    y = np.array(["setosa", "versicolor", "virginica"])[y]

    ax = plot_boundary(OLLAWVClassifier().fit(X, y), X, y, resolution=20)
    ax.figure.canvas.draw()

    box, page = ax.get_legend().get_window_extent(), ax.figure.bbox
    assert page.x0 <= box.x0 < box.x1 <= page.x1


def test_several_boundaries_share_a_figure(two_classes):
    X, y = two_classes
    models = {"OLLAWV": OLLAWVClassifier(refine=None).fit(X, y), "SVC": SVC().fit(X, y)}

    ax = plot_boundaries(models, X, y, bayes=lambda points: points[:, 0], resolution=20)

    assert _legend(ax) == ["class 0", "class 1", "OLLAWV", "SVC", "Bayes"]


def test_a_boundary_outside_the_picture_is_no_error(two_classes):
    X, y = two_classes

    ax = plot_boundaries({}, X, y, bayes=lambda points: np.ones(len(points)), resolution=20)

    assert _legend(ax)[-1] == "Bayes"


def test_more_than_two_features_are_refused():
    X, y = make_blobs(20, n_features=3, centers=2, random_state=0)

    with pytest.raises(ValueError, match="choose two features"):
        plot_boundary(OLLAWVClassifier().fit(X, y), X, y)


def test_more_than_two_classes_in_one_figure_are_refused():
    X, y = make_blobs(30, centers=3, random_state=0)

    with pytest.raises(ValueError, match="'all' has 3"):
        plot_boundaries({"all": OLLAWVClassifier().fit(X, y)}, X, y)


def test_the_same_figure_gives_the_same_bytes(two_classes):
    X, y = two_classes
    model = OLLAWVClassifier().fit(X, y)

    first, second = (to_svg(plot_boundary(model, X, y, resolution=20)) for _ in range(2))

    assert first == second
    assert to_png(plot_boundary(model, X, y, resolution=20)).startswith(b"\x89PNG")


def test_a_linear_online_classifier_has_no_rings(two_classes):
    X, y = two_classes
    model = make_pipeline(MinMaxScaler(), NLSGDClassifier(kernel="linear")).fit(X, y)

    ax = plot_boundary(model, X, y, resolution=20)

    assert ax.has_data()
