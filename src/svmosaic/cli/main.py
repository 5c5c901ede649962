"""The command ``svmosaic``: reads the command line, runs one command, reports errors.

Exit codes: 0 success, 1 an error in the data or the request, 2 wrong usage, 130 Ctrl-C.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import importlib
import os
import sys
import traceback
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from svmosaic.cli.console import one_line, plain_warnings
from svmosaic.cli.files import check_files
from svmosaic.cli.standard_input import data_of_standard_input
from svmosaic.version import __version__

__all__ = ["build_parser", "main"]

_COMMANDS = {
    "train": "train a model and save it",
    "predict": "predict with a saved model",
    "tune": "choose the parameters by cross-validation",
    "info": "show what is in a model file",
    "export": "write a saved model for other programs",
    "data": "list, fetch and describe data sets",
    "run": "run an experiment, or resume one",
    "stream": "evaluate learners on a stream",
    "report": "write a report on a run: a page and tables",
    "stats": "compare methods over data sets",
    "reproduce": "run a table or figure of the papers again",
    "demo": "compare the library with scikit-learn and write a report",
}

_EXIT_ERROR = 1
_EXIT_USAGE = 2
_EXIT_INTERRUPTED = 130

# Errors whose message is written for the user. Anything else is a fault of ours.
_EXPECTED = (ValueError, TypeError, LookupError, OSError, ImportError)


class _Parser(argparse.ArgumentParser):
    """A parser that reports an error in one line and points to the help."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("allow_abbrev", False)
        super().__init__(*args, **kwargs)

    def error(self, message: str) -> NoReturn:
        stop = "" if message.endswith(("?", ".")) else "."
        _print_error(f"{message}{stop} See: {self.prog} --help")
        raise SystemExit(_EXIT_USAGE)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = _Parser(
        prog="svmosaic",
        description="Support vector machines by worst-violator learning.",
        epilog="Help on a command: svmosaic COMMAND --help",
    )
    parser.add_argument("--version", action="version", version=f"svmosaic {__version__}")
    _add_debug(parser, default=False)
    commands = parser.add_subparsers(metavar="COMMAND", dest="command", parser_class=_Parser)
    for name, summary in _COMMANDS.items():
        module = importlib.import_module(f"svmosaic.cli.{name}")
        command = commands.add_parser(
            name,
            help=summary,
            description=module.DESCRIPTION,
            epilog=module.EPILOG,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(command)
        _add_debug(command, default=argparse.SUPPRESS)
        command.set_defaults(run=module.run, files=getattr(module, "files", None))
    return parser


def _add_debug(parser: argparse.ArgumentParser, default: Any) -> None:
    parser.add_argument(
        "--debug", action="store_true", default=default, help="show where an error came from"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    argv : sequence of str, default=None
        The arguments after the program's name; None means those of the process.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in words
    try:
        args = _parse(words)
        with plain_warnings():
            if args.files is not None:
                check_files(args.files(args))
            with data_of_standard_input(args):
                args.run(args)
        sys.stdout.flush()
        return 0
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    except KeyboardInterrupt as stop:
        # A command that keeps what it has done says so.
        return _interrupted(str(stop))
    except BrokenPipeError:
        # The reader has seen enough, as in `svmosaic data list | head`. That is no error.
        _silence_stdout()
        return 0
    except Exception as error:
        if _is_interrupt(error):
            return _interrupted("")
        if debug:
            traceback.print_exc()
        _print_error(_describe(error, debug=debug))
        return _EXIT_ERROR


def _is_interrupt(error: BaseException | None) -> bool:
    """Say whether Ctrl-C is behind an error: a compiled module that is being imported hides it."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__
    return error is not None


def _interrupted(kept: str) -> int:
    print(f"svmosaic: interrupted; {kept or 'nothing was written'}", file=sys.stderr)
    return _EXIT_INTERRUPTED


def _parse(words: list[str]) -> argparse.Namespace:
    parser = build_parser()
    _check_names(parser, words)
    args = parser.parse_args(words)
    if args.command is None:
        parser.error(f"a command is needed: {', '.join(_COMMANDS)}")
    return args


def _check_names(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Refuse unknown commands and options with a suggestion.

    argparse would first complain about what is missing, which hides a misspelt option.
    """
    rest = list(words)
    commands = _subcommands(parser)
    known = set(parser._option_string_actions)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return
        name = word.partition("=")[0]
        if word.startswith("--") and name not in known:
            parser.error(f"there is no option {name}.{_suggestion(name, known)}")
        if commands and not word.startswith("-"):
            if word not in commands:
                parser.error(f"there is no command {word!r}.{_suggestion(word, commands)}")
            parser = commands[word]
            commands = _subcommands(parser)
            known = set(parser._option_string_actions)


def _subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def _suggestion(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, sorted(known), n=1)
    return f" Did you mean {close[0]}?" if close else ""


def _describe(error: Exception, *, debug: bool) -> str:
    if isinstance(error, OSError) and error.strerror is not None:
        where = "" if error.filename is None else f"{error.filename}: "
        return f"{where}{error.strerror}"
    if isinstance(error, MemoryError):
        return f"out of memory. {error}"
    # A KeyError or IndexError is a LookupError too, but its message is not for the user.
    if isinstance(error, _EXPECTED) and not isinstance(error, KeyError | IndexError):
        return str(error) or type(error).__name__
    hint = "" if debug else " Run again with --debug and report what it shows."
    return f"unexpected {type(error).__name__}: {error}.{hint}"


def _print_error(message: str) -> None:
    print(f"svmosaic: error: {one_line(message)}", file=sys.stderr)


def _silence_stdout() -> None:
    """Point the output at nothing, so that the interpreter's last flush is silent too."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
