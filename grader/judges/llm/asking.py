"""One call about some signals of one answer, and what came back, checked."""

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grader.domain.answer import AnswerSource
from grader.domain.question import Signal
from grader.judges.llm.check import CheckedAnswer
from grader.judges.llm.opinion import Opinion
from grader.judges.llm.prompts import labels_of, system_prompt, user_prompt
from grader.judges.llm.reply import read_reply, reply_schema
from grader.judges.llm.settings import LlmSettings
from grader.judges.llm.transport import (
    Cause,
    CompletionReply,
    CompletionRequest,
    LlmFault,
    Message,
    ReplyFault,
)


@dataclass(frozen=True)
class Heard:
    """What one call brought.

    Attributes:
        opinions: By signal id; a signal without a readable entry is absent.
        cause: Why signals are absent.
        again: Whether asking once more may help.
    """

    opinions: Mapping[str, Opinion] = field(default_factory=dict)
    cause: str = Cause.MALFORMED.value
    again: bool = True


def request_for(
    settings: LlmSettings,
    checked: CheckedAnswer,
    signals: Sequence[Signal],
    turn: int,
    *,
    after_truncation: bool = False,
    deadline_s: float | None = None,
) -> CompletionRequest:
    """The request about some signals of an answer.

    The rubric stands in the same order for everybody; the order of judging, which is shuffled by
    a seed of the answer, stands after the answer.

    Args:
        settings: Of the judge.
        checked: The answer.
        signals: What to ask about.
        turn: 0 for the first call of an answer; each further one has another order and sample.
        after_truncation: Whether the reply before was cut off.
        deadline_s: Time left; the settings' when None.
    """
    labels = labels_of(checked.question)
    order = shuffled([labels[s.id] for s in signals], checked, settings, turn)
    system = prefix(settings, checked)
    params = dict(settings.params)
    if settings.temperature is not None:
        params["temperature"] = settings.temperature
    return CompletionRequest(
        messages=(
            Message("system", system),
            Message("user", user_prompt(checked.fenced.text, order)),
        ),
        schema=reply_schema(reasons=settings.reasons),
        params=params,
        max_output_tokens=settings.most_output_tokens(
            len(signals), after_truncation=after_truncation
        ),
        sample=settings.sample + turn * _SAMPLES,
        tenant=settings.tenant,
        run=settings.run,
        deadline_s=settings.deadline_s if deadline_s is None else deadline_s,
    )


def prefix(settings: LlmSettings, checked: CheckedAnswer) -> str:
    """What all calls about a question begin with, and a provider's cache may keep."""
    spoken = checked.guarded.answer.source is AnswerSource.SPEECH
    return system_prompt(checked.question, spoken=spoken, reasons=settings.reasons)


# Draws of one turn stay apart from those of the next.
_SAMPLES = 1000


def shuffled(
    labels: Sequence[str], checked: CheckedAnswer, settings: LlmSettings, turn: int
) -> list[str]:
    """The labels in an order that the answer's text decides, another one for each turn."""
    seed = f"{settings.order_seed}\x00{turn}\x00{checked.guarded.answer.text}"
    digest = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()
    order = list(labels)
    random.Random(digest).shuffle(order)
    return order


def heard(
    reply: CompletionReply,
    settings: LlmSettings,
    checked: CheckedAnswer,
    signals: Sequence[Signal],
    judge: str,
) -> Heard:
    """The opinions of a reply."""
    labels = labels_of(checked.question)
    findings = read_reply(reply.data, (labels[s.id] for s in signals), reasons=settings.reasons)
    opinions = {
        s.id: checked.opinion(s, findings[labels[s.id]], judge, reply.model)
        for s in signals
        if labels[s.id] in findings
    }
    return Heard(opinions=opinions)


def unheard(fault: LlmFault) -> Heard:
    """What a fault leaves: only a reply that cannot be used is worth asking for again."""
    return Heard(cause=fault.cause.value, again=isinstance(fault, ReplyFault))
