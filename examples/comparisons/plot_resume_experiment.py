"""
Resume a killed experiment
==========================

An experiment is a file. Each finished cell, one method on one fold of one data set, is written at
once. A run that was killed resumes with the same command, and nothing is run twice.
"""

import tempfile
from contextlib import suppress
from pathlib import Path

import matplotlib.pyplot as plt

from svmosaic.experiments import read_spec, run_experiment

folder = Path(tempfile.mkdtemp())
spec = folder / "compare.toml"
spec.write_text("""
[protocol]
outer = 3
[[data]]
name = "sklearn-iris"
[[data]]
name = "sklearn-wine"
[[methods]]
estimator = "OLLAWVClassifier"
[[methods]]
estimator = "sklearn.tree.DecisionTreeClassifier"
""")

# %%
# The first run ends half-way, as if it were killed. The same command then does the rest.
finished = []


def kill_in_the_middle(progress):
    """End the run after six cells."""
    finished.append(progress)
    if len(finished) == 6:
        raise KeyboardInterrupt


with suppress(KeyboardInterrupt):
    run_experiment(read_spec(spec), folder / "compare.run", progress=kill_in_the_middle)
second = run_experiment(read_spec(spec), folder / "compare.run")
print(second)

# %%
fig, ax = plt.subplots(figsize=(6, 2.2), layout="constrained")
ax.barh(0, second.n_before, color="#767676", label="finished before the kill")
ax.barh(0, second.n_done, left=second.n_before, color="#0072B2", label="done after it")
ax.set(xlabel="cells", yticks=[], title=f"{second.n_cells} cells, each run once")
ax.legend(frameon=False, ncols=2, loc="lower left", bbox_to_anchor=(0, -0.95))
