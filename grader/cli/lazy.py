"""Command groups that import a command only when it is run.

The help of a group comes from its table, so that ``grader --help`` loads no command.
"""

import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperGroup

from grader.cli.exits import ExitStatus, report_fault
from grader.errors import GraderError, InputError

_HELP_NAMES = {"help_option_names": ["-h", "--help"]}


@dataclass(frozen=True)
class Entry:
    """Where a command lives (``module``, with an attribute ``command``), and its one-line help."""

    module: str
    help: str


def group_class(entries: Mapping[str, Entry]) -> type[TyperGroup]:
    """A group whose commands are the table's."""

    class LazyGroup(TyperGroup):
        def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
            return list(entries)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
            entry = entries.get(cmd_name)
            if entry is None:
                return None
            command = importlib.import_module(entry.module).command
            return command if isinstance(command, TyperGroup) else _command_of(command)

        def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
            with formatter.section("Commands"):
                formatter.write_dl([(name, entry.help) for name, entry in entries.items()])

    return LazyGroup


def _command_of(function: Callable[..., None]) -> Any:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(context_settings=_HELP_NAMES)(function)
    return typer.main.get_command(app)


def lazy_group(name: str, text: str, entries: Mapping[str, Entry]) -> Any:
    """A group as a command object, to be nested or run."""
    app = typer.Typer(
        name=name,
        help=text,
        cls=group_class(entries),
        add_completion=False,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings=_HELP_NAMES,
    )
    app.callback()(lambda: None)
    return typer.main.get_group(app)


def run_group(name: str, text: str, entries: Mapping[str, Entry]) -> None:
    """Runs the command line and turns errors into messages and exit statuses."""
    try:
        lazy_group(name, text, entries)(prog_name=name)
    except GraderError as error:
        print(f"{name}: {error}", file=sys.stderr)
        bad_input = isinstance(error, InputError)
        sys.exit(ExitStatus.BAD_INPUT if bad_input else ExitStatus.FAULT)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(ExitStatus.FAULT)
    except Exception as error:
        report_fault(name, error)
        sys.exit(ExitStatus.FAULT)
