"""Whatever goes wrong on the way, no answer scores higher for it."""

import asyncio
import copy

from hypothesis import given, settings
from hypothesis import strategies as st

from bench.mock_llm.judging import read_prompt, reply_of
from grader.domain.answer import Answer
from grader.domain.verdict import Outcome
from grader.judges.llm.transport import (
    BudgetFault,
    CircuitOpenFault,
    RefusedFault,
    TruncatedFault,
)
from grader.judges.pipeline import grade_answer
from tests.judges.llm.cases import QUESTION, TEXT, WORDS, judge_of

QUOTES = [quote for quote in WORDS.values() if quote in TEXT]
OUTCOMES = ("met", "partial", "not_met")


def nothing(reply, draw):
    return reply


def no_object(reply, draw):
    return "I would say that all of it is met."


def raising(fault):
    def spoil(reply, draw):
        raise fault("no use")

    return spoil


def without_entry(reply, draw):
    del reply["signals"][draw(st.integers(0, len(reply["signals"]) - 1))]
    return reply


def with_value(field, values):
    def spoil(reply, draw):
        draw(st.sampled_from(reply["signals"]))[field] = draw(st.sampled_from(values))
        return reply

    return spoil


def without_field(reply, draw):
    entry = draw(st.sampled_from(reply["signals"]))
    entry.pop(draw(st.sampled_from(sorted(entry))))
    return reply


def doubled(reply, draw):
    entry = copy.deepcopy(draw(st.sampled_from(reply["signals"])))
    entry["verdict"] = draw(st.sampled_from(OUTCOMES))
    reply["signals"].append(entry)
    return reply


SPOILS = (
    nothing,
    no_object,
    raising(TruncatedFault),
    raising(RefusedFault),
    raising(BudgetFault),
    raising(CircuitOpenFault),
    without_entry,
    without_field,
    doubled,
    with_value("verdict", ["maybe", "MET!", "", None, True]),
    with_value("quote", ["words that stand nowhere in the text", "", None]),
    with_value("sure", [-1, 900, None, "very"]),
    with_value("at", ["1", None, [1.5]]),
)


def model(labels, spoil):
    """A model that always says the same, with replies spoiled on the way."""

    def verdict(seen):
        prompt = read_prompt(seen)
        statements = {s.statement: s.id for s in QUESTION.signals}

        def label(statement):
            outcome, quote = labels[statements[statement]]
            return (outcome, quote) if outcome != "not_met" else (outcome, "")

        return spoil(reply_of(prompt, label))

    return verdict


def graded(verdict):
    return asyncio.run(grade_answer(QUESTION, Answer.of(TEXT), judge_of(verdict, lead_s=0)))


label_sets = st.fixed_dictionaries(
    {s.id: st.tuples(st.sampled_from(OUTCOMES), st.sampled_from(QUOTES)) for s in QUESTION.signals}
)


@settings(max_examples=150, deadline=None)
@given(label_sets, st.data())
def test_no_fault_of_a_reply_raises_a_score_or_makes_up_evidence(labels, data):
    honest = graded(model(labels, lambda reply: reply))

    def spoil(reply):
        return data.draw(st.sampled_from(SPOILS))(reply, data.draw)

    spoiled = graded(model(labels, spoil))
    assert spoiled.low <= honest.low
    assert spoiled.high >= honest.low
    for verdict, truth in zip(spoiled.verdicts, honest.verdicts, strict=True):
        assert verdict.outcome in (truth.outcome, Outcome.CANNOT_ASSESS)
        assert all(e.holds_in(TEXT) for e in verdict.evidence)
