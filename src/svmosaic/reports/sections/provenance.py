"""Where the results come from: versions, computer, seeds, starts, and the spec itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from svmosaic.experiments.reuse import reuse_words
from svmosaic.reports.document import Details, Row, Section, Table
from svmosaic.reports.run_data import RunData
from svmosaic.reports.spec_text import spec_as_toml
from svmosaic.utils.wording import plural

__all__ = ["protocol_words", "provenance_section"]

_SCALES = {
    "minmax": "Features are scaled to [0, 1] by the training rows.",
    "standard": "Features are scaled to mean 0 and deviation 1 by the training rows.",
    "none": "Features are not scaled.",
}


def provenance_section(run: RunData) -> Section:
    """Return what ran, where and with what."""
    found = run.provenance
    protocol = run.experiment.get("protocol", {})
    seed = protocol.get("random_state")
    words = [
        "Every method sees the same splits, and starts with the same seeds."
        + (f" All seeds come from random_state = {seed}." if seed is not None else ""),
    ]
    changed = len({start.provenance.get("code") for start in run.starts}) > 1
    if changed:
        words.append(
            "The starts of this run had different code or versions. Cells of other code are not "
            "counted: what changed was run again."
        )
    if reused := reuse_words(run.records):
        words.append(reused)
    details = [Details("The spec", _SPEC_NOTE, code=spec_as_toml(run.experiment))]
    if not run.experiment:
        note = "The journal was written by an older version, which did not keep the file."
        details = [Details("The spec", note, code=str(found.get("spec", "")))]
    return Section(
        "Provenance",
        "\n\n".join(words),
        [_facts(found), _starts(run)],
        details=details,
    )


_SPEC_NOTE = (
    "The experiment with all defaults written out. Save it as a TOML file and give it to "
    "'svmosaic run' to repeat the run. Paths are as seen from the folder in which it was started."
)


def protocol_words(protocol: Mapping[str, Any]) -> str:
    """Return what the protocol does, in words; nothing if it is not known."""
    kind = protocol.get("kind")
    share = f"{protocol.get('test_size', 0):.0%} of the rows to test on"
    if kind == "nested":
        repeats = protocol["repeats"]
        times = "" if repeats == 1 else f", repeated {repeats} times"
        what = f"Nested cross-validation with {protocol['outer']} outer folds{times}."
    elif kind == "monte-carlo":
        what = f"{plural(protocol['n_splits'], 'random split')} with {share}."
    elif kind == "holdout":
        what = f"One random split with {share}."
    elif kind == "prequential":
        return (
            f"Every chunk of {protocol['chunk']} samples is predicted, then learned; the first is "
            "only learned. Measures are over all predictions."
        )
    else:
        return ""
    search = (
        f"Parameters with a grid are chosen by {protocol['search']} search over "
        f"{protocol['inner']} inner folds, by {protocol['scoring'][0]}."
    )
    held = "Those that are constant there are held at that value."
    # A journal of an older version does not say.
    holds = protocol.get("hold_constants", False) and protocol["scale"] != "none"
    return " ".join([what, search, _SCALES.get(protocol["scale"], ""), held * holds]).strip()


def _facts(found: Mapping[str, Any]) -> Table:
    versions = found.get("versions") or {}
    facts = [
        ("code", str(found.get("code", "")).partition(" ")[0]),
        *versions.items(),
        ("Python", found.get("python")),
        ("system", found.get("system")),
        ("processor", found.get("processor")),
        ("processors in use", found.get("processors")),
    ]
    rows: list[Row] = [[name, str(value)] for name, value in facts if value]
    caption = "What the last start ran with. The code is a hash of svmosaic's files."
    return Table(["what", "value"], rows, caption, "ll")


def _starts(run: RunData) -> Table:
    rows: list[Row] = [
        [start.started, start.journal, str(start.provenance.get("code", "")).partition(" ")[0]]
        for start in run.starts
    ]
    caption = f"{plural(len(rows), 'start')} of the run, in UTC."
    return Table(["started", "journal", "code"], rows, caption, "lll")
