"""Follow-ups: what is asked, and the one step that an answer may lift."""

import asyncio
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.coaching.follow_up import (
    GENERIC_PROBE,
    FollowUp,
    answer_follow_up,
    follow_ups,
    followed_up,
    lifted,
    open_signals,
)
from grader.domain.answer import Answer
from grader.domain.question import Question
from grader.domain.verdict import Outcome, Verdict
from grader.judges.llm.probe import LlmProbeWriter
from grader.judges.llm.transport import Endpoint, Transport, TransportSettings
from grader.judges.pipeline import grade_answer
from tests.judges.llm.cases import HONEST, QUESTION, ModelWire, judge_of

MET, PARTIAL, NOT_MET, OPEN = (
    Outcome.MET,
    Outcome.PARTIAL,
    Outcome.NOT_MET,
    Outcome.CANNOT_ASSESS,
)
SIGNAL = QUESTION.signal("reads-weights")
PROBE = "What has to travel to the compute units each time?"
LEAK = "Does every step read all weights from memory once?"


def asking(probe="", question=QUESTION):
    fields = question.model_dump(mode="json", by_alias=True)
    for signal in fields["signals"]:
        signal["probe"] = probe
    return Question.model_validate(fields)


def graded(text, question=QUESTION):
    return asyncio.run(grade_answer(question, Answer.of(text), judge_of(HONEST)))


BAND = graded("The memory bandwidth is what limits it, as far as I know.")


class Writer:
    def __init__(self, *texts):
        self.texts, self.asked = texts, []

    async def write(self, question, signal, draw):
        self.asked.append((signal.id, draw))
        return self.texts[min(draw, len(self.texts) - 1)]


@pytest.mark.parametrize(
    ("now", "later", "counted"),
    [
        (NOT_MET, MET, PARTIAL),
        (NOT_MET, PARTIAL, PARTIAL),
        (PARTIAL, MET, MET),
        (PARTIAL, PARTIAL, PARTIAL),
        (PARTIAL, NOT_MET, PARTIAL),
        (MET, NOT_MET, MET),
        (NOT_MET, OPEN, NOT_MET),
        (OPEN, MET, OPEN),
    ],
    ids=str,
)
def test_a_follow_up_lifts_by_at_most_one_step_and_never_lowers(now, later, counted):
    verdicts = (Verdict(signal_id=SIGNAL.id, outcome=o) for o in (now, later))
    assert lifted(SIGNAL, *verdicts).outcome is counted


@pytest.mark.parametrize(("now", "later"), list(product(Outcome, Outcome)), ids=str)
def test_a_misconception_is_never_changed(now, later):
    signal = QUESTION.signal("flops-bound")
    original = Verdict(signal_id=signal.id, outcome=now)
    assert lifted(signal, original, Verdict(signal_id=signal.id, outcome=later)) is original


@given(st.lists(st.sampled_from(Outcome), min_size=4, max_size=4), st.sampled_from(Outcome))
def test_a_score_never_falls_by_a_follow_up(outcomes, later):
    verdicts = tuple(
        Verdict(signal_id=s.id, outcome=o) for s, o in zip(QUESTION.signals, outcomes, strict=True)
    )
    grade = followed_up(QUESTION, BAND.model_copy(update={"verdicts": verdicts}), [])
    changed = [
        v
        if v.signal_id != SIGNAL.id
        else lifted(SIGNAL, v, v.model_copy(update={"outcome": later}))
        for v in verdicts
    ]
    after = followed_up(QUESTION, BAND.model_copy(update={"verdicts": tuple(changed)}), [])
    assert after.score.low >= grade.score.low


def test_the_weightiest_missing_signal_is_asked_about_first():
    assert [s.id for s in open_signals(QUESTION, BAND)] == ["reads-weights", "batch-shares"]


async def test_the_rubrics_probe_is_asked():
    found = await follow_ups(asking(PROBE), BAND)
    assert found[0] == FollowUp(signal_id="reads-weights", text=PROBE)


async def test_a_probe_that_leaks_is_never_asked():
    writer = Writer(LEAK, "Which traffic does a step cause?")
    found = await follow_ups(asking(LEAK), BAND, most=1, writer=writer)
    assert found[0].text == "Which traffic does a step cause?"
    assert writer.asked == [("reads-weights", 0), ("reads-weights", 1)]


async def test_without_a_safe_probe_one_question_that_fits_all_is_asked_once():
    found = await follow_ups(asking(LEAK), BAND, writer=Writer(LEAK))
    assert [f.text for f in found] == [GENERIC_PROBE]


async def test_a_model_that_cannot_be_had_writes_nothing():
    def down(seen):
        raise RuntimeError

    class Down(ModelWire):
        async def send(self, *arguments):
            from grader.judges.llm.transport import RefusedFault

            raise RefusedFault("no")

    transport = Transport(TransportSettings(endpoints=(Endpoint(model="m"),)), wire=Down(down))
    assert await LlmProbeWriter(transport).write(QUESTION, SIGNAL, 0) == ""


@pytest.mark.parametrize(
    ("reply", "text"),
    [('"What moves?"\n', "What moves?"), ("It is the weights.", ""), ("why " * 100 + "?", "")],
)
async def test_only_one_short_question_is_taken(reply, text):
    wire = ModelWire(lambda seen: reply)
    transport = Transport(TransportSettings(endpoints=(Endpoint(model="m"),)), wire=wire)
    assert await LlmProbeWriter(transport).write(QUESTION, SIGNAL, 0) == text


async def test_both_verdicts_are_kept_and_the_score_rises_by_half_the_signal():
    asked = FollowUp(signal_id="reads-weights", text=PROBE)
    given_answer = Answer.of("Every step streams all weights out of memory.")
    further = await answer_follow_up(QUESTION, BAND, asked, given_answer, judge_of(HONEST))
    assert (further.original.outcome, further.further.outcome) == (NOT_MET, MET)
    assert further.counted.outcome is PARTIAL
    assert further.counted.reasons[0] == "lifted_by_follow_up"
    assert all(e.holds_in(given_answer.text) for e in further.further.evidence)
    result = followed_up(QUESTION, BAND, [further])
    assert result.original is BAND
    assert result.score.score == pytest.approx(BAND.score + 100 * 1.5 / 7, abs=0.1)
