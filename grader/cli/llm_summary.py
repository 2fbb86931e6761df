"""What a run with a language model took and left open, told on standard error at its end."""

import asyncio
import sys
from collections.abc import Mapping

from grader.cli.judge_choice import innermost, llm_judges
from grader.judges.ledger import CallRow, CallState
from grader.judges.llm import LATER
from grader.judges.panel import PanelJudge
from grader.judges.port import Judge


def print_summary(judge: Judge, open_reasons: Mapping[str, int], run: str) -> None:
    """Prints calls, tokens and cost of a run so far, why signals stayed open, a panel's splits."""
    first = llm_judges(judge)[0]
    rows = asyncio.run(first.ledger.rows(tenant=first.settings.tenant, run=run))
    _tell(_spent([r for r in rows if r.state is CallState.DONE]))
    if open_reasons:
        listed = ", ".join(f"{n} {reason}" for reason, n in sorted(open_reasons.items()))
        _tell(f"signals not assessed: {listed}")
        if not LATER.isdisjoint(open_reasons):
            _tell("run again with --resume to have them judged")
    if isinstance(inner := innermost(judge), PanelJudge):
        _tell(inner.disagreement.told)


def _spent(rows: list[CallRow]) -> str:
    prompt = sum(r.usage.prompt for r in rows)
    cached = sum(r.usage.cached for r in rows)
    output = sum(r.usage.output for r in rows)
    known = [r.cost_nano_usd for r in rows if r.cost_nano_usd is not None]
    cost = f"${sum(known) / 1e9:.4f}" + ("" if len(known) == len(rows) else " and calls unpriced")
    return (
        f"{len(rows)} calls, {prompt} prompt tokens ({cached} cached), {output} output tokens, "
        f"{cost if known else 'cost unknown'}"
    )


def _tell(text: str) -> None:
    print(f"grader: {text}", file=sys.stderr)
