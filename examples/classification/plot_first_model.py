"""
A first model
=============

Two moons, an exact kernel SVM, and the boundary that it draws. Rings mark the support vectors:
the rows that the model keeps.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from svmosaic import OLLAWVClassifier
from svmosaic.plots import plot_boundary

X, y = make_moons(300, noise=0.2, random_state=0)
model = OLLAWVClassifier(gamma=2.0, C=10.0).fit(X, y)

fig, ax = plt.subplots(layout="constrained")
plot_boundary(model, X, y, ax=ax, title=f"{model.support_.size} support vectors of 300 rows")

# %%
# The report says what the fit did and what it cost.
print(model.fit_report_)
