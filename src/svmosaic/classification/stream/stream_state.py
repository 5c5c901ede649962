"""The state of the stream learners as plain data: what is stored of each class, and its checks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, get_args

from svmosaic.classification.stream.chunk_scaling import Scaler
from svmosaic.classification.stream.expert import Expert
from svmosaic.classification.stream.expert_pool import ExpertPool
from svmosaic.classification.stream.families import FAMILIES, Choice
from svmosaic.classification.stream.in_turn import GUESSES, RESTING, InTurn
from svmosaic.classification.stream.olla_l2_rule import Action, OllaL2Rule, Pair
from svmosaic.classification.stream.published_rule import PublishedRule
from svmosaic.classification.stream.recent_samples import RecentSamples
from svmosaic.classification.stream.stream_models import (
    Constant,
    Linear,
    ScaledExpansion,
    outputs_of,
)
from svmosaic.drift import DDM_STATE
from svmosaic.engine.expansion import KernelExpansion
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import Coefficients, FloatArray, IndexArray
from svmosaic.utils.array_checks import AnyArray, check_csr, refuse
from svmosaic.utils.state_codec import (
    Array,
    Flag,
    Labels,
    Listing,
    Maybe,
    Names,
    OneOf,
    Real,
    Record,
    Scope,
    Table,
    Together,
    Whole,
    Word,
)

__all__ = ["LEARNER_STATE", "LearnerState", "check_settings"]

_DOUBLE = ("float64",)
_INDEX = ("int64",)
_POSITIVE = Real(above=0.0)
# Wider than what any grid leads to, and far from where products leave the range of the numbers.
_TUNED = Real(minimum=1e-30, maximum=1e30)
# More than any pool has: windows grow by factors.
_MOST_EXPERTS = 1000

# Samples and models ------------------------------------------------------------------------


def _codes(size: str | int, *, ascending: bool = False) -> Array:
    return Array(_INDEX, (size,), minimum=0, below="n_classes", ascending=ascending)


# `n_rows` is the length of each chunk by itself.
_CHUNK = Together((Array(("float64", "float32"), ("n_rows", "n_features")), _codes("n_rows")))
_WINDOW = Record(
    RecentSamples, {"budget": Whole(1), "chunks": Listing(_CHUNK, least=1, most=1_000_000)}
)
_SCALER = Record(
    Scaler,
    {
        "offset": Array(_DOUBLE, ("n_features",)),
        "scale": Array(_DOUBLE, ("n_features",), above=0.0),
    },
)


def _check_outputs(model: Linear | ScaledExpansion, path: str, sizes: Scope) -> None:
    n_known = model.classes.size
    if isinstance(model, Linear):
        n_outputs = int(model.weights.shape[1])
    else:
        n_outputs = model.expansion.n_outputs
    if n_known < 2 or outputs_of(n_known, n_outputs) is None:
        refuse(f"'{path}' has {n_outputs} decisions for {n_known} classes")


def _check_weights(model: Linear, path: str, sizes: Scope) -> None:
    if sizes["n_weights"] != sizes["n_features"] + 1:
        refuse(f"'{path}' has {sizes['n_weights']} weights for {sizes['n_features']} features")


def _check_matrix(expansion: KernelExpansion, path: str, sizes: Scope) -> None:
    found = expansion.coefficients
    shape = sizes["n_support"], sizes["n_outputs"]
    check_csr(path, found.values, found.outputs, found.offsets, shape)
    if found.n_outputs != sizes["n_outputs"]:
        refuse(f"'{path}' has coefficients of {found.n_outputs} outputs")


_EXPANSION = Record(
    KernelExpansion,
    {
        "kernel": Record(KernelSpec, {"gamma": _TUNED}, lambda gamma: KernelSpec("rbf", gamma)),
        "vectors": Array(("float32",), ("n_support", "n_features")),
        "coefficients": Record(
            Coefficients,
            {
                "offsets": Array(_INDEX, ("n_offsets",)),
                "outputs": Array(_INDEX, ("n_entries",)),
                "values": Array(_DOUBLE, ("n_entries",)),
                "n_outputs": Whole(1),
            },
            Coefficients,
        ),
        "intercepts": Array(_DOUBLE, ("n_outputs",)),
    },
    KernelExpansion,
    checks=(_check_matrix,),
)

_MODEL = OneOf(
    {
        "constant": Record(Constant, {"classes": _codes(1)}),
        "linear": Record(
            Linear,
            {
                "classes": _codes("n_known", ascending=True),
                "scaler": _SCALER,
                "weights": Array(_DOUBLE, ("n_weights", "n_outputs")),
            },
            checks=(_check_outputs, _check_weights),
        ),
        "expansion": Record(
            ScaledExpansion,
            {
                "classes": _codes("n_known", ascending=True),
                "scaler": _SCALER,
                "labels": _codes("n_support"),
                "expansion": _EXPANSION,
            },
            checks=(_check_outputs,),
        ),
    }
)

# The adaptive and the published rule ---------------------------------------------------------

_CHOICE = Record(Choice, {"gamma": _TUNED, "margin": _TUNED, "C": _TUNED})
_FAMILY = Word(FAMILIES)
# Wrong predictions and predictions.
_TALLY = Together((Whole(), Whole(1)))
_DETECTOR = Maybe(OneOf({"ddm": DDM_STATE}))


def _check_tallies(tallies: Any, path: str) -> None:
    if any(wrong > count for wrong, count in tallies):
        refuse(f"'{path}' counts more errors than predictions")


def _check_expert(expert: Expert, path: str, sizes: Scope) -> None:
    _check_tallies(expert.errors.values(), path)


_EXPERT = Record(
    Expert,
    {
        "family": _FAMILY,
        "window": Whole(1),
        "model": Maybe(_MODEL),
        "trained_at": Whole(),
        "trained_on": Whole(),
        "errors": Table(Whole(), _TALLY),
        "wakes_at": Whole(),
        "rest": Whole(),
        "pause": Whole(1),
        "learns": Flag(),
    },
    checks=(_check_expert,),
)


def _check_pool(pool: ExpertPool, path: str, sizes: Scope) -> None:
    _check_tallies(pool.record, f"{path}.record")
    ready = [k for k, expert in enumerate(pool.experts) if expert.model is not None]
    if pool.place not in ready:
        refuse(f"'{path}' has no expert that predicts")
    if any(chunk > pool.time for expert in pool.experts for chunk in expert.errors):
        refuse(f"'{path}' has errors of a chunk that is still to come")
    if any(old.model is None or old.learns for old in pool.retired):
        refuse(f"'{path}' has a retired expert that learns or cannot predict")
    # Files of earlier versions know nothing of landmarks.
    if (
        "landmark" not in pool.choices
        and "landmark" not in pool.tuned_on
        and "plain" in pool.choices
    ):
        pool.choices["landmark"] = Choice(pool.choices["plain"].gamma)
        pool.tuned_on["landmark"] = 0
    if set(pool.choices) != set(FAMILIES) or set(pool.tuned_on) != set(FAMILIES):
        refuse(f"'{path}' has no parameters for some family")
    if (pool.detector is None) != (pool.fresh_detector is None):
        refuse(f"'{path}' has a detector in one place only")


def _check_in_turn(found: InTurn, path: str, sizes: Scope) -> None:
    if found.n_classes != sizes["n_classes"]:
        refuse(f"'{path}' is about other classes than expected")
    n_lagged = 2 * sizes["n_features"] + found.n_classes + 1
    if found.weights is not None and len(found.weights) != n_lagged:
        refuse(f"'{path}' has {len(found.weights)} weights where {n_lagged} were expected")
    if set(found.wrong) != set(GUESSES) or set(found.rests) != set(RESTING):
        refuse(f"'{path}' lacks the record of a guess")
    if set(found.wakes_at) != set(RESTING):
        refuse(f"'{path}' lacks the rest of a guess")
    if len({found.wrong[name].size for name in GUESSES[:3]} | {found.gaps.size}) > 1:
        refuse(f"'{path}' has records of different length")
    if found.before is not None and found.before[1] >= found.n_classes:
        refuse(f"'{path}' ends with a class that does not exist")
    for name in found.compared:
        asleep = name in RESTING and found.wakes_at[name] > found.time
        missing = (name == "lagged" and found.weights is None) or (
            name == "neighbour" and found.recent is None
        )
        if asleep or missing or found.compared.count(name) > 1:
            refuse(f"'{path}' compares a guess that is not made")
    if not set(GUESSES[:3]) <= set(found.compared):
        refuse(f"'{path}' does not compare the guesses that are always made")
    if found.compared != [name for name in GUESSES if name in found.compared]:
        refuse(f"'{path}' compares the guesses in another order")
    if found.before is None:
        refuse(f"'{path}' has no last sample")
    if found.scaler is None and (found.weights is not None or found.recent is not None):
        refuse(f"'{path}' has no scaling")


# 0 or 1 for each of the last predictions; a guess may have fewer of them than another.
_FLAGS = Array(_INDEX, ("n_flags",), minimum=0, maximum=1)
_IN_TURN = Record(
    InTurn,
    {
        "n_classes": Whole(1),
        "before": Maybe(Together((Array(("float64", "float32"), ("n_features",)), Whole()))),
        "wrong": Table(Word(GUESSES), _FLAGS),
        "gaps": Array(_DOUBLE, ("n_gaps",), minimum=0.0),
        "limit": Real(),
        "scaler": Maybe(_SCALER),
        "weights": Maybe(Array(_DOUBLE, ("n_lagged", "n_classes"))),
        "recent": Maybe(_CHUNK),
        "compared": Listing(Word(GUESSES), least=3, most=len(GUESSES)),
        "time": Whole(),
        "rests": Table(Word(RESTING), Whole()),
        "wakes_at": Table(Word(RESTING), Whole()),
    },
    checks=(_check_in_turn,),
)

_POOL = Record(
    ExpertPool,
    {
        "chunk_size": Whole(1),
        "carry": Whole(),
        "alarm": _POSITIVE,
        "fresh_detector": _DETECTOR,
        "detector": _DETECTOR,
        "window": _WINDOW,
        "experts": Listing(_EXPERT, least=1, most=_MOST_EXPERTS),
        "place": Whole(),
        "retired": Listing(_EXPERT, most=_MOST_EXPERTS),
        "choices": Table(_FAMILY, _CHOICE),
        "tuned_on": Table(_FAMILY, Whole()),
        "time": Whole(),
        "n_drifts": Whole(),
        "record": Listing(_TALLY),
        "in_turn": Maybe(_IN_TURN),
    },
    checks=(_check_pool,),
    absent={"in_turn": None},
)

_PUBLISHED = Record(
    PublishedRule,
    {
        "chunk_size": Whole(1),
        "window": _WINDOW,
        "choice": Maybe(_CHOICE),
        "n_drifts": Whole(),
        "_model": _MODEL,
        "n_seen": Whole(1),
    },
)

# The rule of OLLA-L2 -------------------------------------------------------------------------


def _check_olla_l2(rule: OllaL2Rule, path: str, sizes: Scope) -> None:
    known = sorted({code for pair in rule.pairs for code in pair})
    if set(rule.pairs) != set(combinations(known, 2)):
        refuse(f"'{path}' lacks a pair of its classes")
    if known and known[-1] >= sizes["n_classes"]:
        refuse(f"'{path}' has a pair of classes that do not exist")
    if rule.model.multi_class != "ovo":
        refuse(f"'{path}' has a model without pairs of classes")


_INFINITE = ("inf", "-inf")
_OLLA_L2 = Record(
    OllaL2Rule,
    {
        "gamma": _POSITIVE,
        "C": _POSITIVE,
        "epochs": Whole(1),
        "budget": Whole(1),
        "keep": Real(odd=_INFINITE),
        "rebuild": Real(odd=_INFINITE),
        "decay": Real(above=0.0, maximum=1.0),
        "n_drifts": Whole(),
        "action": Word(get_args(Action)),
        "margin": Maybe(Real()),
        "scaler": _SCALER,
        "vectors": Array(("float32",), ("n_vectors", "n_features")),
        "labels": _codes("n_vectors"),
        "pairs": Table(
            Together((Whole(), Whole())),
            Record(
                Pair,
                {
                    "support": Array(_INDEX, ("n_support",), minimum=0, below="n_vectors"),
                    "coef": Array(_DOUBLE, ("n_support",)),
                    "intercept": Real(),
                },
            ),
        ),
        "_model": _MODEL,
    },
    checks=(_check_olla_l2,),
)

# The learner ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class LearnerState:
    """The fitted state of a stream learner.

    Attributes
    ----------
    n_features, feature_names : int, ndarray or None
        Features, and their names if they have some.
    classes : ndarray
        Class labels.
    n_learned : int
        Samples learned from.
    waiting : tuple of (ndarray, ndarray) or None
        Samples that wait for a full chunk, and the numbers of their classes.
    rule : ExpertPool, PublishedRule or OllaL2Rule
        The rule; its number of threads is not stored.
    """

    n_features: int
    feature_names: AnyArray | None
    classes: AnyArray
    n_learned: int
    waiting: tuple[FloatArray, IndexArray] | None
    rule: Any


LEARNER_STATE = Record(
    LearnerState,
    {
        # First, because the others are compared with them.
        "n_features": Whole(1, size="n_features"),
        "feature_names": Maybe(Names()),
        "classes": Labels(),
        "n_learned": Whole(1),
        "waiting": Maybe(_CHUNK),
        "rule": OneOf({"adaptive": _POOL, "published": _PUBLISHED, "olla_l2": _OLLA_L2}),
    },
)

# What a rule gets from the parameters of its estimator; None leaves the choice to the rule.
_SETTINGS: dict[type, tuple[str, ...]] = {
    ExpertPool: ("chunk_size", "carry", "alarm"),
    PublishedRule: ("chunk_size",),
    OllaL2Rule: ("gamma", "C", "epochs", "budget", "keep", "rebuild", "decay"),
}


def check_settings(rule: Any, fresh: Any) -> None:
    """Refuse a rule with other settings than those of a fresh one of the same estimator."""
    if type(rule) is not type(fresh):
        refuse("the state is that of another rule")
    for name in _SETTINGS[type(rule)]:
        if getattr(fresh, name) not in (None, getattr(rule, name)):
            refuse(f"the state was learned with another '{name}'")
    if not isinstance(rule, OllaL2Rule) and rule.window.budget != fresh.window.budget:
        refuse("the state was learned with another 'memory'")
