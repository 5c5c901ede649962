"""Examples for API pages of names that no example calls, but that belong to its subject."""

from __future__ import annotations

from sphinx.application import Sphinx

__all__ = ["RELATED", "paths_by_name", "setup"]

# The names of a module that an example is about, by the path of the example.
RELATED: dict[str, dict[str, tuple[str, ...]]] = {
    "classification/plot_boundary_points": {
        "svmosaic": ("OnlineSVMCBPClassifier",),
        "svmosaic.boundary": ("BoundaryPoints", "WidthPath", "width_path"),
        "svmosaic.plots": ("plot_sigma_lambda", "plot_width_profile"),
    },
    "classification/plot_csv_with_missing_values": {
        "svmosaic.datasets": ("read_table",),
        "svmosaic.preprocessing": ("ConstantHolder", "preparation_steps"),
    },
    "classification/plot_imbalanced": {
        "svmosaic.metrics": ("cohen_kappa", "specificity_score", "type_1_error", "type_2_error"),
    },
    "classification/plot_kernels": {"svmosaic.plots": ("plot_boundaries",)},
    "classification/plot_margin_path": {
        "svmosaic.metrics": ("support_vector_share",),
        "svmosaic.plots": ("plot_trajectory",),
    },
    "classification/plot_probabilities": {"svmosaic.plots": ("reliability_bins",)},
    "classification/plot_svc_in_a_pipeline": {"svmosaic.svm": ("NuSVC", "NuSVR", "SVR")},
    "regression/plot_epsilon_tube": {"svmosaic.svm": ("SVR",)},
    "regression/plot_novelty": {"svmosaic.svm": ("OneClassSVM",)},
    "regression/plot_tube_found": {"svmosaic.svm": ("NuSVR",)},
    "several_targets/plot_multi_target_chains": {
        "svmosaic.datasets": ("read_multitarget",),
        "svmosaic.regression.peers": ("ERC", "ERCC", "MTS", "MTSC", "RC", "RCC", "ST"),
    },
    "bags/plot_bag_methods": {
        "svmosaic.datasets": ("read_bags",),
        "svmosaic.metrics": ("one_point_auc_score",),
        "svmosaic.multi_instance": ("BagClassifier", "BagSearchCV", "BagTransformer"),
        "svmosaic.multi_instance.peers": (
            *("BaggedBagsClassifier", "DiverseDensityClassifier", "SawmilClassifier"),
            "StackedBagsClassifier",
        ),
        "svmosaic.testing": ("check_bag_classifier",),
    },
    "bags/plot_deciding_instance": {"svmosaic.plots": ("plot_agreement",)},
    "streams/plot_drift_and_recovery": {
        "svmosaic": ("StreamOLLAL2",),
        "svmosaic.reports": ("stream_report", "write_stream_report"),
        "svmosaic.streams": ("PrequentialResult", "as_learner"),
    },
    "streams/plot_drift_detector": {
        "svmosaic.metrics": ("AlarmScores",),
        "svmosaic.streams": ("DriftDetector",),
    },
    "streams/plot_generators": {
        "svmosaic.streams": (
            *("ArrayStream", "BlockStream", "FileStream", "Stream", "StreamInfo"),
            *("describe_stream", "list_streams", "stream"),
        ),
    },
    "comparisons/plot_adjusted_p_values": {
        "svmosaic.stats": ("FriedmanTest", "WilcoxonTest", "rank_scores"),
    },
    "comparisons/plot_critical_difference": {
        "svmosaic.plots": ("plot_critical_difference",),
        "svmosaic.stats": (
            *("Comparison", "PairComparison", "ScoreTable", "bonferroni_dunn_critical_value"),
            *("indistinct_groups", "meta_ranks", "nemenyi_critical_value", "read_scores"),
            *("score_table", "table_of_records"),
        ),
    },
    "comparisons/plot_optimistic_search": {
        "svmosaic.model_selection": (
            *("Evaluation", "PatternSearchCV", "SplitResult", "derive_seed", "holdout_cv"),
            "monte_carlo_cv",
        ),
    },
    "comparisons/plot_resume_experiment": {
        "svmosaic.experiments": (
            *("ExperimentSpec", "RunSummary", "read_results", "result_table", "reuse_results"),
            "write_results",
        ),
        "svmosaic.reports": ("experiment_report", "write_report"),
    },
    "large_data/plot_dask": {
        "svmosaic.dask": (
            *("ClusterFitReport", "DaskSMOClassifier", "DaskSMORegressor", "predict_files"),
            *("read_files", "spread_search"),
        ),
    },
    "deployment/plot_model_files": {
        "svmosaic.exceptions": ("ModelFileError",),
        "svmosaic.persistence": ("trusted_types",),
    },
}


def paths_by_name() -> dict[str, str]:
    """Return the paths of the examples of each full name, as the directive takes them."""
    found: dict[str, list[str]] = {}
    for example, modules in RELATED.items():
        for module, names in modules.items():
            for name in names:
                found.setdefault(f"{module}.{name}", []).append(f"../examples/{example}.py")
    return {name: " ".join(paths) for name, paths in found.items()}


def setup(app: Sphinx) -> dict[str, bool]:
    """Give the table to the templates of API pages."""
    app.config.autosummary_context["related"] = paths_by_name()
    return {"parallel_read_safe": True}
