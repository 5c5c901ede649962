"""
A CSV file with missing values and names
========================================

Read the file, say how each kind of column is prepared, and put everything into one pipeline. In
cross-validation, the means and the scaling then come from training rows only.
"""

from io import StringIO

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from svmosaic import OLLAWVClassifier

# Made up here; in your program it is ``pd.read_csv("your_file.csv")``.
rng = np.random.default_rng(0)
frame = pd.DataFrame({"age": rng.normal(50, 12, 600), "dose": rng.gamma(2.0, 5.0, 600)})
frame["clinic"] = rng.choice(["north", "south", "west"], 600)
risk = 0.05 * frame["age"] + (frame["dose"] - 10) ** 2 / 40 + (frame["clinic"] == "west")
frame["ill"] = np.where(risk + rng.normal(0, 0.5, 600) > 4.5, "yes", "no")
frame.loc[rng.random(600) < 0.15, "age"] = np.nan
csv = StringIO(frame.to_csv(index=False))

# %%
table = pd.read_csv(csv)
print(table.isna().sum())
X, y = table.drop(columns="ill"), table["ill"]
prepare = make_column_transformer(
    (
        make_pipeline(SimpleImputer(strategy="median"), StandardScaler()),
        make_column_selector(dtype_include="number"),
    ),
    (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["clinic"]),
)
scores = {
    f"C={C:g}": cross_val_score(make_pipeline(prepare, OLLAWVClassifier(C=C)), X, y, cv=5)
    for C in (0.1, 1.0, 10.0)
}

# %%
# On the command line, ``svmosaic train file.csv --impute median`` does the same.
fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.boxplot(list(scores.values()), tick_labels=list(scores), orientation="horizontal")
ax.set(xlabel="accuracy of five folds", title="A pipeline for a file with gaps")
