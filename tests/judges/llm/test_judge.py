"""The LLM judge: evidence, doubts, votes, waiting learners, outages, and what goes out when."""

import asyncio
import json

import pytest

from bench.mock_llm import MockServer, Script
from bench.mock_llm.judging import read_prompt, reply_of
from grader.domain.question import Question
from grader.domain.verdict import Outcome, Verdict
from grader.judges.ledger import LedgerError
from grader.judges.ledger_sqlite import SqliteLedger
from grader.judges.llm import LIVE, OUTAGE
from grader.judges.llm.transport import ServerErrorFault, TruncatedFault
from grader.judges.port import Judgement
from grader.judges.release import ReleaseBound, ReleasePolicy
from tests.judges.llm.cases import (
    HONEST,
    MET,
    QUESTION,
    TEXT,
    guarded,
    judge_of,
    judge_on,
    outcomes,
)


def by_label(labels, sure=None):
    """A model that says the same of each signal, by label: verdict and quote."""

    def verdict(seen):
        prompt = read_prompt(seen)
        statements = {text: label for label, text in prompt.statements.items()}
        reply = reply_of(prompt, lambda s: labels.get(statements[s], ("not_met", "")))
        for entry in reply["signals"]:
            entry["sure"] = (sure or {}).get(entry["id"], 90)
        return reply

    return verdict


def in_turn(*verdicts):
    """A model that answers its calls one after the other; the last one stays."""
    calls = []

    def verdict(seen):
        calls.append(seen)
        return verdicts[min(len(calls), len(verdicts)) - 1](seen)

    return verdict


def asked(judge):
    """The labels of each call, in the order asked."""
    orders = (b["messages"][1]["content"].rpartition(": ")[2] for b in judge.wire.bodies)
    return [order.split(", ") for order in orders]


QUOTE = "streams all weights out of memory"


async def test_one_call_judges_all_signals_with_evidence_at_exact_spans():
    async with MockServer(Script(), HONEST) as server:
        judgement = await judge_on(server).judge(QUESTION, guarded())
    assert outcomes(judgement) == MET
    assert len(server.log) == 1
    for verdict in judgement.verdicts[:3]:
        (evidence,) = verdict.evidence
        assert TEXT[evidence.start : evidence.end] == evidence.quote
        assert verdict.confidence == 0.9
        assert verdict.judge == "llm-1:openai/scripted"
    assert judgement.flags == ()


async def test_verdicts_come_in_the_order_of_the_rubric_and_only_for_signals_asked_for():
    judge = judge_of(HONEST)
    wanted = [QUESTION.signal("flops-bound"), QUESTION.signal("reads-weights")]
    judgement = await judge.judge(QUESTION, guarded(), wanted)
    assert [v.signal_id for v in judgement.verdicts] == ["flops-bound", "reads-weights"]
    assert sorted(asked(judge)[0]) == ["S1", "S4"]


async def test_a_quote_may_differ_in_spelling_but_never_be_made_up():
    close = by_label({"S1": ("met", "Streams all   WEIGHTS out of memory")})
    assert outcomes(await judge_of(close).judge(QUESTION, guarded()))["reads-weights"] == "met"
    for made_up in ("reads the parameters every time", "", "does not stream all weights"):
        judge = judge_of(by_label({"S1": ("met", made_up)}))
        verdict = (await judge.judge(QUESTION, guarded())).verdicts[0]
        assert verdict.outcome is Outcome.CANNOT_ASSESS
        assert verdict.evidence == ()
        assert asked(judge)[1:] == [["S1"]]


async def test_a_quote_without_a_word_of_its_signal_earns_nothing_unless_mended():
    unrelated = by_label({"S1": ("met", "With more requests")})
    lost = await judge_of(unrelated).judge(QUESTION, guarded())
    assert lost.verdicts[0].reasons == ("evidence_unrelated",)
    mended = in_turn(unrelated, by_label({"S1": ("met", QUOTE)}))
    assert outcomes(await judge_of(mended).judge(QUESTION, guarded()))["reads-weights"] == "met"


async def test_all_doubts_of_an_answer_go_into_one_call():
    doubtful = by_label({"S1": ("met", "nowhere in it"), "S2": ("met", ""), "S3": ("met", "x")})
    judge = judge_of(in_turn(doubtful, HONEST))
    assert outcomes(await judge.judge(QUESTION, guarded())) == MET
    assert [sorted(labels) for labels in asked(judge)] == [
        ["S1", "S2", "S3", "S4"],
        ["S1", "S2", "S3"],
    ]


async def test_partial_alone_is_no_doubt():
    judge = judge_of(by_label({"S1": ("partial", QUOTE)}))
    assert outcomes(await judge.judge(QUESTION, guarded()))["reads-weights"] == "partial"
    assert len(asked(judge)) == 1


async def test_low_confidence_is_asked_again_and_stands_where_both_agree():
    unsure = by_label({"S1": ("met", QUOTE)}, sure={"S1": 30})
    agreed = await judge_of(unsure).judge(QUESTION, guarded())
    assert agreed.verdicts[0].outcome is Outcome.MET
    assert agreed.verdicts[0].reasons == ("low_confidence",)
    otherwise = by_label({}, sure={"S1": 30})
    split = await judge_of(in_turn(unsure, otherwise)).judge(QUESTION, guarded())
    assert split.verdicts[0].outcome is Outcome.CANNOT_ASSESS


async def test_the_release_threshold_decides_what_is_low():
    bound = ReleaseBound(
        threshold=0.95, released=50, errors=0, error_bound=0.06, labels=50, needed=29
    )
    policy = ReleasePolicy(judges={"llm-1:scripted": bound})
    judge = judge_of(by_label({"S1": ("met", QUOTE)}), release=policy)
    await judge.judge(QUESTION, guarded())
    assert len(asked(judge)) == 2


async def test_a_violated_relation_is_asked_again_on_both_sides():
    fields = QUESTION.model_dump(mode="json", by_alias=True)
    relation = {"kind": "excludes", "signals": ["reads-weights", "bandwidth"]}
    question = Question.model_validate({**fields, "relations": [relation]})
    judge = judge_of(HONEST)
    await judge.judge(question, guarded())
    assert sorted(asked(judge)[1]) == ["S1", "S2"]


async def test_votes_settle_what_two_calls_leave_open():
    yes = by_label({"S1": ("met", QUOTE)}, sure={"S1": 30})
    no = by_label({}, sure={"S1": 30})
    judge = judge_of(in_turn(yes, no, yes), votes=3)
    verdict = (await judge.judge(QUESTION, guarded())).verdicts[0]
    assert verdict.outcome is Outcome.MET
    assert verdict.reasons[0] == "voted"
    assert asked(judge)[1:] == [["S1"], ["S1"]]


@pytest.mark.parametrize(("pass_mark", "calls"), [(40.0, 2), (60.0, 3), (100.0, 2)])
async def test_a_pass_mark_gets_votes_only_where_it_hangs_on_the_doubt(pass_mark, calls):
    # Sure: 2 + 2 of 7 points; in doubt: 3 of 7. So the score lies between 57.1 and 100.
    sure = {"S2": ("met", "bandwidth"), "S3": ("met", "a bigger batch"), "S1": ("met", QUOTE)}
    yes, no = by_label(sure, sure={"S1": 30}), by_label({**sure, "S1": ("not_met", "")}, {"S1": 30})
    judge = judge_of(in_turn(yes, no), pass_mark=pass_mark)
    await judge.judge(QUESTION, guarded())
    assert len(asked(judge)) == calls + (pass_mark == 100.0)


async def test_the_prefix_is_the_same_for_all_answers_and_the_order_is_not():
    judge = judge_of(HONEST)
    texts = [f"{TEXT} Variant {i}." for i in range(6)]
    for text in texts:
        await judge.judge(QUESTION, guarded(text))
    systems = {b["messages"][0]["content"] for b in judge.wire.bodies}
    assert len(systems) == 1
    assert {json.dumps(b["response_format"]) for b in judge.wire.bodies}.__len__() == 1
    assert len({tuple(order) for order in asked(judge)}) > 1
    again = judge_of(HONEST)
    await again.judge(QUESTION, guarded(texts[0]))
    assert asked(again)[0] == asked(judge)[0]


async def test_the_same_answer_again_is_answered_from_the_ledger():
    ledger = SqliteLedger()
    first = await judge_of(HONEST, ledger=ledger).judge(QUESTION, guarded())
    second = judge_of(HONEST, ledger=ledger)
    assert await second.judge(QUESTION, guarded()) == first
    assert second.wire.bodies == []
    fresh = judge_of(HONEST, ledger=ledger, sample=1)
    await fresh.judge(QUESTION, guarded())
    assert len(fresh.wire.bodies) == 1


async def test_the_first_answer_of_a_question_goes_out_before_the_others():
    release = asyncio.Event()

    async def verdict(seen):
        await release.wait()
        return HONEST(seen)

    judge = judge_of(verdict, lead_s=60)
    texts = [f"{TEXT} Variant {i}." for i in range(4)]
    tasks = [asyncio.create_task(judge.judge(QUESTION, guarded(t))) for t in texts]
    while not judge.wire.bodies:
        await asyncio.sleep(0)
    for _ in range(50):
        await asyncio.sleep(0)
    assert len(judge.wire.bodies) == 1
    release.set()
    assert all(outcomes(j) == MET for j in await asyncio.gather(*tasks))


async def test_a_leader_that_fails_holds_nobody_up():
    def verdict(seen):
        raise TruncatedFault("cut off")

    judge = judge_of(verdict, lead_s=60)
    texts = [f"{TEXT} Variant {i}." for i in range(3)]
    found = await asyncio.gather(*(judge.judge(QUESTION, guarded(t)) for t in texts))
    assert {v.reasons for j in found for v in j.verdicts} == {("truncated",)}


async def test_for_a_waiting_learner_the_groups_run_at_once_and_verdicts_come_early():
    late = asyncio.Event()

    async def verdict(seen):
        if "S3" in read_prompt(seen).asked:
            await late.wait()
        return HONEST(seen)

    judge = judge_of(verdict, **LIVE)
    stream = judge.stream(QUESTION, guarded())
    early = [await anext(stream), await anext(stream)]
    assert {v.signal_id for v in early} == {"reads-weights", "bandwidth"}
    late.set()
    rest = [v async for v in stream]
    assert {v.signal_id: v.outcome.value for v in (*early, *rest)} == MET
    assert sorted(map(sorted, asked(judge))) == [["S1", "S2"], ["S3", "S4"]]


async def test_a_waiting_learner_gets_a_reason_where_something_is_missing():
    judge = judge_of(HONEST, **LIVE)
    judgement = await judge.judge(
        QUESTION, guarded("Memory bandwidth: memory bandwidth is what limits it.")
    )
    comments = {v.signal_id: v.comment for v in judgement.verdicts}
    assert comments["reads-weights"]
    assert not comments["bandwidth"]


class Second:
    """Another judge, which says one thing of everything."""

    id = "second-1"

    def __init__(self, outcome):
        self.outcome = outcome

    async def judge(self, question, guarded, signals=None):
        verdicts = (Verdict(signal_id=s.id, outcome=self.outcome, judge=self.id) for s in signals)
        return Judgement(verdicts=tuple(verdicts))


def down(seen):
    raise ServerErrorFault("down")


async def test_in_an_outage_the_fallback_answers_and_says_so():
    judge = judge_of(down, fallback=Second(Outcome.NOT_MET), deadline_s=0.5)
    judgement = await judge.judge(QUESTION, guarded())
    assert judgement.flags == (OUTAGE,)
    assert {v.reasons for v in judgement.verdicts} == {(OUTAGE,)}
    assert {v.judge for v in judgement.verdicts} == {"second-1"}
    streamed = [v async for v in judge.stream(QUESTION, guarded())]
    assert tuple(streamed) == judgement.verdicts


async def test_a_reply_that_cannot_be_read_is_no_outage():
    judge = judge_of(lambda seen: "no object", fallback=Second(Outcome.MET))
    judgement = await judge.judge(QUESTION, guarded())
    assert {v.reasons for v in judgement.verdicts} == {("malformed",)}
    assert {v.outcome for v in judgement.verdicts} == {Outcome.CANNOT_ASSESS}


async def test_the_tripwire_flags_contradictions_and_costs_no_call():
    judge = judge_of(HONEST, tripwire=Second(Outcome.NOT_MET))
    judgement = await judge.judge(QUESTION, guarded())
    assert set(judgement.flags) == {
        f"tripwire_disagrees:{i}" for i in ("reads-weights", "bandwidth", "batch-shares")
    }
    assert outcomes(judgement) == MET
    assert len(judge.wire.bodies) == 1


class BrokenLedger(SqliteLedger):
    """A disk that is full."""

    async def reserve(self, *arguments):
        raise LedgerError("disk full")


async def test_without_a_ledger_there_is_no_call_and_no_verdict():
    judge = judge_of(HONEST, ledger=BrokenLedger(), fallback=Second(Outcome.MET))
    judgement = await judge.judge(QUESTION, guarded())
    assert {v.reasons for v in judgement.verdicts} == {("ledger",)}
    assert judge.wire.bodies == []
