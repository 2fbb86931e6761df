"""The options that choose and configure a judge, the same on every command that judges."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from grader.judges.panel import Aggregation

OFFLINE = "offline"
LLM = "llm"


def _decimal(text: str) -> Decimal:
    try:
        value = Decimal(text)
    except ArithmeticError:
        raise typer.BadParameter(f"{text!r} is no amount") from None
    if not value.is_finite() or value < 0:
        raise typer.BadParameter(f"{text!r} is no amount")
    return value


_Money = Decimal | None


@dataclass(frozen=True)
class JudgeOptions:
    """What the command line says of the judge."""

    judge: Annotated[str, typer.Option(help="Who judges: offline or llm.")] = OFFLINE
    model: Annotated[
        list[str],
        typer.Option(help="Model as litellm names it; repeat for models that take over."),
    ] = field(default_factory=list)
    api_base: Annotated[
        str, typer.Option(help="Address of an OpenAI-compatible server, e.g. a local one.")
    ] = ""
    panel: Annotated[
        list[str],
        typer.Option(help="A panel: repeat with a model each, or a number of draws of --model."),
    ] = field(default_factory=list)
    aggregate: Annotated[
        Aggregation, typer.Option(help="How a panel's votes become a verdict.")
    ] = Aggregation.MAJORITY
    votes: Annotated[
        int, typer.Option(min=1, max=15, help="Most opinions on a signal in doubt; odd.")
    ] = 1
    pass_mark: Annotated[
        float | None,
        typer.Option(min=0, max=100, help="Points that pass; doubts it hangs on get votes."),
    ] = None
    release: Annotated[
        Path | None, typer.Option(help="Release thresholds, written by `grader calibrate`.")
    ] = None
    budget_usd: Annotated[
        _Money, typer.Option(parser=_decimal, help="Hard bound of this run's cost in dollars.")
    ] = None
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="Hard bound of this run's tokens.")
    ] = None
    price_in: Annotated[
        _Money, typer.Option(parser=_decimal, help="Dollars per million prompt tokens.")
    ] = None
    price_out: Annotated[
        _Money, typer.Option(parser=_decimal, help="Dollars per million output tokens.")
    ] = None
    max_concurrency: Annotated[
        int, typer.Option(min=1, max=512, help="Most requests in flight.")
    ] = 32
    rpm: Annotated[int | None, typer.Option(min=1, help="Requests a minute.")] = None
    tpm: Annotated[int | None, typer.Option(min=1, help="Tokens a minute.")] = None
    deadline: Annotated[
        float | None, typer.Option(min=1, help="Seconds that one answer may take.")
    ] = None
    output_tokens: Annotated[
        int | None,
        typer.Option(min=64, help="Output tokens of one call; more for models that think aloud."),
    ] = None
    tripwire: Annotated[
        bool | None,
        typer.Option(
            "--tripwire/--no-tripwire",
            help="Flag where the offline judge contradicts; on but for batches of one model.",
        ),
    ] = None
    fallback: Annotated[
        bool,
        typer.Option(
            "--fallback/--no-fallback", help="Let the offline judge answer while the LLM is down."
        ),
    ] = True
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Print prompts, tokens and cost; call nothing."),
    ] = False


def takes_judge(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command one option for each field of its parameter ``judge: JudgeOptions``."""
    hints = get_type_hints(JudgeOptions, include_extras=True)
    options = [
        inspect.Parameter(
            f.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=f.default_factory() if callable(f.default_factory) else f.default,
            annotation=hints[f.name],
        )
        for f in fields(JudgeOptions)
    ]
    own = inspect.signature(command)
    others = [
        p.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=annotation)
        for p in own.parameters.values()
        if (annotation := get_type_hints(command, include_extras=True)[p.name]) is not JudgeOptions
    ]

    @functools.wraps(command)
    def with_options(**given: Any) -> None:
        judge = JudgeOptions(**{o.name: given.pop(o.name) for o in options})
        command(judge=judge, **given)

    parameters = [*others, *options]
    with_options.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {p.name: p.annotation for p in parameters}
    return with_options
