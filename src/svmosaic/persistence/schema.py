"""What a model file holds: its name, its version, and the state of every class it can store.

`SCHEMAS` is the one table of classes. An entry lists the fields of a fitted state and the checks
that compare them. A field knows how to write its attribute and how to read it back checked; nothing
outside this table is ever written or read.

How to bump the version
-----------------------
A new class in `SCHEMAS`, or a new constructor parameter whose default means the old behaviour,
needs no new version: a file that does not name a parameter gets its default. Anything else does:
a new, renamed or dropped field, another type or meaning of one, another checksum. Then

1. raise `VERSION` by one;
2. add to `UPGRADES`, under the old version, a function that takes the header and the tensors of
   an old file, after their checksum was verified, and changes them in place into the new form;
3. store a file of the old version among the tests and load it there.

Readers refuse versions above their own, with a sentence that says to upgrade.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, get_args

from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from svmosaic.classification.kernel_primal import KernelPrimalSVC
from svmosaic.classification.mnsvm import MNSVMClassifier
from svmosaic.classification.nlsgd import NLSGDClassifier
from svmosaic.classification.nnisda import NNISDAClassifier
from svmosaic.classification.oge import OGEClassifier
from svmosaic.classification.olla_l2 import OLLAL2Classifier
from svmosaic.classification.ollawv import OLLAWVClassifier
from svmosaic.classification.online_svm import OnlineSVMClassifier
from svmosaic.classification.online_svm_cbp import OnlineSVMCBPClassifier
from svmosaic.classification.smo import SMOClassifier
from svmosaic.classification.stream.stream_olla_l2 import StreamOLLAL2
from svmosaic.classification.stream.stream_ollawv import StreamOLLAWV
from svmosaic.classification.svm_cbp import SVMCBPClassifier
from svmosaic.classification.uniform import UniformSVC
from svmosaic.engine.problem import Status
from svmosaic.persistence.bag_schemas import BAG_SCHEMAS
from svmosaic.persistence.expansion_state import (
    assemble_classifier,
    assemble_linear_sgd,
    assemble_one_output,
)
from svmosaic.persistence.fields import (
    FEATURES,
    FLOATS,
    INTEGERS,
    LAST_ROW,
    Count,
    Estimators,
    Field,
    Group,
    Labels,
    Number,
    Rows,
    Schema,
    Tensor,
    Words,
)
from svmosaic.persistence.validation import (
    GAMMA,
    AnyArray,
    check_boundary,
    check_chains,
    check_expansion,
    check_held,
    check_imputer,
    check_min_max_range,
    check_path,
    check_planes,
    check_positive_scale,
    check_regression_expansion,
    check_selected,
    check_standard_parts,
    check_state,
    check_stream,
    check_weighted_chains,
)
from svmosaic.preprocessing import ConstantHolder
from svmosaic.regression.chains import SVRCC, SVRRC
from svmosaic.regression.multi_target import MultiTargetSVR
from svmosaic.regression.smo import SMORegressor
from svmosaic.regression.weighted_chains import SVRWC, KernelChains

__all__ = ["FORMAT", "SCHEMAS", "UPGRADES", "VERSION", "schema_of"]

FORMAT = "svmosaic"
VERSION = 1

# old version -> function(header, tensors) that turns a file of it into the next version
UPGRADES: dict[int, Callable[[dict[str, Any], dict[str, AnyArray]], None]] = {}

_KERNEL_ESTIMATOR: tuple[Field, ...] = (
    *FEATURES,
    Number("gamma", GAMMA),
    Tensor("support", "support_", INTEGERS, ("n_support",), minimum=0, maximum=LAST_ROW),
    Tensor("dual_coef", "dual_coef_", ("float64",), ("n_coef_rows", "n_support")),
    Tensor("intercept", "intercept_", ("float64",), ("n_machines",)),
    Rows("support_vectors", "support_vectors_"),
    Tensor("n_iter", "n_iter_", INTEGERS, ("n_machines",), minimum=0),
    Words("stop_reason", "stop_reason_", "n_machines", get_args(Status)),
)


def _n_support(size: str) -> Tensor:
    return Tensor("n_support", "n_support_", INTEGERS, (size,), minimum=0, maximum=LAST_ROW)


_KERNEL_CLASSIFIER: tuple[Field, ...] = (
    *_KERNEL_ESTIMATOR,
    Labels("classes", "classes_"),
    _n_support("n_classes"),
)

# nan where the machine was not solved exactly, or not to the end.
_CERTIFICATE: tuple[Field, ...] = (
    Tensor("dual_gap", "dual_gap_", ("float64",), ("n_machines",), finite=False),
    Tensor("objective", "objective_", ("float64",), ("n_machines",), finite=False),
)

_PATH = Group(
    "path",
    "_path",
    (
        Tensor("path.offsets", "offsets", INTEGERS, ("n_offsets",), minimum=0),
        Tensor("path.rows", "rows", INTEGERS, ("n_steps",), minimum=0, maximum=LAST_ROW),
        Tensor("path.steps", "steps", ("float64",), ("n_steps",)),
        Tensor("path.violations", "violations", ("float64",), ("n_steps",)),
        Tensor("path.total_weights", "total_weights", ("float64",), ("n_path_machines",), above=0),
    ),
)

_SELECTED = Group(
    "selected",
    "_selected",
    (
        Tensor("selected.rows", "rows", INTEGERS, ("n_selected",), minimum=0, maximum=LAST_ROW),
        Rows("selected.vectors", "vectors"),
        Tensor("selected.labels", "labels", INTEGERS, ("n_selected",), minimum=0),
        Tensor("selected.weights", "weights", ("float64",), ("n_selected",), above=0),
    ),
    may_be_empty=True,
)

_STREAM: tuple[Field, ...] = (
    Tensor("t", "t_", ("float64",), ("n_machines",), minimum=0),
    Count("n_samples_seen", "n_samples_seen_", "n_samples_seen"),
)


# The width of a machine with boundary points, and the search of it; nan where none was possible.
_WIDTH: tuple[Field, ...] = (
    Number("sigma", "sigma_"),
    Tensor("sigmas", "sigmas_", ("float64",), ("n_sigmas",), above=0),
    Tensor("norms", "norms_", ("float64",), ("n_sigmas",), finite=False),
    Tensor("n_boundary", "n_boundary_", INTEGERS, ("n_machines",), minimum=0),
)


_PER_MACHINE = ("n_machines",)
_PER_TARGET = ("n_targets",)

_CHAINS: tuple[Field, ...] = (
    *FEATURES,
    Count("n_targets", "n_targets_", "n_targets"),
    Count("y_ndim", "_y_ndim", "y_ndim"),
    Tensor("chains", "chains_", INTEGERS, ("n_chains", "n_targets"), minimum=0),
    Tensor("machines", "machines_", INTEGERS, ("n_chains", "n_targets"), minimum=0),
    Tensor("support", "support_", INTEGERS, ("n_support",), minimum=0, maximum=LAST_ROW),
    Rows("support_vectors", "support_vectors_"),
    Tensor("dual_coef", "dual_coef_", ("float64",), ("n_machines", "n_support")),
    Tensor("intercept", "intercept_", ("float64",), _PER_MACHINE),
    _n_support("n_machines"),
    Tensor("n_iter", "n_iter_", INTEGERS, _PER_MACHINE, minimum=0),
    Tensor("gamma", "gamma_", ("float64",), _PER_MACHINE, above=0),
    Tensor("C", "C_", ("float64",), _PER_MACHINE, above=0),
    Tensor("epsilon", "epsilon_", ("float64",), _PER_MACHINE, minimum=0),
    Tensor("machine_targets", "machine_targets_", INTEGERS, _PER_MACHINE, minimum=0),
    Tensor(
        "machine_columns", "machine_columns_", INTEGERS, ("n_machines", "n_targets"), minimum=-1
    ),
    Tensor("appended", "appended_", ("float64",), ("n_columns", "n_support")),
    Tensor("target_mean", "target_mean_", ("float64",), _PER_TARGET),
    Tensor("target_scale", "target_scale_", ("float64",), _PER_TARGET, above=0),
    Tensor("candidates", "candidates_", ("float64",), ("n_candidates", "n_parameters")),
    # Infinite where a candidate was not tried, nan where there was nothing to choose.
    Tensor("cv_errors", "cv_errors_", ("float64",), ("n_machines", "n_candidates"), finite=False),
)


def _per_feature(name: str, *, nullable: bool = False) -> Tensor:
    return Tensor(name, f"{name}_", FLOATS, ("n_features",), nullable=nullable)


_SAMPLES_SEEN = Tensor(
    "n_samples_seen",
    "n_samples_seen_",
    ("int64", "float64"),
    ("n_features",),
    minimum=0,
    scalar=True,
)


def _fit_imputer(imputer: Any, state: dict[str, Any]) -> None:
    """Train on one row, the values to fill in: that is their mean, median and mode."""
    names = state.get("feature_names_in_")
    imputer.fit(state["statistics_"][None, :])
    if names is not None:
        imputer.feature_names_in_ = names


def _table(schemas: Sequence[Schema]) -> dict[str, Schema]:
    return {schema.name: schema for schema in schemas}


SCHEMAS: dict[str, Schema] = _table(
    [
        Schema(
            OLLAWVClassifier,
            (*_KERNEL_CLASSIFIER, *_CERTIFICATE, _PATH, _SELECTED),
            (check_expansion, check_path, check_selected),
            assemble_classifier,
        ),
        *(
            Schema(
                kind, (*_KERNEL_CLASSIFIER, *_CERTIFICATE), (check_expansion,), assemble_classifier
            )
            for kind in (
                SMOClassifier,
                MNSVMClassifier,
                NNISDAClassifier,
                UniformSVC,
                KernelPrimalSVC,
            )
        ),
        Schema(
            SVMCBPClassifier,
            (
                *_KERNEL_CLASSIFIER,
                *_WIDTH,
                Tensor("norm", "norm_", ("float64",), ("n_machines",), minimum=0),
                Tensor("loss", "loss_", ("float64",), ("n_machines",), minimum=0),
                Tensor(
                    "boundary_pairs",
                    "boundary_pairs_",
                    INTEGERS,
                    ("n_points", "two"),
                    minimum=0,
                    maximum=LAST_ROW,
                ),
            ),
            (check_expansion, check_boundary),
            assemble_classifier,
        ),
        Schema(
            OGEClassifier,
            (
                *FEATURES,
                Labels("classes", "classes_"),
                Tensor("normals", "normals_", ("float64",), ("n_planes", "n_features")),
                Tensor("offsets", "offsets_", ("float64",), ("n_planes",)),
                Tensor("weights", "weights_", ("float64",), ("n_planes",)),
                Tensor("n_planes", "n_planes_", INTEGERS, ("n_machines",), minimum=0),
                Tensor("lam", "lam_", ("float64",), ("n_machines",), minimum=0),
                Tensor("threshold", "threshold_", ("float64",), ("n_machines",)),
            ),
            (check_planes,),
        ),
        Schema(
            SMORegressor,
            (*_KERNEL_ESTIMATOR, _n_support("n_outputs"), *_CERTIFICATE),
            (check_regression_expansion,),
            assemble_one_output,
        ),
        *(Schema(kind, _CHAINS, (check_chains,)) for kind in (MultiTargetSVR, SVRRC, SVRCC)),
        Schema(
            SVRWC,
            (
                *FEATURES,
                Count("n_targets", "n_targets_", "n_targets"),
                Count("y_ndim", "_y_ndim", "y_ndim"),
                Tensor("weights", "weights_", ("float64",), ("n_parts", "n_targets"), minimum=0),
                Tensor("n_iter", "n_iter_", INTEGERS, _PER_MACHINE, minimum=0),
                Estimators("members", "members_", ("KernelChains",)),
            ),
            (check_weighted_chains,),
        ),
        Schema(KernelChains, _CHAINS, (check_chains,), role="part"),
        Schema(
            NLSGDClassifier,
            (
                *_KERNEL_CLASSIFIER,
                *_STREAM,
                Tensor("state", "_state", ("float64",), ("n_state_rows", "n_state")),
                Tensor("state_intercept", "_state_intercept", ("float64",), ("n_machines",)),
                Tensor(
                    "feature_weights",
                    "_weights_of_features",
                    ("float64",),
                    ("n_weight_rows", "n_weights"),
                ),
            ),
            (check_expansion, check_stream, check_state),
            assemble_linear_sgd,
        ),
        Schema(
            OLLAL2Classifier,
            (*_KERNEL_CLASSIFIER, *_STREAM),
            (check_expansion, check_stream),
            assemble_classifier,
        ),
        Schema(
            OnlineSVMClassifier,
            (*_KERNEL_CLASSIFIER, *_STREAM, Number("sigma", "sigma_")),
            (check_expansion, check_stream),
            assemble_classifier,
        ),
        Schema(
            OnlineSVMCBPClassifier,
            (
                *_KERNEL_CLASSIFIER,
                *_STREAM,
                *_WIDTH,
                Tensor("boundary_points", "boundary_points_", FLOATS, ("n_points", "n_features")),
            ),
            (check_expansion, check_stream, check_boundary),
            assemble_classifier,
        ),
        Schema(
            MinMaxScaler,
            (
                *FEATURES,
                _SAMPLES_SEEN,
                *map(_per_feature, ("min", "scale", "data_min", "data_max", "data_range")),
            ),
            (check_positive_scale, check_min_max_range),
            role="scaler",
        ),
        Schema(
            StandardScaler,
            (
                *FEATURES,
                _SAMPLES_SEEN,
                *(_per_feature(name, nullable=True) for name in ("mean", "var", "scale")),
            ),
            (check_positive_scale, check_standard_parts),
            role="scaler",
        ),
        Schema(
            MaxAbsScaler,
            (*FEATURES, _SAMPLES_SEEN, *map(_per_feature, ("max_abs", "scale"))),
            (check_positive_scale,),
            role="scaler",
        ),
        Schema(
            SimpleImputer,
            (*FEATURES, Tensor("statistics", "statistics_", FLOATS, ("n_features",))),
            (check_imputer,),
            assemble=_fit_imputer,
            role="scaler",
        ),
        Schema(
            ConstantHolder,
            (
                *FEATURES,
                Tensor("held", "held_", ("int64",), ("n_held",)),
                Tensor("values", "values_", FLOATS, ("n_held",)),
            ),
            (check_held,),
            role="scaler",
        ),
        # The detector is an object with a state of its own.
        Schema(StreamOLLAWV, (), (), declares=True, in_state=("detector",)),
        Schema(StreamOLLAL2, (), (), declares=True),
        *BAG_SCHEMAS,
    ]
)


def schema_of(instance: Any) -> Schema | None:
    """Return how an object is stored, or None. A subclass is another class."""
    schema = SCHEMAS.get(type(instance).__name__)
    return schema if schema is not None and schema.kind is type(instance) else None
