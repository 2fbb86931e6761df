"""The judge that a command line asks for."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from grader.cli.judge_options import LLM, OFFLINE, JudgeOptions
from grader.errors import InputError
from grader.judges.port import Judge
from grader.judges.release import ReleasePolicy, ReleasingJudge
from grader.settings import Settings

if TYPE_CHECKING:
    from grader.judges.ledger import CallLedger
    from grader.judges.llm import LlmJudge, LlmSettings
    from grader.judges.llm.transport import Transport
    from grader.judges.panel import PanelJudge


__all__ = [
    "OFFLINE",
    "chosen_judge",
    "demand_configured",
    "llm_judges",
    "release_policy",
]


# Draws of one seat stay apart from the seats of a panel.
_SEATS = 100


def chosen_judge(
    name: str,
    options: JudgeOptions | None = None,
    *,
    live: bool = False,
    run: str = "",
    draw: int = 0,
) -> Judge:
    """Builds the judge of that name.

    Args:
        name: ``offline`` or ``llm``.
        options: The other options of the command line.
        live: Whether somebody waits for this one answer.
        run: Name of the run in the ledger; its budget goes by it.
        draw: Another number gives the same judge with fresh calls.

    Raises:
        InputError: No such judge, or options that do not fit together.
        ExtraMissingError: The judge needs packages that are not there.
    """
    options = options or JudgeOptions(judge=name)
    if name not in (OFFLINE, LLM):
        raise InputError(f"--judge: there is no judge {name!r}", remedy="use offline or llm")
    if name == OFFLINE:
        _refuse_model_options(options)
    policy = release_policy(options.release)
    judge = _offline() if name == OFFLINE else _llm(options, policy, live=live, run=run, draw=draw)
    return judge if options.release is None else ReleasingJudge(judge, policy)


def release_policy(path: Path | None) -> ReleasePolicy:
    """The release thresholds of a file; provisional ones without a file.

    Raises:
        InputError: The file cannot be read.
    """
    if path is None:
        return ReleasePolicy()
    try:
        return ReleasePolicy.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        first = str(error).splitlines()[0]
        raise InputError(
            f"--release: {path}: {first}", remedy="give a file that `grader calibrate` wrote"
        ) from error


def innermost(judge: Judge) -> Judge:
    """The judge inside the marks of release."""
    return judge.inner if isinstance(judge, ReleasingJudge) else judge


def llm_judges(judge: Judge) -> "list[LlmJudge]":
    """The LLM judges that a judge consists of."""
    from grader.judges.llm import LlmJudge
    from grader.judges.panel import PanelJudge

    inner = innermost(judge)
    members = inner.members if isinstance(inner, PanelJudge) else (inner,)
    return [m for m in members if isinstance(m, LlmJudge)]


def demand_configured(judge: Judge) -> None:
    """Tells a wrong key, model or address that only a call could show.

    Raises:
        InputError: A provider refused for such a reason.
    """
    for member in llm_judges(judge):
        if (fault := member.config_fault) is not None:
            raise InputError(f"{member.id}: {fault.message}", remedy=fault.remedy)


def _offline() -> Judge:
    from grader.judges.offline import OfflineJudge

    return OfflineJudge()


def _refuse_model_options(options: JudgeOptions) -> None:
    for given, name in (
        (options.model, "--model"),
        (options.panel, "--panel"),
        (options.api_base, "--api-base"),
        (options.dry_run, "--dry-run"),
    ):
        if given:
            raise InputError(f"{name} is for a language model", remedy="add --judge llm")


def _llm(
    options: JudgeOptions, policy: ReleasePolicy, *, live: bool, run: str, draw: int
) -> "LlmJudge | PanelJudge":
    from grader.judges.llm import LIVE, LlmJudge, LlmSettings
    from grader.judges.panel import Aggregation, PanelJudge

    seats = _seats(options)
    ledger = _ledger()
    secret = Settings.from_environment().secret_bytes()
    settings = LlmSettings.model_validate(
        {
            **(LIVE if live else {}),
            "release": policy,
            "votes": options.votes,
            "pass_mark": options.pass_mark,
            "output_tokens": options.output_tokens,
            "at_once": options.max_concurrency + 8,
            "run": run,
            **({"deadline_s": options.deadline} if options.deadline else {}),
        }
    )
    alone = len(seats) == 1
    tripwire = _offline() if _wants_tripwire(options, alone=alone, live=live) else None
    # Draws of one model share what is known of its endpoint, and its limits.
    transports = {models: _transport(options, models, ledger) for models, _ in seats}
    judges = [
        LlmJudge(
            transports[models],
            secret,
            _seated(settings, seat, draw),
            fallback=_offline() if options.fallback and alone else None,
            tripwire=tripwire if alone else None,
        )
        for models, seat in seats
    ]
    if alone:
        return judges[0]
    weighted = options.aggregate is Aggregation.WEIGHTED
    weights = policy.agreement if weighted else None
    return PanelJudge(judges, options.aggregate, weights=weights, tripwire=tripwire)


def _wants_tripwire(options: JudgeOptions, *, alone: bool, live: bool) -> bool:
    return options.tripwire if options.tripwire is not None else live or not alone


def _seats(options: JudgeOptions) -> list[tuple[tuple[str, ...], int]]:
    """The models and the draw of each judge."""
    models = tuple(options.model)
    if not options.panel:
        if not models:
            raise InputError("--judge llm needs --model", remedy="e.g. --model openai/gpt-4.1-mini")
        return [(models, 0)]
    if len(options.panel) == 1 and options.panel[0].isdigit():
        if not models:
            raise InputError("--panel NUMBER needs --model", remedy="name the model to draw from")
        return [(models, sample) for sample in range(int(options.panel[0]))]
    if models:
        raise InputError(
            "--panel with models and --model say two things",
            remedy="name every member with --panel, or give --panel a number",
        )
    return [((model,), 0) for model in options.panel]


def _seated(settings: "LlmSettings", seat: int, draw: int) -> "LlmSettings":
    """Settings of one seat: its own calls, and for further draws of a model its own order."""
    changes: dict[str, object] = {"sample": seat + draw * _SEATS}
    if seat:
        # A further draw at temperature 0 would be the same one over again.
        changes |= {"temperature": None, "order_seed": str(seat)}
    return settings.model_copy(update=changes)


def _ledger() -> "CallLedger":
    from grader.judges.ledger_sqlite import SqliteLedger

    folder = Settings.from_environment().data_dir
    folder.mkdir(parents=True, exist_ok=True)
    return SqliteLedger(folder / "ledger.sqlite")


def _transport(options: JudgeOptions, models: Sequence[str], ledger: "CallLedger") -> "Transport":
    from grader.judges.llm.transport import (
        Budget,
        Cap,
        Concurrency,
        Endpoint,
        Price,
        Transport,
        TransportSettings,
    )

    price = None
    if (options.price_in is None) != (options.price_out is None):
        raise InputError("--price-in and --price-out belong together", remedy="give both")
    if options.price_in is not None and options.price_out is not None:
        price = Price(prompt=options.price_in, output=options.price_out)
    settings = TransportSettings(
        endpoints=tuple(
            Endpoint(
                model=model,
                api_base=options.api_base,
                price=price,
                rpm=options.rpm,
                tpm=options.tpm,
            )
            for model in models
        ),
        budget=Budget(run=Cap(usd=options.budget_usd, tokens=options.max_tokens)),
        concurrency=Concurrency(
            start=min(8, options.max_concurrency), most=options.max_concurrency
        ),
    )
    transport = Transport(settings, ledger=ledger)
    _check(transport)
    return transport


def _check(transport: "Transport") -> None:
    """Tells at once what no call could cure."""
    from grader.judges.llm.transport import ConfigFault

    try:
        transport.check()
    except ConfigFault as fault:
        raise InputError(fault.message, remedy=fault.remedy) from fault
