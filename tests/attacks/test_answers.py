"""The adversarial answers against the guard, and end to end against the offline judge."""

import logging

import pytest

from grader.domain.answer import Answer
from grader.domain.verdict import Outcome
from grader.judges.guard import GuardReason, guard
from grader.judges.offline import OfflineJudge
from grader.judges.pipeline import grade_answer
from tests.attacks.answers.cases import (
    CONTRADICTIONS,
    HONEST,
    HOSTILE_TEXTS,
    KEYWORD_LISTS,
    NEGATIONS,
    OTHER_LANGUAGES,
    RUBRICS,
    Case,
    injections_alone,
    question_copies,
    rubric,
    rubric_echoes,
)
from tests.attacks.answers.injections import FURTHER_WORDINGS, INJECTIONS

CREDITED = (Outcome.MET, Outcome.PARTIAL)
PAYLOAD_REASONS = {
    GuardReason.ADDRESSED_TO_GRADER,
    GuardReason.ENCODED_PAYLOAD,
    GuardReason.INVISIBLE_TEXT,
    GuardReason.RUBRIC_GUESSING,
}
BEFORE = "Each step streams the parameters again, which is why the units wait."
AFTER = "A larger group of users would share that traffic."


async def graded(case: Case):
    return await grade_answer(rubric(case.rubric), Answer.of(case.text), OfflineJudge())


async def credited_signals(case: Case) -> list[str]:
    """The signals credited; of the case's own signal only, where it has one."""
    grade = await graded(case)
    met = [v.signal_id for v in grade.verdicts if v.outcome in CREDITED]
    return [signal for signal in met if case.signal in ("", signal)]


def test_the_set_is_large_and_its_signals_exist():
    cases = [*KEYWORD_LISTS, *rubric_echoes(), *question_copies(), *NEGATIONS, *CONTRADICTIONS]
    assert len(cases) + len(OTHER_LANGUAGES) + len(HOSTILE_TEXTS) + len(injections_alone()) >= 60
    assert len(NEGATIONS) == len(HONEST) == 12
    for case in (*cases, *HONEST):
        assert case.signal in ("", *(s.id for s in rubric(case.rubric).signals))
    assert all(len(rubric(name).signals) == 8 for name in RUBRICS)


@pytest.mark.parametrize(
    "case",
    [*KEYWORD_LISTS, *rubric_echoes(), *question_copies(), *injections_alone()],
    ids=lambda case: f"{case.kind}-{case.text[:30]!r}",
)
async def test_what_is_no_answer_earns_nothing(case):
    assert await credited_signals(case) == []


async def test_negated_facts_are_hardly_ever_credited():
    credited = [case.text for case in NEGATIONS if await credited_signals(case)]
    assert len(credited) <= 1, credited


async def test_contradictions_are_hardly_ever_credited():
    credited = [case.text for case in CONTRADICTIONS if await credited_signals(case)]
    assert len(credited) <= 1, credited


async def test_honest_answers_are_credited():
    missed = [case.text for case in HONEST if not await credited_signals(case)]
    assert len(missed) <= 2, missed


@pytest.mark.parametrize("case", HONEST, ids=lambda case: case.signal)
def test_the_guard_leaves_honest_answers_alone(case):
    guarded = guard(rubric(case.rubric), Answer.of(case.text))
    assert guarded.flags == ()
    assert guarded.flagged == ()
    assert guarded.masked == case.text


@pytest.mark.parametrize("language", OTHER_LANGUAGES)
async def test_other_languages_are_named_and_left_to_a_person(language):
    case = Case("other language", "roofline", OTHER_LANGUAGES[language])
    guarded = guard(rubric(case.rubric), Answer.of(case.text))
    assert guarded.language == language
    assert GuardReason.OTHER_LANGUAGE in guarded.flags
    assert guarded.settled is None
    grade = await graded(case)
    assert {v.outcome for v in grade.verdicts} == {Outcome.CANNOT_ASSESS}
    assert grade.low == 0


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
async def test_no_text_crashes_or_earns_a_point(name, caplog):
    with caplog.at_level(logging.ERROR):
        grade = await graded(Case("hostile", "roofline", HOSTILE_TEXTS[name]))
    assert grade.low == 0
    assert caplog.records == []


@pytest.mark.parametrize("kind", INJECTIONS)
def test_payloads_are_recognised_and_the_answer_around_them_stays(kind):
    for payload in INJECTIONS[kind]:
        text = f"{BEFORE}\n\n{payload}\n\n{AFTER}"
        guarded = guard(rubric("roofline"), Answer.of(text))
        assert PAYLOAD_REASONS & set(guarded.flags), payload
        assert guarded.masked.startswith(BEFORE), payload
        assert guarded.settled is None


@pytest.mark.parametrize("kind", INJECTIONS)
async def test_a_payload_credits_nothing_that_the_answer_without_it_does_not(kind):
    case = HONEST[7]
    plain = set(await credited_signals(case))
    for payload in INJECTIONS[kind]:
        attacked = Case(case.kind, case.rubric, f"{case.text}\n\n{payload}")
        met = {v.signal_id for v in (await graded(attacked)).verdicts if v.outcome in CREDITED}
        assert met <= plain, payload


def test_most_further_wordings_are_recognised():
    missed = [
        wording
        for wording in FURTHER_WORDINGS
        if not PAYLOAD_REASONS
        & set(guard(rubric("roofline"), Answer.of(f"{BEFORE} {wording}")).flags)
    ]
    assert len(missed) <= len(FURTHER_WORDINGS) // 10, missed
