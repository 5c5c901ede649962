"""
Text with sparse rows
=====================

Four parts of SciPy, and the texts of their documentation. Which part is a text from? TF-IDF rows
are sparse and stay sparse: no dense copy is made.
"""

import importlib

import matplotlib.pyplot as plt
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline

from svmosaic import SMOClassifier

texts, parts = [], []
for part in ("linalg", "signal", "stats", "special"):
    module = importlib.import_module(f"scipy.{part}")
    found = (getattr(module, name).__doc__ for name in module.__all__)
    kept = [text.replace(part, "") for text in found if text and len(text) > 400]
    texts += kept
    parts += [part] * len(kept)

# %%
# ``class_weight="balanced"``, because the parts differ in size.
model = make_pipeline(
    TfidfVectorizer(sublinear_tf=True, min_df=2),
    SMOClassifier(kernel="linear", C=10.0, class_weight="balanced"),
)
predicted = cross_val_predict(model, texts, parts, cv=5)
rows = model.fit(texts, parts)[0].transform(texts)
print(f"{rows.shape[0]} texts, {rows.shape[1]} words, {rows.nnz / rows.shape[0]:.0f} per text")

fig, ax = plt.subplots(layout="constrained")
ConfusionMatrixDisplay.from_predictions(parts, predicted, ax=ax, colorbar=False, cmap="Blues")
ax.set_title("Which part of SciPy is the text from?")
