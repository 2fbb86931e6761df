"""The laws of the scoring function."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.domain.question import Question, SignalKind
from grader.domain.scoring import (
    EXCLUDED,
    NO_VERDICT,
    PREREQUISITE_UNMET,
    score_verdicts,
)
from grader.domain.verdict import Evidence, Outcome, Verdict

ASSESSED = [Outcome.MET, Outcome.PARTIAL, Outcome.NOT_MET]
RISING = [Outcome.NOT_MET, Outcome.PARTIAL, Outcome.MET]


def question_of(weights, negatives=(), relations=()):
    signals = [
        {"id": f"p{i}", "statement": "s", "weight": w, "kind": "positive"}
        for i, w in enumerate(weights)
    ]
    signals += [
        {"id": f"n{i}", "statement": "s", "weight": w, "kind": "negative"}
        for i, w in enumerate(negatives)
    ]
    return Question.model_validate(
        {"id": "q", "topic": "t", "prompt": "p", "signals": signals, "relations": relations}
    )


@st.composite
def questions(draw):
    weights = draw(st.lists(st.integers(1, 9), min_size=1, max_size=6))
    negatives = draw(st.lists(st.integers(1, 9), max_size=3))
    pairs = st.tuples(*[st.integers(0, len(weights) - 1)] * 2).filter(lambda p: p[0] != p[1])
    relations = []
    if len(weights) > 1:
        for a, b in draw(st.lists(pairs, max_size=5)):
            if draw(st.booleans()):
                relations.append({"kind": "excludes", "signals": [f"p{a}", f"p{b}"]})
            else:
                relations.append({"kind": "requires", "signal": f"p{a}", "needs": f"p{b}"})
    return question_of(weights, negatives, relations)


@st.composite
def judged(draw, outcomes=tuple(Outcome)):
    question = draw(questions())
    return question, {s.id: draw(st.sampled_from(list(outcomes))) for s in question.signals}


def verdicts_of(outcomes):
    return [Verdict(signal_id=i, outcome=o) for i, o in outcomes.items()]


def score_of(question, outcomes):
    return score_verdicts(question, verdicts_of(outcomes)).score


@given(judged())
def test_score_is_bounded_and_equals_its_low_end(case):
    score = score_of(*case)
    assert 0 <= score.low <= score.high <= 100
    assert score.score == score.low


@given(judged(), st.data())
def test_score_never_falls_when_one_positive_verdict_rises(case, data):
    question, outcomes = case
    positives = [s.id for s in question.signals if s.kind is SignalKind.POSITIVE]
    signal = data.draw(st.sampled_from(positives))
    ends = [score_of(question, outcomes | {signal: o}) for o in RISING]
    assert [e.low for e in ends] == sorted(e.low for e in ends)
    assert [e.high for e in ends] == sorted(e.high for e in ends)


@given(judged(), st.data())
def test_a_misconception_never_helps(case, data):
    question, outcomes = case
    negatives = [s.id for s in question.signals if s.kind is SignalKind.NEGATIVE]
    if not negatives:
        return
    signal = data.draw(st.sampled_from(negatives))
    without, half, with_it = (score_of(question, outcomes | {signal: o}) for o in RISING)
    assert with_it.low <= half.low <= without.low
    assert with_it.high <= half.high <= without.high


@given(judged(), st.data())
def test_an_unassessed_signal_never_raises_the_low_end_nor_lowers_the_high_end(case, data):
    question, outcomes = case
    signal = data.draw(st.sampled_from([s.id for s in question.signals]))
    unassessed = score_of(question, outcomes | {signal: Outcome.CANNOT_ASSESS})
    for outcome in ASSESSED:
        assessed = score_of(question, outcomes | {signal: outcome})
        assert unassessed.low <= assessed.low
        assert unassessed.high >= assessed.high


@given(judged(), st.randoms())
def test_neither_the_order_of_verdicts_nor_of_signals_matters(case, random):
    question, outcomes = case
    verdicts = verdicts_of(outcomes)
    signals, relations = list(question.signals), list(question.relations)
    for items in (verdicts, signals, relations):
        random.shuffle(items)
    turned = question.model_copy(update={"signals": tuple(signals), "relations": tuple(relations)})
    assert score_verdicts(turned, verdicts).score == score_of(question, outcomes)


@given(judged())
def test_equal_verdicts_give_bit_equal_results(case):
    question, outcomes = case
    first = score_verdicts(question, verdicts_of(outcomes))
    second = score_verdicts(question, verdicts_of(outcomes))
    assert first == second
    assert first.score.model_dump_json() == second.score.model_dump_json()


@given(judged(outcomes=ASSESSED))
def test_counted_verdicts_add_up_to_the_score(case):
    question, outcomes = case
    result = score_verdicts(question, verdicts_of(outcomes))
    credit = {Outcome.MET: Fraction(1), Outcome.PARTIAL: Fraction(1, 2)}
    total = sum(
        (1 if s.kind is SignalKind.POSITIVE else -1) * s.weight * credit.get(v.outcome, Fraction(0))
        for s, v in zip(question.signals, result.verdicts, strict=True)
    )
    share = max(Fraction(0), Fraction(total)) / question.positive_weight
    assert result.score.score == float(round(share * 100, 1))
    assert not result.score.provisional


def test_partial_counts_half_and_misconceptions_subtract():
    question = question_of([3, 1], [1])
    outcomes = {"p0": Outcome.MET, "p1": Outcome.PARTIAL, "n0": Outcome.MET}
    assert score_of(question, outcomes).score == 62.5


def test_rounding_is_half_to_even_on_exact_rationals():
    # One sixteenth is 6.25 %, three are 18.75 %.
    question = question_of([1, 3, 12])
    nothing = dict.fromkeys(("p0", "p1", "p2"), Outcome.NOT_MET)
    assert score_of(question, nothing | {"p0": Outcome.MET}).score == 6.2
    assert score_of(question, nothing | {"p1": Outcome.MET}).score == 18.8


def test_misconceptions_are_clamped_at_zero():
    question = question_of([1], [9])
    assert score_of(question, {"p0": Outcome.MET, "n0": Outcome.MET}).score == 0


def test_a_signal_without_a_verdict_is_unassessed():
    question = question_of([1, 1])
    result = score_verdicts(question, [Verdict(signal_id="p0", outcome=Outcome.MET)])
    assert (result.score.low, result.score.high) == (50, 100)
    assert result.verdicts[1].outcome is Outcome.CANNOT_ASSESS
    assert result.verdicts[1].reasons == (NO_VERDICT,)


def test_of_two_exclusive_signals_only_the_one_with_more_credit_counts():
    question = question_of([2, 3], relations=[{"kind": "excludes", "signals": ["p0", "p1"]}])
    result = score_verdicts(question, verdicts_of({"p0": Outcome.MET, "p1": Outcome.MET}))
    assert result.score.score == 60
    assert result.verdicts[0].outcome is Outcome.NOT_MET
    assert result.verdicts[0].reasons == (EXCLUDED,)
    assert result.verdicts[1].outcome is Outcome.MET


def test_a_chain_of_exclusions_keeps_the_greatest_total():
    relations = [
        {"kind": "excludes", "signals": ["p0", "p1"]},
        {"kind": "excludes", "signals": ["p1", "p2"]},
    ]
    question = question_of([5, 6, 5], relations=relations)
    outcomes = dict.fromkeys(("p0", "p1", "p2"), Outcome.MET)
    assert score_of(question, outcomes).score == float(round(Fraction(1000, 16), 1))


def test_a_dependent_counts_at_most_partial_without_its_prerequisite():
    relations = [{"kind": "requires", "signal": "p1", "needs": "p0"}]
    question = question_of([1, 1], relations=relations)
    span = Evidence(start=0, end=1, quote="a")
    met = Verdict(signal_id="p1", outcome=Outcome.MET, evidence=(span,))
    result = score_verdicts(question, [Verdict(signal_id="p0", outcome=Outcome.NOT_MET), met])
    assert result.score.score == 25
    assert result.verdicts[1].outcome is Outcome.PARTIAL
    assert result.verdicts[1].reasons == (PREREQUISITE_UNMET,)
    assert result.verdicts[1].evidence == (span,)


@pytest.mark.parametrize("ids", [["p0", "p0"], ["p9"]])
def test_doubled_and_unknown_verdicts_are_refused(ids):
    with pytest.raises(ValueError, match="signal"):
        score_verdicts(question_of([1]), [Verdict(signal_id=i, outcome=Outcome.MET) for i in ids])
