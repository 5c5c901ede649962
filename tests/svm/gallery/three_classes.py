"""Three classes: the values of all pairs, the votes, and what calibration makes of them."""

from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

X, y = load_iris(return_X_y=True)
names = load_iris().target_names[y]

RESULTS = {
    "pairs": SVC(decision_function_shape="ovo").fit(X, names).decision_function(X[::7]),
    "votes": SVC(kernel="poly").fit(X, names).decision_function(X[::7]),
    "ties": (SVC(break_ties=True).fit(X, y).predict(X)),
    "rest": OneVsRestClassifier(SVC(gamma=0.3)).fit(X, y).decision_function(X[::7]),
    "calibrated": CalibratedClassifierCV(SVC(), ensemble=False).fit(X, y).predict_proba(X[::7]),
}
