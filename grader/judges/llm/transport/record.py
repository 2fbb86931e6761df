"""From a reply to its ledger row and back, and the verdict on a reply as such."""

import json
from datetime import datetime
from typing import Any

from grader.judges.ledger import CallRow, CallState
from grader.judges.llm.transport.faults import (
    REPLY_FAULTS,
    Cause,
    MalformedFault,
    RefusedFault,
    ReplyFault,
    TruncatedFault,
)
from grader.judges.llm.transport.modes import fits, read_object
from grader.judges.llm.transport.request import CompletionReply, CompletionRequest, cost_usd
from grader.judges.llm.transport.settings import Endpoint, Mode
from grader.judges.llm.transport.wire import WireReply

OK = "ok"


def new_row(
    request: CompletionRequest, endpoint: Endpoint, key: str, started_at: datetime
) -> CallRow:
    """The row of a call that is about to be made."""
    return CallRow(
        key=key,
        tenant=request.tenant,
        run=request.run,
        model=endpoint.model,
        sample=request.sample,
        state=CallState.RESERVED,
        request=request.content,
        started_at=started_at,
    )


def outcome_of(request: CompletionRequest, reply: WireReply) -> str:
    """``ok`` or the cause for which the reply cannot be used."""
    if reply.refusal or reply.finish == "content_filter":
        return Cause.REFUSED.value
    if reply.finish == "length":
        return Cause.TRUNCATED.value
    if request.schema is None:
        return OK if reply.text.strip() else Cause.MALFORMED.value
    return OK if _data(request, reply.text) is not None else Cause.MALFORMED.value


def reply_text(reply: WireReply) -> str:
    """What a row keeps of a reply, as JSON."""
    kept = {"text": reply.text, "finish": reply.finish, "refusal": reply.refusal}
    return json.dumps(kept)


def reply_of(row: CallRow, request: CompletionRequest, *, attempts: int = 0) -> CompletionReply:
    """The reply that a finished row holds.

    Args:
        row: The row.
        request: What was asked.
        attempts: Requests that this call sent for it; none where the row was there already.

    Raises:
        ReplyFault: The reply is one that cannot be used.
    """
    text = json.loads(row.reply)["text"]
    reply = CompletionReply(
        text=text,
        data=_data(request, text),
        model=row.model,
        usage=row.usage,
        cost_usd=cost_usd(row.cost_nano_usd),
        cost_source=row.cost_source,
        mode=Mode(row.mode) if row.mode else None,
        attempts=attempts,
        from_ledger=attempts == 0,
    )
    if row.outcome != OK:
        raise _fault(row, reply)
    return reply


def _data(request: CompletionRequest, text: str) -> dict[str, Any] | None:
    if request.schema is None:
        return None
    value = read_object(text)
    return value if value is not None and fits(request.schema, value) else None


def _fault(row: CallRow, reply: CompletionReply) -> ReplyFault:
    messages = {
        TruncatedFault: "the reply ran into the limit of output tokens",
        RefusedFault: "the model declined to answer",
        MalformedFault: "the reply holds no JSON object of the form asked for",
    }
    kind = REPLY_FAULTS[row.outcome]
    fault = kind(f"{messages[kind]} (model {row.model})", reply=reply)
    fault.attempts = reply.attempts
    return fault
