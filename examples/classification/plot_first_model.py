"""
A first model
=============

Two moons, an exact kernel SVM, and the boundary that it draws.
"""

from sklearn.datasets import make_moons
from svmosaic import OLLAWVClassifier
from svmosaic.plots import plot_boundary

X, y = make_moons(300, noise=0.2, random_state=0)
model = OLLAWVClassifier(gamma=2.0, C=10.0).fit(X, y)
print(model.fit_report_)
plot_boundary(model, X, y)
