"""
One line for existing code
==========================

``patch_sklearn`` puts the classes of this package in the place of scikit-learn's. Code that was
written for scikit-learn then runs as it is, here a learning curve.
"""

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import learning_curve

import svmosaic

X, y = make_classification(3_000, 20, n_informative=10, flip_y=0.1, random_state=0)


def existing_code():
    """Stand for a program that imports SVC from scikit-learn."""
    from sklearn.svm import SVC

    return learning_curve(SVC(C=10.0), X, y, train_sizes=np.linspace(0.1, 1, 5), cv=3)


begin = perf_counter()
sizes, _, before = existing_code()
middle = perf_counter()
print("replaced:", svmosaic.patch_sklearn())
_, _, after = existing_code()
end = perf_counter()
svmosaic.unpatch_sklearn()

# %%
fig, ax = plt.subplots(layout="constrained")
ax.plot(
    sizes, before.mean(axis=1), "s-", color="#D55E00", label=f"as it is: {middle - begin:.2f} s"
)
ax.plot(sizes, after.mean(axis=1), "o--", color="#0072B2", label=f"patched: {end - middle:.2f} s")
ax.set(xlabel="training rows", ylabel="accuracy", title="The same curve, without a changed line")
ax.legend(frameon=False, loc="lower right")
