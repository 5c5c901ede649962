"""Figures of classifiers of bags: passes and boundaries."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from multi_instance.toy_bags import needle_bags
from svmosaic import MIRSVMClassifier
from svmosaic.multi_instance import BagTransformer
from svmosaic.plots import plot_agreement, plot_bag_boundary, to_svg


@pytest.fixture(scope="module")
def fitted():
    parts, y = needle_bags(n_features=2)
    model = make_pipeline(BagTransformer(StandardScaler()), MIRSVMClassifier(random_state=0))
    return model.fit(parts, y), parts, y


def test_a_curve_has_a_point_for_each_pass(fitted):
    model, _, _ = fitted
    ax = plot_agreement({"toy": model, "again": model}, title="passes")

    line = ax.get_lines()[0]
    np.testing.assert_array_equal(line.get_ydata(), model[-1].agreement_)
    np.testing.assert_array_equal(line.get_xdata(), np.arange(1, model[-1].n_passes_ + 1))
    assert b"<svg" in to_svg(ax)
    assert plot_agreement(model).get_ylabel() == "share of representatives unchanged"


def test_a_model_without_passes_is_refused():
    with pytest.raises(ValueError, match="expects fitted classifiers with 'agreement_'"):
        plot_agreement(MIRSVMClassifier())


def test_the_boundary_shows_representatives_and_support_vectors(fitted):
    model, parts, y = fitted
    ax = plot_bag_boundary(model, parts, y, resolution=20, title="bags")

    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names[:2] == ["class 0", "class 1"]
    assert names[-1] == "boundary"
    assert f"support vectors ({model[-1].support_.size})" in names
    assert b"<svg" in to_svg(ax)


def test_other_bags_need_no_representatives(fitted):
    model, parts, y = fitted

    with pytest.raises(ValueError, match="expects the bags that the model was trained on"):
        plot_bag_boundary(model, parts[:3], y[:3], resolution=10)
    ax = plot_bag_boundary(model, parts[:3], y[:3], resolution=10, representatives=False)
    assert "representatives" not in [text.get_text() for text in ax.get_legend().get_texts()]


def test_two_features_and_two_classes_are_needed(fitted):
    parts, y = needle_bags()
    model = MIRSVMClassifier(random_state=0).fit(parts, y)

    with pytest.raises(ValueError, match="shape \\(n_samples, 2\\)"):
        plot_bag_boundary(model, parts, y)
    three = MIRSVMClassifier(random_state=0).fit([p[:, :2] for p in parts], np.arange(24) % 3)
    with pytest.raises(ValueError, match=r"expects a model of 2 classes. Got one of 3"):
        plot_bag_boundary(three, [p[:, :2] for p in parts], np.arange(24) % 3)
