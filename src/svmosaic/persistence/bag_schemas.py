"""How classifiers of bags, and their scalers, are stored."""

from __future__ import annotations

from typing import Any, get_args

from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from svmosaic.multi_instance.bag_transformer import BagTransformer
from svmosaic.multi_instance.mir_mix_svm import MIRMixSVMClassifier
from svmosaic.multi_instance.mirsvm import MIRSVMClassifier
from svmosaic.multi_instance.peers.mi_graph import MIGraphClassifier
from svmosaic.multi_instance.peers.set_kernel import SetKernelClassifier
from svmosaic.multi_instance.representatives import StopReason
from svmosaic.multi_instance.summary_svm import SummarySVMClassifier
from svmosaic.persistence.bag_validation import (
    check_bag_kernel,
    check_mixture,
    check_one_against_rest,
    check_representatives,
    check_scaler_of_bags,
    check_summary_rows,
)
from svmosaic.persistence.expansion_state import assemble_one_output
from svmosaic.persistence.fields import (
    FEATURES,
    INTEGERS,
    LAST_ROW,
    BagRows,
    Count,
    Estimators,
    Field,
    Labels,
    Number,
    Rows,
    Schema,
    Settings,
    Tensor,
    Word,
    set_attributes,
)
from svmosaic.persistence.validation import GAMMA
from svmosaic.preprocessing import ConstantHolder

__all__ = ["BAG_SCHEMAS"]


def _floats(name: str, attribute: str, *shape: str, **limits: Any) -> Tensor:
    return Tensor(name, attribute, ("float64",), shape, optional=True, **limits)


def _float(name: str, attribute: str, *, finite: bool = True) -> Tensor:
    return Tensor(name, attribute, ("float64",), (), finite=finite, scalar=True, optional=True)


def _rows(name: str, attribute: str, *shape: str) -> Tensor:
    return Tensor(name, attribute, INTEGERS, shape, minimum=0, maximum=LAST_ROW, optional=True)


# All but these are optional: with more than two classes it is the machines of each against the rest
# that have them. The checks see to it.
def _classifier(kind: Any) -> tuple[Field, ...]:
    return (
        *FEATURES,
        Labels("classes", "classes_"),
        Estimators("machines", "machines_", (kind.__name__,), optional=True),
    )


_REPRESENTATIVES: tuple[Field, ...] = (
    Number("gamma", GAMMA, optional=True),
    _rows("support", "support_", "n_support"),
    Rows("support_vectors", "support_vectors_", optional=True),
    _rows("n_support", "n_support_", "two"),
    _floats("dual_coef", "dual_coef_", "one", "n_support"),
    _floats("intercept", "intercept_", "one"),
    _rows("representatives", "representatives_", "n_bags"),
    Count("n_passes", "n_passes_", "n_passes", optional=True),
    _floats("agreement", "agreement_", "n_passes", minimum=0, maximum=1),
    Word("stop_reason", "stop_reason_", get_args(StopReason), optional=True),
    _float("objective", "objective_"),
)

_BAG_KERNEL: tuple[Field, ...] = (
    Number("gamma", "gamma_", optional=True),
    _rows("support", "support_", "n_support"),
    BagRows("support_bags", "support_bags_", optional=True),
    _floats("support_weights", "_support_weights", "n_instances", minimum=0),
    _floats("dual_coef", "dual_coef_", "n_support"),
    _float("intercept", "intercept_"),
)

_SUMMARY: tuple[Field, ...] = (
    _rows("support", "support_", "n_support"),
    Rows("support_vectors", "support_vectors_", optional=True),
    _floats("dual_coef", "dual_coef_", "n_support"),
    _float("intercept", "intercept_"),
    _floats("center", "center_", "n_columns"),
    _floats("scale", "scale_", "n_columns", above=0),
)

_MIXTURE: tuple[Field, ...] = (
    Estimators(
        "members",
        "members_",
        tuple(
            kind.__name__
            for kind in (
                MIRSVMClassifier,
                SetKernelClassifier,
                MIGraphClassifier,
                SummarySVMClassifier,
            )
        ),
        optional=True,
    ),
    _floats("weights", "weights_", "n_views"),
    _float("threshold", "threshold_"),
    Settings("member_scores", "member_scores_", optional=True),
    Settings("best_params", "best_params_", optional=True),
)

BAG_SCHEMAS: tuple[Schema, ...] = (
    *(
        Schema(
            kind,
            (*_classifier(kind), *state),
            (check_one_against_rest(state), check),
            assemble,
            of_bags=True,
        )
        for kind, state, check, assemble in (
            (MIRSVMClassifier, _REPRESENTATIVES, check_representatives, assemble_one_output),
            (MIRMixSVMClassifier, _MIXTURE, check_mixture, set_attributes),
            (SetKernelClassifier, _BAG_KERNEL, check_bag_kernel, set_attributes),
            (MIGraphClassifier, _BAG_KERNEL, check_bag_kernel, set_attributes),
            (SummarySVMClassifier, _SUMMARY, check_summary_rows, set_attributes),
        )
    ),
    Schema(
        BagTransformer,
        (
            *FEATURES,
            Estimators(
                "transformer",
                "transformer_",
                tuple(
                    kind.__name__
                    for kind in (
                        MinMaxScaler,
                        StandardScaler,
                        MaxAbsScaler,
                        SimpleImputer,
                        ConstantHolder,
                    )
                ),
                alone=True,
            ),
        ),
        (check_scaler_of_bags,),
        role="scaler",
        of_bags=True,
        copied={"transformer": "transformer"},
    ),
)
