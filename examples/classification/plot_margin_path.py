"""
Many models from one fit: margins and budgets
=============================================

Without refinement, OLLAWV adds one support vector after the other. A model for a smaller margin,
or for a budget of support vectors, is a prefix of the same run. Reading it off costs nothing.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from svmosaic import OLLAWVClassifier

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16, y, random_state=0)
model = OLLAWVClassifier(refine=None, margin=0.5, gamma=0.25).fit(X_train, y_train)

budgets = [1, 2, 4, 8, 16, 32, 64]
smaller = [model.at_budget(budget) for budget in budgets]
sizes = [one.support_.size for one in smaller]
scores = [one.score(X_test, y_test) for one in smaller]

# %%
# A budget limits each of the 45 pairs of digits; they share support vectors.
fig, ax = plt.subplots(layout="constrained")
ax.plot(sizes, scores, "o-", color="#0072B2")
for size, score, budget in zip(sizes, scores, budgets, strict=True):
    ax.annotate(f"{budget}", (size, score), xytext=(4, -12), textcoords="offset points")
ax.set(xlabel="support vectors of all digits", ylabel="accuracy")
ax.set_title("Budgets per pair of digits, from one fit")
ax.spines[["top", "right"]].set_visible(False)
