"""
All kernel classifiers side by side
===================================

The same noisy moons and twelve classifiers, nearly all with default parameters. Exact solvers of
one problem draw the same boundary; online ones see each row a few times and come close. Rings
mark support vectors: fewer of them make a smaller and faster model.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

import svmosaic
from svmosaic.plots import plot_boundary

X, y = make_moons(120, noise=0.2, random_state=0)
models = {
    "OLLAWV (exact)": svmosaic.OLLAWVClassifier(gamma=1.0),
    "OLLAWV, plain": svmosaic.OLLAWVClassifier(gamma=1.0, refine=None),
    "SMO": svmosaic.SMOClassifier(gamma=1.0),
    "nu-SVM": svmosaic.NuSMOClassifier(gamma=1.0, nu=0.3),
    "L2-SVM by MNSVM": svmosaic.MNSVMClassifier(gamma=1.0),
    "L2-SVM by NNISDA": svmosaic.NNISDAClassifier(gamma=1.0),
    "Uniform SVM": svmosaic.UniformSVC(gamma=20.0),
    "kernel primal": svmosaic.KernelPrimalSVC(gamma=1.0),
    "NL-SGD": svmosaic.NLSGDClassifier(gamma=1.0, random_state=0),
    "OLLA-L2": svmosaic.OLLAL2Classifier(gamma=1.0, random_state=0),
    "online SVM": svmosaic.OnlineSVMClassifier(random_state=0),
    "SVM from boundary points": svmosaic.SVMCBPClassifier(),
}
fig, axes = plt.subplots(3, 4, figsize=(11, 8.4), layout="constrained")
for ax, (name, model) in zip(axes.flat, models.items(), strict=True):
    plot_boundary(model.fit(X, y), X, y, ax=ax, resolution=60, margins=False, title=name)
    if ax.get_legend():
        ax.get_legend().remove()
    ax.set_axis_off()
    print(f"{name:26} {model.score(X, y):.3f}")
