"""One deadline for an answer, whatever the model does. Time is the event loop's own."""

import asyncio

import pytest

from grader.judges.ledger_sqlite import SqliteLedger
from grader.judges.llm import LlmJudge, LlmSettings
from grader.judges.llm.transport import Endpoint, Transport, TransportSettings
from tests.judges.llm.cases import HONEST, MET, QUESTION, SECRET, ModelWire, guarded, outcomes
from tests.support.virtual_time import LoopClock, run_virtual

DEADLINE_S = 30.0


def judged(verdict, **settings):
    """The judgement on a model, the seconds that it took, and the requests sent."""
    wire = ModelWire(verdict)

    async def main():
        transport = Transport(
            TransportSettings(endpoints=(Endpoint(model="m"),), attempt_timeout_s=20),
            ledger=SqliteLedger(),
            wire=wire,
            clock=LoopClock(),
        )
        judge = LlmJudge(transport, SECRET, LlmSettings(deadline_s=DEADLINE_S, **settings))
        begun = asyncio.get_running_loop().time()
        judgement = await judge.judge(QUESTION, guarded())
        return judgement, asyncio.get_running_loop().time() - begun

    judgement, took = run_virtual(main())
    return judgement, took, len(wire.bodies)


def slow(seconds, then):
    async def verdict(seen):
        await asyncio.sleep(seconds)
        return then(seen)

    return verdict


@pytest.mark.parametrize("groups", [1, 2])
def test_a_model_that_hangs_costs_the_deadline_and_no_more(groups):
    judgement, took, requests = judged(slow(10_000, HONEST), groups=groups)
    assert took <= DEADLINE_S
    assert requests == 2 * groups
    assert {v.reasons for v in judgement.verdicts} == {("timeout",)}


def test_the_second_call_has_only_what_is_left():
    judgement, took, requests = judged(slow(18, lambda seen: "no object"))
    assert took <= DEADLINE_S
    assert requests == 2
    assert {v.reasons for v in judgement.verdicts} == {("timeout",)}


def test_a_slow_model_within_the_deadline_is_waited_for():
    judgement, took, requests = judged(slow(19, HONEST))
    assert outcomes(judgement) == MET
    assert (took, requests) == (19, 1)


def test_waiting_for_a_place_does_not_count():
    wire = ModelWire(slow(19, HONEST))

    async def main():
        transport = Transport(
            TransportSettings(endpoints=(Endpoint(model="m"),), attempt_timeout_s=20),
            wire=wire,
            clock=LoopClock(),
        )
        settings = LlmSettings(deadline_s=DEADLINE_S, at_once=1, lead_s=0)
        judge = LlmJudge(transport, SECRET, settings)
        texts = [f"Memory bandwidth is what limits it, case {i}." for i in range(4)]
        return await asyncio.gather(*(judge.judge(QUESTION, guarded(t)) for t in texts))

    for judgement in run_virtual(main()):
        assert all(v.outcome.value != "cannot_assess" for v in judgement.verdicts)
