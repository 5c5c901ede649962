"""``svmosaic stream``: evaluate learners on a stream."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import logging
import math
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svmosaic.cli.console import format_fields, format_table, note, uninterrupted
from svmosaic.cli.files import Files, OutputFolder
from svmosaic.cli.interrupt import GentleInterrupt
from svmosaic.cli.methods import named_parameter
from svmosaic.cli.options import (
    add_column_options,
    add_file_options,
    add_reading_options,
    column,
    positive_int,
)

if TYPE_CHECKING:
    from svmosaic.metrics import AlarmScores
    from svmosaic.streams import PrequentialResult, Stream

__all__ = ["DESCRIPTION", "EPILOG", "add_arguments", "files", "run"]

DESCRIPTION = """\
Let learners predict a stream and learn from it, chunk by chunk: every sample is first predicted,
then learned.

SOURCE is a stream of the papers by name, a data file (also .gz), or the word
list. A learner is an incremental method of svmosaic, or any class by its full name that has
partial_fit (scikit-learn) or learn_one (River); names that begin with moa. are MOA's, by CapyMOA.
The folder has the table of all chunks as CSV, a figure and a page. Stop at any time: the same
command resumes."""
EPILOG = """\
examples:
  svmosaic stream list
  svmosaic stream SEASuddenAN0 --learner stream-ollawv --samples 20000
  svmosaic stream log.csv.gz --learner nlsgd --set gamma=0.5 --learner river.naive_bayes.GaussianNB
"""

# Learners by a short name; the others of svmosaic's by the name of their class.
LEARNERS = {
    "stream-ollawv": "StreamOLLAWV",
    "stream-olla-l2": "StreamOLLAL2",
    "nlsgd": "NLSGDClassifier",
    "olla-l2": "OLLAL2Classifier",
    "online-svm": "OnlineSVMClassifier",
    "online-svm-cbp": "OnlineSVMCBPClassifier",
}
CHECKPOINT = "run.checkpoint"
# The files of a run, as patterns in its folder.
_WRITTEN = ("chunks.csv", "predictions.csv", "accuracy.svg", "report.html", CHECKPOINT)
_LINE_SECONDS = 0.1
_PLAIN_SECONDS = 5.0
# A little less than what a user notices as lost work.
_CHECKPOINT_SECONDS = 5.0


class _AddLearner(argparse.Action):
    """Begin a new learner; the --set that follow are its parameters."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        namespace.learners = [*(namespace.learners or []), (values, {})]


class _SetParameter(argparse.Action):
    """Give the last learner a parameter."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        if not namespace.learners:
            parser.error(f"{option} gives a parameter to the --learner before it; there is none")
        name, value = values
        namespace.learners[-1][1][name] = value


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("source", metavar="SOURCE", help="a stream by name, a data file, or: list")
    parser.add_argument(
        "--learner",
        dest="learners",
        action=_AddLearner,
        metavar="NAME",
        help=f"{', '.join(LEARNERS)}, or the full name of a class; may be given several times",
    )
    parser.add_argument(
        "--set",
        dest="learners",
        action=_SetParameter,
        type=named_parameter,
        metavar="NAME=VALUE",
        help="a parameter of the learner before it",
    )
    parser.add_argument(
        "--chunk",
        type=positive_int,
        default=1000,
        metavar="N",
        help="samples that are predicted and learned together (default: %(default)s)",
    )
    parser.add_argument(
        "--samples", type=positive_int, metavar="N", help="where to stop (default: at the end)"
    )
    parser.add_argument(
        "--window",
        type=positive_int,
        default=1000,
        metavar="N",
        help="predictions in the windowed measures (default: %(default)s)",
    )
    parser.add_argument(
        "--delay",
        type=_count,
        default=0,
        metavar="N",
        help="samples after which a label arrives (default: %(default)s)",
    )
    when = parser.add_mutually_exclusive_group()
    when.add_argument(
        "--one-by-one",
        action="store_true",
        help="give every learner each label before the next sample; by default only those get it "
        "that learn sample by sample (stream-ollawv, River's)",
    )
    when.add_argument(
        "--by-chunks", action="store_true", help="give every learner the labels of a chunk together"
    )
    parser.add_argument(
        "--predictions",
        action="store_true",
        help="also write predictions.csv: each sample's label and the prediction of every learner",
    )
    parser.add_argument(
        "--seed",
        type=_count,
        default=0,
        metavar="N",
        help="seed of a generated stream and of the learners (default: %(default)s)",
    )
    parser.add_argument(
        "--target",
        type=column,
        metavar="COL",
        help="column of the labels in a file, by name or by number from 0 (default: the last)",
    )
    add_file_options(parser)
    add_column_options(parser)
    add_reading_options(parser)
    parser.add_argument(
        "--out", metavar="FOLDER", help="where the results go (default: SOURCE + .stream)"
    )
    parser.add_argument(
        "--checkpoint",
        metavar="FILE",
        help=f"where the state is kept, to resume from (default: {CHECKPOINT} in the folder). It "
        "holds numbers and no code. Only the learners stream-ollawv and stream-olla-l2 are stored; "
        "others learn the samples so far again",
    )
    state = parser.add_mutually_exclusive_group()
    state.add_argument(
        "--restart", action="store_true", help="start over, although there is a check-point"
    )
    state.add_argument(
        "--no-checkpoint", action="store_true", help="keep no state: the run cannot be resumed"
    )


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"expected a whole number from 0, got {text!r}")
    return int(text)


def files(args: argparse.Namespace) -> Files:
    """Return what is read and written."""
    if args.source == "list":
        return Files()
    # Imported here: the numerical libraries take a second, and the help does not need them.
    from svmosaic.streams import describe_stream

    data = describe_stream(args.source).data if _is_stream_name(args.source) else None
    return Files((args.source, data), (args.checkpoint,), OutputFolder(_folder(args), _WRITTEN))


def run(args: argparse.Namespace) -> None:
    """List the streams, or run the learners and write what came out."""
    if args.source == "list":
        _list()
        return
    if not args.learners:
        raise ValueError(
            f"A learner is needed: --learner NAME, one of {', '.join(LEARNERS)} or the full name "
            "of a class."
        )
    # Imported here: the numerical libraries take a second, and the help does not need them.
    from svmosaic.streams import prequential

    folder = _folder(args)
    learners = _make_learners(args.learners, args.seed)
    stream = _open(args)
    checkpoint = _checkpoint(args, folder)
    known = [n for n in (args.samples, stream.length) if n is not None]
    total = min(known) if known else None
    line = _ProgressLine(stream.name, total)
    with GentleInterrupt() as interrupt, _log_lines_as_notes():

        def report(position: int, records: Mapping[str, Mapping[str, Any]]) -> None:
            line.update(position, records)
            interrupt.check()

        try:
            result = prequential(
                learners,
                stream,
                n_samples=args.samples,
                chunk=args.chunk,
                one_by_one=True if args.one_by_one else False if args.by_chunks else "auto",
                window=args.window,
                delay=args.delay,
                keep_predictions=args.predictions,
                checkpoint=checkpoint,
                checkpoint_seconds=_CHECKPOINT_SECONDS,
                progress=report,
            )
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_kept(checkpoint)) from None
        finally:
            line.end()
    if not result.records:
        raise ValueError(f"{args.source} has no samples. Name another source.")
    with uninterrupted():
        files = _write(result, stream, folder, _facts(args, stream))
    _show(result, folder, files)


@contextlib.contextmanager
def _log_lines_as_notes() -> Iterator[None]:
    """Show the user what the library logs, such as that a learner learns a stream again."""
    log, handler = logging.getLogger("svmosaic"), logging.Handler(logging.INFO)
    handler.emit = lambda record: note(record.getMessage())  # type: ignore[method-assign]
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


def _kept(checkpoint: Path | None) -> str:
    if checkpoint is None or not checkpoint.exists():
        return "nothing was written"
    return f"the same command resumes from {checkpoint}"


def _list() -> None:
    from svmosaic.streams import describe_stream, list_streams

    infos = [describe_stream(name) for name in list_streams()]
    rows = [
        (info.name, info.n_samples, info.n_features, info.n_classes, info.title) for info in infos
    ]
    print(format_table(("name", "samples", "features", "classes", "title"), rows, "lrrrl"))
    print("\nAny data file is a stream too. Settings: docs/streams.md")


# What is run --------------------------------------------------------------------------------


def _folder(args: argparse.Namespace) -> Path:
    return Path(args.out or f"{Path(args.source).name.partition('.')[0]}.stream")


def _make_learners(wanted: Sequence[tuple[str, dict[str, Any]]], seed: int) -> dict[str, Any]:
    """Return the learners by name; a second one of a name gets a number."""
    from svmosaic.experiments.stream_learners import build_learner

    learners: dict[str, Any] = {}
    for word, params in wanted:
        # The last part of a full name says enough.
        short = word if word in LEARNERS else word.rpartition(".")[2]
        name, number = short, 2
        while name in learners:
            name, number = f"{short} {number}", number + 1
        try:
            learners[name] = build_learner(LEARNERS.get(word, word), params, seed)
        except (TypeError, ValueError) as error:
            close = difflib.get_close_matches(word, [*LEARNERS], n=1)
            hint = f". Did you mean {close[0]!r}?" if close and word not in LEARNERS else ""
            raise ValueError(f"The learner {word!r} cannot be made: {error}{hint}") from None
    return learners


def _is_stream_name(source: str) -> bool:
    from svmosaic.streams import list_streams

    return source in list_streams() and not Path(source).exists()


def _open(args: argparse.Namespace) -> Stream:
    from svmosaic.cli.data_kinds import Columns, file_columns
    from svmosaic.cli.option_names import own_options
    from svmosaic.streams import FileStream, stream

    columns = Columns.of(args)
    if columns.target is None:
        columns = replace(columns, target=-1)
    if _is_stream_name(args.source):
        for option in columns.given():
            raise ValueError(
                f"{args.source} is a stream by name; {option} is for files. Leave it out."
            )
        return stream(args.source, n_samples=args.samples, seed=args.seed)
    path = Path(args.source)
    if path.is_file():
        found = file_columns(args.source, replace(columns, max_bytes=args.max_bytes or math.inf))
        if found is not None:
            columns = columns.resolve(found.names, path)
        with own_options():
            return FileStream(
                path,
                format=columns.format,
                target=-1 if columns.target is None else columns.target,
                drop=columns.drop,
                nominal_columns=columns.categorical,
                numeric_columns=columns.numeric,
                id_column=columns.id,
                max_bytes=columns.max_bytes,
                **columns.reading,
            )
    if Path(args.source).suffix or Path(args.source).name != args.source:
        raise FileNotFoundError(
            f"There is no file {args.source!r}. Check the path, or list the streams with: "
            "svmosaic stream list"
        )
    # Says what is near.
    return stream(args.source)


def _checkpoint(args: argparse.Namespace, folder: Path) -> Path | None:
    folder.mkdir(parents=True, exist_ok=True)
    if args.no_checkpoint:
        return None
    path = Path(args.checkpoint) if args.checkpoint else folder / CHECKPOINT
    if path.exists() and not path.is_file():
        raise ValueError(
            f"The check-point {str(path)!r} is not a regular file. Name a file, or use "
            "--no-checkpoint."
        )
    if args.restart:
        path.resolve().unlink(missing_ok=True)
    return path


def _facts(args: argparse.Namespace, stream: Stream) -> list[tuple[str, str]]:
    named = [
        f"{name} ({', '.join(f'{k}={v}' for k, v in params.items())})" if params else name
        for name, params in args.learners
    ]
    return [
        ("stream", stream.name),
        ("features", str(stream.n_features)),
        ("classes", ", ".join(map(str, stream.classes.tolist()))),
        ("learners", "; ".join(named)),
        ("chunk", "one by one" if args.one_by_one else str(args.chunk)),
        ("labels", _when(args)),
        ("window", str(args.window)),
        ("delay of labels", str(args.delay)),
        ("seed", str(args.seed)),
    ]


def _when(args: argparse.Namespace) -> str:
    if args.one_by_one:
        return "each before the next sample"
    if args.by_chunks or args.delay:
        return "those of a chunk together"
    return "each before the next sample, for learners that learn sample by sample"


# What is shown and written ------------------------------------------------------------------


class _ProgressLine:
    """Accuracy so far, samples per second and support vectors, in one line that changes."""

    def __init__(self, name: str, total: int | None) -> None:
        self._name, self._total = name, total
        self._live = sys.stderr.isatty()
        self._begin = self._last = time.monotonic()
        self._first: int | None = None
        self._width = 0

    def update(self, position: int, records: Mapping[str, Mapping[str, Any]]) -> None:
        """Show the line, at most ten times a second, or once in a while where it cannot change."""
        now = time.monotonic()
        if self._first is None:
            # A resumed run begins in the middle.
            self._first, self._begin = position, now
        if now - self._last < (_LINE_SECONDS if self._live else _PLAIN_SECONDS):
            return
        self._last = now
        text = self._text(position, records, now)
        if not self._live:
            note(text)
            return
        sys.stderr.write(f"\r{text.ljust(self._width)}")
        sys.stderr.flush()
        self._width = len(text)

    def end(self) -> None:
        """Take the line away."""
        if self._live and self._width:
            sys.stderr.write(f"\r{' ' * self._width}\r")
            sys.stderr.flush()

    def _text(self, position: int, records: Mapping[str, Any], now: float) -> str:
        of = f" of {self._total:,}" if self._total else ""
        elapsed = now - self._begin
        rate = (position - (self._first or 0)) / elapsed if elapsed > 0 else 0.0
        parts = [f"{self._name}: {position:,}{of}, {rate:,.0f} samples/s"]
        for name, record in records.items():
            support = f", {record['n_support']:,} SV" if "n_support" in record else ""
            parts.append(f"{name} {record['accuracy']:.4f}{support}")
        return " | ".join(parts)


def _write(
    result: PrequentialResult, stream: Stream, folder: Path, facts: Sequence[tuple[str, str]]
) -> list[Path]:
    """Write the table, the figure and the page; without matplotlib there is no figure."""
    from svmosaic.exceptions import MissingDependencyError
    from svmosaic.reports.stream_report import write_stream_report
    from svmosaic.utils.atomic import atomic_write

    files = [folder / "chunks.csv"]
    result.to_csv(files[0])
    if result.predictions:
        files.append(folder / "predictions.csv")
        result.predictions_to_csv(files[-1])
    try:
        from svmosaic.plots import plot_prequential, to_svg

        picture = to_svg(plot_prequential(result, title=stream.name))
    except MissingDependencyError as error:
        note(f"warning: there is no figure. {error}")
    else:
        files.append(folder / "accuracy.svg")
        with atomic_write(files[-1], "wb") as out:
            out.write(picture)
    files.append(folder / "report.html")
    write_stream_report(result, stream.name, files[-1], facts=facts)
    return files


def _show(result: PrequentialResult, folder: Path, files: Sequence[Path]) -> None:
    rows = result.summary()
    print(
        format_fields(
            [
                ("samples", f"{rows[0]['n_samples']:,}"),
                ("folder", folder),
                ("files", ", ".join(path.name for path in files)),
            ]
        )
    )
    table = [
        [
            *_measures(row),
            f"{row['train_seconds']:.2f}",
            f"{row['test_seconds']:.2f}",
            f"{row['samples_per_second']:,.0f}",
            f"{row['n_support']:,}" if "n_support" in row else "",
        ]
        for row in rows
    ]
    table += [[*_measures(row), *[""] * 4] for row in result.baseline_summary()]
    header = (
        *("learner", "kappa t", "accuracy", "kappa", "F1 macro", "last window"),
        *("train s", "test s", "samples/s", "support"),
    )
    print(f"\n{format_table(header, table, 'l' + 'r' * 9)}")
    print("\nkappa t compares with no-change, the label before; at 0 or below, nothing is gained.")
    _show_alarms(result)


def _measures(row: Mapping[str, Any]) -> list[str]:
    names = ("kappa_t", "accuracy", "kappa", "f1_macro", "window_accuracy")
    return [row["learner"], *(f"{row[name]:.4f}" for name in names)]


def _found(alarms: AlarmScores) -> str:
    n_known = alarms.n_found + alarms.n_missed
    return f"{alarms.n_found} of {n_known}" if n_known else "none known"


def _show_alarms(result: PrequentialResult) -> None:
    scores = result.alarm_scores()
    if not scores:
        return
    table = [
        [
            name,
            one.n_found + one.n_false,
            _found(one),
            one.n_false if one.n_found + one.n_missed else "",
            f"{one.mean_delay:,.0f}" if one.n_found else "",
        ]
        for name, one in scores.items()
    ]
    header = ("learner", "restarts", "changes found", "false alarms", "mean delay")
    print(f"\n{format_table(header, table, 'lrrrr')}")
