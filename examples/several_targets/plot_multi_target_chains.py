"""
Do chains of targets help?
==========================

Made-up sales of three products that depend on each other. One column has missing values, one
holds names. Each regressor is cross-validated with its whole pipeline, so that imputation,
coding, scaling and tuning see training rows only.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from svmosaic import SVRCC, SVRRC, SVRTC, SVRWC, MultiTargetSVR
from svmosaic.metrics.multi_target import average_rrmse
from svmosaic.plots import plot_chain

rng = np.random.default_rng(0)
price, advertising = rng.normal(size=(2, 120))
region = rng.integers(0, 4, 120)
first = np.tanh(advertising - price) + 0.3 * region
second = first**2 + 0.2 * rng.normal(size=120)
third = 0.5 * first - second + 0.2 * rng.normal(size=120)
advertising[rng.random(120) < 0.1] = np.nan
X, Y = np.column_stack([price, advertising, region]), np.column_stack([first, second, third])

# %%
prepare = make_column_transformer(
    (make_pipeline(SimpleImputer(), StandardScaler()), [0, 1]),
    (OneHotEncoder(handle_unknown="ignore", sparse_output=False), [2]),
)
for regressor in (MultiTargetSVR(), SVRCC(), SVRRC(), SVRWC(), SVRTC()):
    errors = []
    for train, test in KFold(3, shuffle=True, random_state=0).split(X):
        model = make_pipeline(prepare, regressor).fit(X[train], Y[train])
        errors.append(average_rrmse(Y[test], model.predict(X[test]), Y[train]))
    print(f"{regressor!s:32} aRRMSE {np.mean(errors):.3f}")

# %%
# SVRCC orders the targets by their correlations, and each one sees those before it.
order = SVRCC().fit(prepare.fit_transform(X), Y).chains_[0]
fig, ax = plt.subplots(layout="constrained")
plot_chain(Y, order, names=["A", "B", "C"], ax=ax, title="The order of the chain")
