"""What a comparison says, in plain English and no more than it says."""

from __future__ import annotations

from collections.abc import Sequence

from svmosaic.stats.comparison_record import ComparisonRecord, PairComparison

__all__ = ["describe", "format_p", "listed"]

# Demsar's rule of thumb for the approximations behind the p-values.
_FEW_DATASETS = 10


def describe(result: ComparisonRecord) -> str:
    """Return the findings of a comparison as one paragraph."""
    sentences = [_subject(result), _ranks(result), _omnibus(result)]
    if result.friedman.p_value > result.alpha:
        sentences.append(
            "So no single pair is called different here; that does not show that the methods are "
            "equal."
        )
    else:
        sentences.append(_all_pairs(result) if result.control is None else _control(result))
    return " ".join([*sentences, *_cautions(result)])


def format_p(p: float) -> str:
    """Return a p-value for a sentence: ``p = 0.024`` or ``p < 0.0001``."""
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.2g}"


def listed(names: Sequence[str]) -> str:
    """Return names as an enumeration: ``a, b and c``."""
    if len(names) <= 1:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _subject(result: ComparisonRecord) -> str:
    order = "higher" if result.higher_is_better else "lower"
    return (
        f"{len(result.table.methods)} methods were compared on {len(result.table.datasets)} data "
        f"sets by {result.measure} ({order} is better)."
    )


def _ranks(result: ComparisonRecord) -> str:
    ranks = listed([f"{name} {rank:.2f}" for name, rank in result.average_ranks.items()])
    return f"Average ranks, best first: {ranks}."


def _omnibus(result: ComparisonRecord) -> str:
    test = result.friedman
    first, second = test.degrees_of_freedom
    found = test.p_value <= result.alpha
    verdict = "differ significantly" if found else "do not differ significantly"
    return (
        f"By the Friedman test in Iman and Davenport's form the methods {verdict} at the level "
        f"{result.alpha:g} (F({first}, {second}) = {test.F:.3g}, {format_p(test.p_value)})."
    )


def _all_pairs(result: ComparisonRecord) -> str:
    found = [pair for pair in result.pairs if pair.adjusted["nemenyi"] <= result.alpha]
    lead = f"By Nemenyi's test (critical difference {result.critical_difference:.3g})"
    if not found:
        return f"{lead} no pair differs significantly: the test is too weak to say which do."
    parts = []
    for name in result.average_ranks:
        beaten = [pair.versus for pair in found if pair.method == name]
        if beaten:
            parts.append(f"{name} ranks significantly better than {listed(beaten)}")
    open_pairs = len(result.pairs) - len(found)
    rest = f"; the other {_count(open_pairs)} not decided" if open_pairs else ""
    return f"{lead} {'; '.join(parts)}{rest}."


def _count(pairs: int) -> str:
    return "pair is" if pairs == 1 else f"{pairs} pairs are"


def _control(result: ComparisonRecord) -> str:
    sides = (
        ("ranks significantly better than", _decided(result, +1)),
        ("ranks significantly worse than", _decided(result, -1)),
        ("does not differ significantly from", _undecided(result)),
    )
    parts = [f"{words} {listed(names)}" for words, names in sides if names]
    found = listed(parts)
    return f"By Holm's procedure the control {result.control} {found}. {_interval(result)}"


def _decided(result: ComparisonRecord, side: int) -> list[str]:
    return [
        pair.versus
        for pair in result.pairs
        if pair.adjusted["holm"] <= result.alpha and side * pair.rank_difference > 0
    ]


def _undecided(result: ComparisonRecord) -> list[str]:
    return [pair.versus for pair in result.pairs if pair.adjusted["holm"] > result.alpha]


def _interval(result: ComparisonRecord) -> str:
    """Say whether the weaker test, which the diagram shows, comes to the same end."""

    def differs(pair: PairComparison) -> bool:
        dunn = pair.adjusted["bonferroni_dunn"] <= result.alpha
        return dunn != (pair.adjusted["holm"] <= result.alpha)

    lost = [pair.versus for pair in result.pairs if differs(pair)]
    lead = (
        "The Bonferroni-Dunn test, which the diagram shows (critical difference "
        f"{result.critical_difference:.3g}),"
    )
    if not lost:
        return f"{lead} agrees."
    return f"{lead} is weaker and does not decide about {listed(lost)}."


def _cautions(result: ComparisonRecord) -> list[str]:
    cautions = []
    if result.control_was_chosen:
        cautions.append(
            f"{result.control} became the control because it ranks best in these scores, which "
            "favours it."
        )
    if result.table.dropped:
        cautions.append(
            f"Left out because a score is missing: {listed(list(result.table.dropped))}."
        )
    if len(result.table.datasets) <= _FEW_DATASETS:
        cautions.append(
            f"With {len(result.table.datasets)} data sets the p-values of the rank tests are rough."
        )
    return cautions
