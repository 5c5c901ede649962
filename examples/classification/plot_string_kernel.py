"""
A kernel of your own: strings
=============================

The samples are words of DNA, not vectors. A kernel matrix, ``kernel="precomputed"``, is all that
the SVM needs. Here the kernel counts the substrings of three letters that two words share.
"""

from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from svmosaic import SMOClassifier

rng = np.random.default_rng(0)
motifs = ("TATA", "GGCC")


def make_word(label):
    """Return random letters with the motif of a class somewhere in them."""
    letters = rng.choice(list("ACGT"), 30)
    place = rng.integers(0, 26)
    letters[place : place + 4] = list(motifs[label])
    return "".join(letters)


def spectrum_kernel(words, others):
    """Return how many substrings of three letters each pair of words shares."""
    counts = [[Counter(w[i : i + 3] for i in range(28)) for w in ws] for ws in (words, others)]
    return np.array([[sum((a & b).values()) for b in counts[1]] for a in counts[0]], float)


y = np.arange(240) % 2
words = [make_word(label) for label in y]
train, test, y_train, y_test = train_test_split(words, y, random_state=0)

# %%
gram = spectrum_kernel(train, train)
model = SMOClassifier(kernel="precomputed", C=0.1).fit(gram, y_train)
values = model.decision_function(spectrum_kernel(test, train))
print(f"accuracy {np.mean((values > 0) == y_test):.2f}")

fig, ax = plt.subplots(layout="constrained")
for label, colour in enumerate(("#0072B2", "#D55E00")):
    ax.hist(values[y_test == label], bins=15, alpha=0.7, color=colour, label=motifs[label])
ax.axvline(0, color="black", lw=1)
ax.legend(title="hidden in the word", frameon=False)
ax.set(xlabel="decision value", ylabel="words", title="Words of 30 letters with a hidden motif")
