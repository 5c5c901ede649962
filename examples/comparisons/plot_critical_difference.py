"""
Which of five methods is better?
================================

Scores of five methods on twelve data sets, from nested or repeated cross-validation. ``compare``
ranks the methods on each data set, tests whether they differ at all, and then which pairs differ.
The diagram joins methods that the data cannot tell apart.
"""

import matplotlib.pyplot as plt
from sklearn import datasets
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from svmosaic import OLLAWVClassifier
from svmosaic.plots import plot_comparison
from svmosaic.stats import compare

tables = [getattr(datasets, f"load_{name}")(return_X_y=True) for name in ("iris", "wine")]
tables += [datasets.make_moons(200, noise=noise, random_state=0) for noise in (0.2, 0.3, 0.4)]
tables += [datasets.make_circles(200, noise=0.2, factor=f, random_state=0) for f in (0.4, 0.6)]
tables += [
    datasets.make_classification(200, 10, n_informative=6, n_classes=3, random_state=seed)
    for seed in range(5)
]
methods = {
    "OLLAWV": OLLAWVClassifier(C=10.0),
    "k-NN": KNeighborsClassifier(),
    "tree": DecisionTreeClassifier(random_state=0),
    "naive Bayes": GaussianNB(),
    "LDA": LinearDiscriminantAnalysis(),
}
scores = {
    name: [
        cross_val_score(make_pipeline(StandardScaler(), m), X, y, cv=5).mean() for X, y in tables
    ]
    for name, m in methods.items()
}

# %%
# The text says what may be concluded, in sentences for a paper.
result = compare(scores, control="OLLAWV", measure="accuracy")
print(result.text())

# %%
fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
plot_comparison(result, ax=ax, title="Average ranks over twelve data sets")
