"""One small question, answers to it, and a judge on a scripted server."""

import inspect
import json
import random

from bench.mock_llm import Seen
from bench.mock_llm.judging import by_words
from grader.domain.answer import Answer
from grader.domain.question import Question
from grader.judges.guard import guard
from grader.judges.ledger import Usage
from grader.judges.ledger_sqlite import SqliteLedger
from grader.judges.llm import LlmJudge, LlmSettings
from grader.judges.llm.transport import (
    Endpoint,
    Price,
    Transport,
    TransportSettings,
    WireReply,
)

SECRET = b"0123456789abcdef"
QUESTION = Question.model_validate(
    {
        "id": "decode-floor",
        "topic": "decode",
        "prompt": "What bounds the time of one decode step at batch 1?",
        "notes": "Judge the mechanism, not the figures.",
        "signals": [
            {
                "id": "reads-weights",
                "statement": "Every step reads all weights from memory once.",
                "weight": 3,
                "kind": "positive",
                "accept": ["each token streams every parameter", "the model is loaded per step"],
                "reject": ["the weights stay in cache", "only the cache is read"],
            },
            {
                "id": "bandwidth",
                "statement": "Memory bandwidth is the limit and not arithmetic.",
                "weight": 2,
                "kind": "positive",
                "accept": ["it is memory bound"],
            },
            {
                "id": "batch-shares",
                "statement": "A larger batch shares the weight read among requests.",
                "weight": 2,
                "kind": "positive",
                "accept": ["batching amortises the read"],
            },
            {
                "id": "flops-bound",
                "statement": "Claims that decoding is limited by FLOP/s.",
                "weight": 1,
                "kind": "negative",
                "accept": ["the tensor cores are the bottleneck"],
            },
        ],
    }
)
WORDS = {
    "Every step reads all weights from memory once.": "streams all weights out of memory",
    "Memory bandwidth is the limit and not arithmetic.": "memory bandwidth is what limits it",
    "A larger batch shares the weight read among requests.": "a bigger batch shares that read",
    "Claims that decoding is limited by FLOP/s.": "decoding is limited by FLOP/s",
}
TEXT = (
    "Each step streams all weights out of memory, so memory bandwidth is what limits it. "
    "With more requests a bigger batch shares that read."
)
HONEST = by_words(WORDS)
KEY = {"OPENAI_API_KEY": "test"}


def guarded(text=TEXT, **more):
    return guard(QUESTION, Answer.of(text, **more))


def judge_on(server, *, ledger=None, fallback=None, tripwire=None, transport=None, **settings):
    """A judge whose calls go to a scripted server, with retries that take no time."""
    told = TransportSettings(
        endpoints=(
            Endpoint(
                model="openai/scripted",
                api_base=server.base_url,
                price=Price(prompt=1, output=2),
                api_key="test",
            ),
        ),
        retry={"base_s": 0.001, "most_s": 0.002},
        attempt_timeout_s=0.5,
        **(transport or {}),
    )
    made = Transport(told, ledger=ledger or SqliteLedger(), rng=random.Random(1))
    return LlmJudge(made, SECRET, LlmSettings(**settings), fallback=fallback, tripwire=tripwire)


class ModelWire:
    """A wire with a model behind it and no network: a verdict function answers each request."""

    def __init__(self, verdict):
        self.verdict = verdict
        self.bodies = []

    def prepare(self):
        pass

    async def send(self, endpoint, body, max_output_tokens, timeout_s):
        self.bodies.append(body)
        seen = Seen(
            number=len(self.bodies),
            attempt=1,
            mode="json_schema",
            model=endpoint.model,
            body=body,
            schema=None,
            digest="",
        )
        reply = self.verdict(seen)
        if inspect.isawaitable(reply):
            reply = await reply
        text = reply if isinstance(reply, str) else json.dumps(reply)
        return WireReply(text=text, finish="stop", usage=Usage(prompt=100, output=10))

    def price(self, model):
        return Price(prompt=1, output=2)


def judge_of(verdict, *, ledger=None, fallback=None, tripwire=None, model="scripted", **settings):
    """A judge on a model in this process; its requests stand in ``judge.wire.bodies``."""
    wire = ModelWire(verdict)
    told = TransportSettings(endpoints=(Endpoint(model=model),))
    judge = LlmJudge(
        Transport(told, ledger=ledger or SqliteLedger(), wire=wire),
        SECRET,
        LlmSettings(**settings),
        fallback=fallback,
        tripwire=tripwire,
    )
    judge.wire = wire
    return judge


def outcomes(judgement):
    return {v.signal_id: v.outcome.value for v in judgement.verdicts}


MET = {
    "reads-weights": "met",
    "bandwidth": "met",
    "batch-shares": "met",
    "flops-bound": "not_met",
}
