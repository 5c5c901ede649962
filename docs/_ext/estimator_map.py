"""The directive ``estimator-map``: a drawing in which every box links to the page of an estimator.

The drawing is SVG in the page itself, so that it takes its colours from the theme and its links
work with the keyboard.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

__all__ = ["COLUMNS", "Box", "setup"]


@dataclass(frozen=True)
class Box:
    """A box: when to take it, what is written in it, and the page that it links to."""

    when: str
    name: str
    page: str


def _api(when: str, name: str, full: str | None = None) -> Box:
    return Box(when, name, f"api/generated/svmosaic.{full or name}")


# The answers to "What do you want to predict?", and the estimators for each.
COLUMNS: dict[str, list[Box]] = {
    "A class": [
        _api("start here", "OLLAWVClassifier"),
        _api("choose C and gamma", "OLLAWVClassifierCV"),
        _api("need probabilities", "CalibratedClassifier"),
        _api("code for SVC", "svm.SVC"),
        _api("a share of errors", "NuSMOClassifier"),
        _api("a quick baseline", "NLSGDClassifier"),
    ],
    "A number": [
        _api("start here", "SMORegressor"),
        _api("code for SVR", "svm.SVR"),
        _api("find the tube", "NuSMORegressor"),
    ],
    "Several numbers": [
        _api("start here", "SVRCC"),
        _api("no chain", "MultiTargetSVR"),
        _api("order unknown", "SVRRC"),
        _api("two kernels", "SVRWC"),
    ],
    "Class of a bag": [
        _api("which instance?", "MIRSVMClassifier"),
        _api("best accuracy", "MIRMixSVMClassifier"),
        _api("quick baseline", "SummarySVM...", "multi_instance.SummarySVMClassifier"),
    ],
    "A stream's next": [
        _api("start here", "StreamOLLAWV"),
        _api("one kept model", "StreamOLLAL2"),
        _api("a fixed budget", "OLLAL2Classifier"),
    ],
    "Is it normal?": [
        _api("start here", "OneClassSMO"),
        _api("sklearn's code", "svm.OneClassSVM"),
    ],
}
# What to do when training takes too long.
FASTER = [
    Box("all cores", "n_jobs=-1", "performance"),
    Box("a GPU", 'device="cuda"', "gpu"),
    Box("many computers", "svmosaic.dask", "dask"),
    Box("fewer vectors", "refine=None", "ollawv"),
]

_WIDTH, _COLUMN, _BOX_WIDTH, _BOX_HEIGHT, _STEP = 1080, 180, 164, 44, 58
_TOP, _HEAD = 96, 40


def _text(x: float, y: float, words: str, kind: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{kind}">{escape(words)}</text>'


def _box(x: float, y: float, box: Box, address: str) -> str:
    label = escape(f"{box.name}: {box.when}", quote=True)
    middle = x + _BOX_WIDTH / 2
    return (
        f'<a href="{escape(address, quote=True)}" aria-label="{label}">'
        f'<rect x="{x:g}" y="{y:g}" width="{_BOX_WIDTH}" height="{_BOX_HEIGHT}" rx="8"/>'
        + _text(middle, y + 17, box.when, "when")
        + _text(middle, y + 35, box.name, "name")
        + "</a>"
    )


def _heading(x: float, answer: str) -> str:
    middle = x + _BOX_WIDTH / 2
    return (
        f'<path class="branch" d="M{_WIDTH / 2:g} 50 C{_WIDTH / 2:g} 76 {middle:g} 66 {middle:g} '
        f'{_TOP}"/><rect class="answer" x="{x:g}" y="{_TOP}" width="{_BOX_WIDTH}" '
        f'height="{_HEAD}" rx="20"/>' + _text(middle, _TOP + 25, answer, "answer-text")
    )


def draw(address_of: dict[str, str]) -> str:
    """Return the drawing, given the address of each page."""
    parts = [
        '<rect class="question" x="370" y="8" width="340" height="44" rx="22"/>',
        _text(_WIDTH / 2, 36, "What do you want to predict?", "question-text"),
    ]
    longest = max(len(boxes) for boxes in COLUMNS.values())
    for column, (answer, boxes) in enumerate(COLUMNS.items()):
        x = column * _COLUMN + (_COLUMN - _BOX_WIDTH) / 2
        parts.append(_heading(x, answer))
        for row, box in enumerate(boxes):
            y = _TOP + _HEAD + 14 + row * _STEP
            parts.append(_box(x, y, box, address_of[box.page]))
    bottom = _TOP + _HEAD + 14 + longest * _STEP + 14
    parts.append(f'<path class="branch" d="M12 {bottom} H{_WIDTH - 12}"/>')
    parts.append(_text(180, bottom + 44, "Too slow, or too large?", "question-text"))
    for column, box in enumerate(FASTER):
        x = (column + 2) * _COLUMN + (_COLUMN - _BOX_WIDTH) / 2
        parts.append(_box(x, bottom + 16, box, address_of[box.page]))
    height = bottom + 76
    return (
        '<div class="estimator-map" tabindex="0" role="region" aria-label="Map of estimators">'
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="group" aria-label="Which estimator to take, '
        'by what you want to predict">' + "".join(parts) + "</svg></div>"
    )


class EstimatorMap(SphinxDirective):
    """Insert the map."""

    def run(self) -> list[nodes.Node]:
        """Return the drawing with links that are relative to this page."""
        builder, here = self.env.app.builder, self.env.docname
        boxes = [box for column in (*COLUMNS.values(), FASTER) for box in column]
        addresses = {box.page: builder.get_relative_uri(here, box.page) for box in boxes}
        return [nodes.raw("", draw(addresses), format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("estimator-map", EstimatorMap)
    return {"parallel_read_safe": True}
