"""Every fault of a provider: what the learner gets, how many requests went out, what is kept."""

import pytest

from bench.mock_llm import Fault, MockServer, Rule, Script
from grader.domain.scoring import score_verdicts
from grader.domain.verdict import Outcome
from grader.judges.evidence import verify_verdicts
from grader.judges.ledger_sqlite import SqliteLedger
from tests.judges.llm.cases import HONEST, MET, QUESTION, guarded, judge_on, outcomes

MOST_CALLS = 3
ALL = tuple(MET)

# Fault of the first request: requests in all, outcome of each ledger row. The verdicts are those
# of an honest run.
CURED = [
    (Fault.RATE_LIMITED, 2, ["ok"]),
    (Fault.SERVER_ERROR, 2, ["ok"]),
    (Fault.ERROR_200, 2, ["ok"]),
    (Fault.NOT_JSON, 2, ["ok"]),
    (Fault.RESET, 2, ["ok"]),
    (Fault.RESET_MIDWAY, 2, ["ok"]),
    (Fault.HANG, 2, ["ok"]),
    (Fault.DRIP, 2, ["ok"]),
    (Fault.MODE_REFUSED, 2, ["ok"]),
    (Fault.FENCED, 1, ["ok"]),
    (Fault.PROSE, 1, ["ok"]),
    (Fault.EXTRA_ITEM, 1, ["ok"]),
    (Fault.TRUNCATED, 2, ["truncated", "ok"]),
    (Fault.EMPTY, 2, ["malformed", "ok"]),
    (Fault.REFUSAL, 2, ["refused", "ok"]),
    (Fault.WRONG_ENUM, 2, ["ok", "ok"]),
    (Fault.MISSING_ITEM, 2, ["ok", "ok"]),
    (Fault.MISSING_FIELD, 2, ["ok", "ok"]),
    (Fault.BAD_QUOTE, 2, ["ok", "ok"]),
]

# Fault of every request: requests in all, the reason of the lost verdicts.
LASTING = [
    (Fault.RATE_LIMITED, 7, "rate_limited"),
    (Fault.SERVER_ERROR, 4, "server_error"),
    (Fault.ERROR_200, 4, "server_error"),
    (Fault.NOT_JSON, 4, "server_error"),
    (Fault.RESET, 4, "connection"),
    (Fault.HANG, 2, "timeout"),
    (Fault.WRONG_MODEL, 1, "config"),
    (Fault.UNAUTHORISED, 1, "config"),
    (Fault.MODE_REFUSED, 4, "bad_request"),
    (Fault.TRUNCATED, 3, "truncated"),
    (Fault.EMPTY, 3, "malformed"),
    (Fault.REFUSAL, 3, "refused"),
    (Fault.WRONG_ENUM, 3, "malformed"),
    (Fault.MISSING_ITEM, 3, "malformed"),
    (Fault.MISSING_FIELD, 3, "malformed"),
    (Fault.BAD_QUOTE, 2, "evidence_not_in_text"),
]


async def judged(rule, **settings):
    ledger = SqliteLedger()
    script = Script(rules=(rule,))
    async with MockServer(script, HONEST) as server:
        judgement = await judge_on(server, ledger=ledger, **settings).judge(QUESTION, guarded())
    return judgement, server.log, await ledger.rows()


def low(judgement):
    return score_verdicts(
        QUESTION, verify_verdicts(QUESTION, guarded(), judgement.verdicts)
    ).score.low


@pytest.mark.parametrize(("fault", "requests", "kept"), CURED, ids=lambda v: str(v))
async def test_one_fault_costs_a_request_and_no_verdict(fault, requests, kept):
    rule = Rule(fault, numbers=(1,), retry_after=0.01)
    judgement, log, rows = await judged(rule)
    assert outcomes(judgement) == MET
    assert len(log) == requests
    assert [r.outcome for r in rows] == kept
    assert sum(r.attempts for r in rows) == requests


@pytest.mark.parametrize(("fault", "requests", "reason"), LASTING, ids=lambda v: str(v))
async def test_a_lasting_fault_loses_verdicts_and_passes_none(fault, requests, reason):
    judgement, log, rows = await judged(Rule(fault, retry_after=0.01))
    assert len(log) == requests
    assert sum(r.attempts for r in rows) == requests
    honest, *_ = await judged(Rule(Fault.OK))
    assert low(judgement) <= low(honest)
    lost = [v for v in judgement.verdicts if v.outcome is Outcome.CANNOT_ASSESS]
    assert lost
    assert {v.reasons[0] for v in lost} == {reason}
    for verdict in judgement.verdicts:
        assert verdict in lost or verdict.outcome.value == MET[verdict.signal_id]


@pytest.mark.parametrize(
    ("fault", "again"),
    [
        (Fault.WRONG_ENUM, 1),
        (Fault.MISSING_ITEM, 1),
        (Fault.MISSING_FIELD, 1),
        (Fault.BAD_QUOTE, 1),
        (Fault.TRUNCATED, 4),
    ],
    ids=str,
)
async def test_only_the_affected_signals_are_asked_again(fault, again):
    _, log, _ = await judged(Rule(fault, numbers=(1,)))
    order = log[1].body["messages"][1]["content"].rsplit("order: ", 1)[1]
    assert len(order.split(", ")) == again


async def test_a_cut_off_reply_gets_more_room_the_second_time():
    _, log, _ = await judged(Rule(Fault.TRUNCATED, numbers=(1,)))
    assert log[1].body["max_tokens"] > log[0].body["max_tokens"]


async def test_no_reply_is_shown_to_the_model_again():
    _, log, _ = await judged(Rule(Fault.BAD_QUOTE, numbers=(1,)))
    assert [m["role"] for m in log[1].body["messages"]] == ["system", "user"]
    assert "words that stand nowhere" not in str(log[1].body)


async def test_a_wrong_key_stops_the_judge_at_once_and_for_all_answers():
    rule = Rule(Fault.UNAUTHORISED)
    async with MockServer(Script(rules=(rule,)), HONEST) as server:
        judge = judge_on(server)
        await judge.judge(QUESTION, guarded())
        second = await judge.judge(QUESTION, guarded("Another answer about memory bandwidth."))
    assert len(server.log) == 1
    assert {v.reasons for v in second.verdicts} == {("config",)}
    assert "key" in judge.config_fault.remedy
