"""Chapter five: a stream whose concept changes."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from svmosaic.classification.stream.stream_ollawv import StreamOLLAWV
from svmosaic.demo.chapter import Chapter, to_figure
from svmosaic.demo.scale import Scale
from svmosaic.plots import plot_prequential
from svmosaic.reports import Section, Table
from svmosaic.streams import prequential, stream

__all__ = ["show_drift"]

_STREAM = "SEASuddenAN0"
_OURS, _TREE, _BAYES = "StreamOLLAWV", "Hoeffding tree (River)", "naive Bayes (scikit-learn)"

_TEXT = """\
Each sample is predicted before it is learned. The concept changes suddenly at the dashed lines; \
triangles mark where a learner restarted. One label in ten is wrong, so no learner can exceed \
90 %.{hint}"""
_HINT = " Install svmosaic[river] to see River's Hoeffding tree here."


def show_drift(scale: Scale) -> Chapter:
    """Run learners side by side on a stream with sudden changes."""
    peer, learner = _peer()
    learners = {_OURS: StreamOLLAWV(), peer: learner}
    result = prequential(learners, stream(_STREAM, n_samples=scale.n_stream))
    last = {row["learner"]: row for row in result.summary()}
    rows = [
        (
            name,
            f"{last[name]['accuracy']:.4f}",
            f"{last[name]['samples_per_second']:,.0f}",
        )
        for name in learners
    ]
    header = ("learner", "accuracy", "samples per second")
    figure = to_figure(
        plot_prequential(result),
        "Accuracy of the learners along the stream",
        "Accuracy over the last window of samples.",
        wide=True,
    )
    sentence = (
        f"A stream of {scale.n_stream:,} samples with drift: StreamOLLAWV predicts "
        f"{last[_OURS]['accuracy']:.1%} correctly before it learns them, {peer} "
        f"{last[peer]['accuracy']:.1%}."
    )
    text = _TEXT.format(hint="" if peer == _TREE else _HINT)
    section = Section("A stream with drift", text, [Table(header, rows, align="lrr")], [figure])
    fact = ("accuracy on a drifting stream", f"{last[_OURS]['accuracy']:.1%}")
    return Chapter(fact, sentence, section)


def _peer() -> tuple[str, Any]:
    if find_spec("river") is not None:
        from river.tree import HoeffdingTreeClassifier

        return _TREE, HoeffdingTreeClassifier()
    from sklearn.naive_bayes import GaussianNB

    return _BAYES, GaussianNB()
