"""A grid search for C and gamma, and what its best model says."""

from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

X, y = load_wine(return_X_y=True)
search = GridSearchCV(
    make_pipeline(StandardScaler(), SVC()),
    {"svc__gamma": [1e-3, 1e-2, 1e-1, 1.0], "svc__C": [0.1, 1.0, 10.0, 100.0]},
    cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=1, random_state=0),
)
search.fit(X, y)

RESULTS = {
    "best score": search.best_score_,
    "best C": search.best_params_["svc__C"],
    "best gamma": search.best_params_["svc__gamma"],
    "all scores": search.cv_results_["mean_test_score"],
    "decisions": search.decision_function(X[::10]),
}
