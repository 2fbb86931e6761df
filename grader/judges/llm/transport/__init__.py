"""Calls to language models, with everything that stands between a judge and a provider.

::

    transport = Transport(
        TransportSettings(
            endpoints=(Endpoint(model="openai/gpt-4.1-mini"), Endpoint(model="openai/backup")),
            budget=Budget(run=Cap(usd=Decimal("1"))),
        ),
        ledger=SqliteLedger(path),
    )
    reply = await transport.complete(
        CompletionRequest(messages=(Message("system", rules), Message("user", data)), schema=Model)
    )
    reply.data, reply.usage, reply.cost_usd, reply.attempts, reply.mode, reply.from_ledger

``complete`` returns a ``CompletionReply`` or raises an ``LlmFault``, whose ``cause`` is a stable
word, or a ``LedgerError``. What it sees to:

- an equal call (tenant, endpoint, parameters, messages, schema, sample) is answered from the
  ledger, and equal calls at the same time are one call;
- the worst case is held against the budget of run, tenant and day before a request leaves;
- requests in flight adapt to the endpoint, requests and tokens a minute keep to its limits;
- 429 (honouring Retry-After), 5xx, a 200 with an error body, broken connections and time-outs are
  tried again, at most ``TransportSettings.most_requests`` requests in all, within the deadline;
  anything else is not;
- a structured-output mode that the endpoint refuses gives way to the next weaker one, for good;
- an endpoint that is down is left alone, and the next of ``endpoints`` takes over.

Truncated, refused and malformed replies are paid for: they stand in the ledger, and the same call
gives the same fault again; ask with another ``sample`` or another prompt. A request that went out
and got no reply is charged to the budget at its worst case, for nobody knows whether the provider
bills it. ``check`` finds wrong settings without a request, ``estimate`` tells what a call may cost.
"""

from grader.judges.llm.transport.clock import Clock, SystemClock
from grader.judges.llm.transport.faults import (
    BadRequestFault,
    BudgetFault,
    Cause,
    CircuitOpenFault,
    ConfigFault,
    ConnectionFault,
    LlmFault,
    MalformedFault,
    RateLimitedFault,
    RefusedFault,
    ReplyFault,
    RetryableFault,
    ServerErrorFault,
    TimeoutFault,
    TruncatedFault,
)
from grader.judges.llm.transport.request import CompletionReply, CompletionRequest, Message
from grader.judges.llm.transport.settings import (
    Budget,
    Cap,
    CircuitPolicy,
    Concurrency,
    Endpoint,
    Mode,
    Price,
    RetryPolicy,
    TransportSettings,
)
from grader.judges.llm.transport.transport import Estimate, Transport
from grader.judges.llm.transport.wire import Wire, WireReply

__all__ = [
    "BadRequestFault",
    "Budget",
    "BudgetFault",
    "Cap",
    "Cause",
    "CircuitOpenFault",
    "CircuitPolicy",
    "Clock",
    "CompletionReply",
    "CompletionRequest",
    "Concurrency",
    "ConfigFault",
    "ConnectionFault",
    "Endpoint",
    "Estimate",
    "LlmFault",
    "MalformedFault",
    "Message",
    "Mode",
    "Price",
    "RateLimitedFault",
    "RefusedFault",
    "ReplyFault",
    "RetryPolicy",
    "RetryableFault",
    "ServerErrorFault",
    "SystemClock",
    "TimeoutFault",
    "Transport",
    "TransportSettings",
    "TruncatedFault",
    "Wire",
    "WireReply",
]
