"""Transformers of instances before classifiers of bags."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from multi_instance.toy_bags import needle_bags
from svmosaic.bags import Bags
from svmosaic.multi_instance import BagTransformer, MIRSVMClassifier


def test_instances_are_transformed_and_bags_stay():
    parts, y = needle_bags()
    flat = np.vstack(parts)

    bags = BagTransformer(StandardScaler()).fit_transform(parts, y)

    assert isinstance(bags, Bags)
    assert_allclose(bags.instances, StandardScaler().fit_transform(flat))
    assert_array_equal(bags.sizes, [len(part) for part in parts])


def test_the_scale_is_that_of_training_bags():
    parts, _ = needle_bags()
    scaler = BagTransformer(MinMaxScaler()).fit(parts[:10])

    assert scaler.transform(parts[10:]).instances.min() < 0.0


def test_flat_instances_with_ids():
    parts, _ = needle_bags()
    flat, ids = np.vstack(parts), np.repeat(np.arange(24), [len(p) for p in parts])

    bags = BagTransformer(MinMaxScaler()).fit(flat, bags=ids).transform(flat, bags=ids)

    assert_array_equal(bags.sizes, [len(part) for part in parts])


def test_sparse_instances_stay_sparse():
    parts = [sp.csr_array(part) for part in needle_bags()[0]]

    assert sp.issparse(BagTransformer(MaxAbsScaler()).fit_transform(parts).instances)


def test_a_supervised_transformer_gets_the_label_of_the_bag():
    parts, y = needle_bags()
    bags = BagTransformer(LinearDiscriminantAnalysis()).fit(parts, y).transform(parts)

    assert bags.n_features == 1


def test_missing_values_are_for_imputers():
    parts, y = needle_bags()
    parts[0][0, 0] = np.nan

    with pytest.raises(ValueError, match="NaN"):
        BagTransformer(MinMaxScaler()).fit(parts)
    imputer = BagTransformer(SimpleImputer(), allow_nan=True)
    model = make_pipeline(imputer, MIRSVMClassifier(random_state=0)).fit(parts, y)
    assert model.predict(parts).shape == (24,)


def test_pipelines_search_and_clone():
    parts, y = needle_bags(n_bags=30)
    bags = Bags.from_list(parts)
    pipeline = make_pipeline(
        BagTransformer(MinMaxScaler()), BagTransformer(PCA()), MIRSVMClassifier(random_state=0)
    )
    grid = {"mirsvmclassifier__C": [1.0, 10.0], "bagtransformer-2__transformer__n_components": [2]}

    search = GridSearchCV(clone(pipeline), grid, cv=3, scoring="roc_auc").fit(bags, y)

    assert search.best_score_ > 0.6
    assert cross_val_score(pipeline, bags, y, cv=3).shape == (3,)


class Halver(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        self.fitted_ = True
        return self

    def transform(self, X):
        return X[::2]


def test_a_transformer_that_drops_rows_is_refused():
    parts, _ = needle_bags()

    with pytest.raises(ValueError, match="Halver made"):
        BagTransformer(Halver()).fit_transform(parts)


def test_another_number_of_features_is_refused():
    parts, _ = needle_bags()

    with pytest.raises(ValueError, match="BagTransformer was trained on instances with 3"):
        BagTransformer(MinMaxScaler()).fit(parts).transform([np.zeros((1, 2))])
