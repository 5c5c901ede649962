"""The memory for kernel columns changes how long a fit takes, and no bit of the model.

By default it is a share of the memory that is free, which differs from day to day.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_classification

from same_state import identical
from svmosaic import (
    KernelPrimalSVC,
    MNSVMClassifier,
    NLSGDClassifier,
    NNISDAClassifier,
    NuSMOClassifier,
    NuSMORegressor,
    OLLAL2Classifier,
    OLLAWVClassifier,
    OneClassSMO,
    SMOClassifier,
    SMORegressor,
    UniformSVC,
)
from svmosaic.multi_instance.peers import BagMISVMClassifier, InstanceMISVMClassifier

SIZES = (0.0, 0.3, 3.0, 100.0, "auto")
ESTIMATORS = [
    OLLAWVClassifier(),
    OLLAWVClassifier(refine=None),
    SMOClassifier(C=10.0),
    SMOClassifier(shrinking=False),
    SMOClassifier(variant="simple", random_state=0),
    SMORegressor(),
    NuSMOClassifier(nu=0.3),
    NuSMORegressor(),
    OneClassSMO(nu=0.2),
    MNSVMClassifier(random_state=0),
    NNISDAClassifier(),
    KernelPrimalSVC(),
    UniformSVC(),
    NLSGDClassifier(random_state=0),
    OLLAL2Classifier(random_state=0),
]
# They update a pair or a sample at a time, in any order.
SLOW = [
    model
    for model in ESTIMATORS
    if isinstance(model, UniformSVC) or getattr(model, "variant", None) == "simple"
]


def name_of(model):
    changed = {k: v for k, v in model.get_params().items() if v != type(model)().get_params()[k]}
    return f"{type(model).__name__} {changed or ''}"


def fitted_state(model, X, y, cache_mb, n_jobs=1):
    model = clone(model).set_params(cache_mb=cache_mb, n_jobs=n_jobs).fit(X, y)
    left_out = {"_fit_report", *model.get_params()}
    return {name: value for name, value in vars(model).items() if name not in left_out}


def rows(n, n_classes, dtype, form):
    X, y = make_classification(
        n, n_features=6, n_informative=5, n_redundant=0, n_classes=n_classes, flip_y=0.1,
        random_state=0,
    )  # fmt: skip
    X = X.astype(dtype)
    return (sp.csr_matrix(np.where(np.abs(X) < 0.5, 0, X)) if form == "sparse" else X), y


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("model", ESTIMATORS, ids=name_of)
def test_no_bit_of_a_model_depends_on_its_memory(model, form):
    n_samples = 200 if model in SLOW else 700
    X, y = rows(n_samples, 3, np.float32, form)
    expected = fitted_state(model, X, y, 200.0)

    for size in SIZES:
        assert identical(fitted_state(model, X, y, size), expected), size


@pytest.mark.parametrize(
    ("kind", "n_samples"),
    [
        *((kind, 3_000) for kind in (OLLAWVClassifier, SMOClassifier, SMORegressor)),
        # From clusters.
        (OLLAWVClassifier, 10_500),
    ],
)
def test_no_bit_of_a_large_model_depends_on_its_memory(kind, n_samples):
    # In rounds; then with clusters, and with more variables than a block has.
    X, y = rows(n_samples, 2, np.float32, "dense")
    expected = fitted_state(kind(), X, y, 2000.0)

    for size, n_jobs in ((0.0, 1), (1.0, 2), (20.0, 1), ("auto", 2)):
        assert identical(fitted_state(kind(), X, y, size, n_jobs), expected), size


@pytest.mark.parametrize("kind", [BagMISVMClassifier, InstanceMISVMClassifier])
def test_no_bit_of_a_classifier_of_bags_depends_on_its_memory(kind):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    bags = [rng.normal(0.7 * label, 1.0, (8, 3)) for label in y]

    values = [kind(cache_mb=size).fit(bags, y).decision_function(bags) for size in SIZES]

    for other in values[1:]:
        assert identical(other, values[0])
