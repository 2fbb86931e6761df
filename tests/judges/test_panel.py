"""A panel: votes of several judges on each signal."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.domain.scoring import score_verdicts
from grader.domain.verdict import Evidence, Outcome, Verdict
from grader.errors import InputError
from grader.judges.panel import Aggregation, PanelJudge
from grader.judges.port import Judgement
from tests.judges.llm.cases import QUESTION, TEXT, guarded, outcomes

MET, PARTIAL, NOT_MET, OPEN = (
    Outcome.MET,
    Outcome.PARTIAL,
    Outcome.NOT_MET,
    Outcome.CANNOT_ASSESS,
)


class Member:
    """A judge that says one thing of everything."""

    def __init__(self, outcome, name="m", evidence=(0, 4), confidence=0.9):
        self.id = name
        self.outcome, self.evidence, self.confidence = outcome, evidence, confidence

    async def judge(self, question, guarded, signals=None):
        if self.outcome is None:
            raise RuntimeError("broken")
        held = (Evidence.of(TEXT, *self.evidence),) if self.outcome in (MET, PARTIAL) else ()
        return Judgement(
            verdicts=tuple(
                Verdict(
                    signal_id=s.id,
                    outcome=self.outcome,
                    confidence=self.confidence,
                    evidence=held,
                    reasons=("timeout",) if self.outcome is OPEN else (),
                    judge=self.id,
                )
                for s in signals
            )
        )


def panel(*votes, rule=Aggregation.MAJORITY, **more):
    members = [Member(vote, f"m{i}") for i, vote in enumerate(votes)]
    return PanelJudge(members, rule, **more)


def verdict(*votes, **more):
    judgement = asyncio.run(panel(*votes, **more).judge(QUESTION, guarded()))
    return judgement.verdicts[0]


@pytest.mark.parametrize(
    ("votes", "outcome"),
    [
        ((MET, MET, NOT_MET), MET),
        ((MET, NOT_MET, NOT_MET), NOT_MET),
        ((MET, PARTIAL, NOT_MET), PARTIAL),
        ((MET, NOT_MET), OPEN),
        ((MET, MET, OPEN), MET),
        ((MET, OPEN, OPEN), OPEN),
        ((MET, NOT_MET, OPEN), OPEN),
        ((OPEN, OPEN, OPEN), OPEN),
        ((PARTIAL, PARTIAL, MET), PARTIAL),
    ],
    ids=str,
)
def test_the_majority_of_all_seats_decides(votes, outcome):
    assert verdict(*votes).outcome is outcome


@pytest.mark.parametrize(
    ("votes", "outcome"),
    [((MET, MET), MET), ((MET, PARTIAL), OPEN), ((MET, OPEN), OPEN), ((NOT_MET, NOT_MET), NOT_MET)],
    ids=str,
)
def test_unanimous_wants_every_seat(votes, outcome):
    assert verdict(*votes, rule=Aggregation.UNANIMOUS).outcome is outcome


def test_weights_are_the_measured_agreement():
    weights = {"m0": 0.8, "m1": 0.3, "m2": 0.3}
    votes = (MET, NOT_MET, NOT_MET)
    assert verdict(*votes, rule=Aggregation.WEIGHTED, weights=weights).outcome is MET
    assert verdict(*votes).outcome is NOT_MET
    with pytest.raises(InputError, match="no measured agreement of the judge 'm1'"):
        panel(*votes, rule=Aggregation.WEIGHTED, weights={"m0": 1})


def test_a_missing_vote_has_its_cause():
    assert verdict(MET, OPEN, OPEN).reasons == ("panel_no_quorum", "timeout")
    assert verdict(MET, NOT_MET).reasons == ("panel_split", "panel_disagrees")


def test_a_member_that_breaks_withholds_its_vote():
    assert verdict(MET, MET, None).outcome is MET
    assert verdict(MET, None, None).outcome is OPEN


def test_disagreement_is_flagged_and_measured():
    judge = panel(MET, MET, NOT_MET)
    judgement = asyncio.run(judge.judge(QUESTION, guarded()))
    assert set(judgement.flags) == {f"panel_disagrees:{s.id}" for s in QUESTION.signals}
    assert judge.disagreement.told == "the panel disagreed on 4 of 4 signals"
    assert judge.disagreement.pairs == {("m0", "m1"): 0, ("m0", "m2"): 1, ("m1", "m2"): 1}


def test_the_tripwire_flags_but_does_not_vote():
    judge = panel(MET, MET, tripwire=Member(NOT_MET, "t"))
    judgement = asyncio.run(judge.judge(QUESTION, guarded()))
    assert set(outcomes(judgement).values()) == {"met"}
    assert all(f.startswith("tripwire_disagrees:") for f in judgement.flags)


def test_evidence_is_what_the_agreeing_members_quoted_without_overlaps():
    members = [
        Member(MET, "a", (0, 10), 0.9),
        Member(MET, "b", (5, 15), 0.5),
        Member(MET, "c", (20, 25), 0.5),
        Member(PARTIAL, "d", (30, 35), 1.0),
    ]
    judgement = asyncio.run(PanelJudge(members).judge(QUESTION, guarded()))
    spans = [(e.start, e.end) for e in judgement.verdicts[0].evidence]
    assert spans == [(0, 10), (20, 25)]


def test_a_panel_of_one_is_refused():
    with pytest.raises(InputError, match="panel of one"):
        panel(MET)


votes = st.lists(st.sampled_from(Outcome), min_size=2, max_size=6)


@given(votes, st.data(), st.sampled_from(Aggregation))
def test_a_missing_vote_never_raises_a_score(given_votes, data, rule):
    weights = {f"m{i}": data.draw(st.floats(0.05, 1)) for i in range(len(given_votes))}
    absent = data.draw(st.integers(0, len(given_votes) - 1))
    fewer = [OPEN if i == absent else v for i, v in enumerate(given_votes)]

    def low(cast):
        judge = panel(*cast, rule=rule, weights=weights)
        judgement = asyncio.run(judge.judge(QUESTION, guarded()))
        # The misconception apart: what nobody judges counts against the learner there too.
        return score_verdicts(QUESTION, judgement.verdicts).score.low

    assert low(fewer) <= low(given_votes)
