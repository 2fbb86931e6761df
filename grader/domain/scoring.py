"""The one scoring function, for answers and code alike.

Weighted positive credit (partial counts half) minus the weights of the misconceptions met,
clamped at 0, over the positive weight. The low end counts every signal that could not be
assessed against the learner, the high end in the learner's favour. All sums are exact
rationals; only the printed figure is rounded, half to even, to one decimal.

Relations between positive signals are applied so that the score never falls when one verdict
rises: `requires` caps a dependent's credit by the prerequisite's own verdict, and `excludes`
keeps the set of signals with the most credit in which no two exclude each other. Both are
maxima of rising functions, hence rising.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from grader.domain.grade import Score
from grader.domain.question import Excludes, Question, Relation, Requires, Signal, SignalKind
from grader.domain.verdict import Outcome, Verdict

_CREDIT = {Outcome.MET: Fraction(1), Outcome.PARTIAL: Fraction(1, 2), Outcome.NOT_MET: Fraction(0)}
_HALF = Fraction(1, 2)

EXCLUDED = "excluded"
PREREQUISITE_UNMET = "prerequisite_unmet"
NO_VERDICT = "no_verdict"


@dataclass(frozen=True)
class ScoredVerdicts:
    """The score, and the verdicts after relations, one per signal in rubric order."""

    score: Score
    verdicts: tuple[Verdict, ...]


def score_verdicts(question: Question, verdicts: Sequence[Verdict]) -> ScoredVerdicts:
    """Scores one answer.

    Args:
        question: Gives weights, kinds and relations.
        verdicts: At most one per signal, in any order; a signal without one is unassessed.

    Returns:
        Points of 100 and the verdicts that count. Equal verdicts give bit-equal scores.

    Raises:
        ValueError: A verdict names an unknown signal, or a signal has two.
    """
    given = _by_signal(question, verdicts)
    outcomes = {s.id: given[s.id].outcome for s in question.signals}
    low = _points(question, {i: _settled(question.signal(i), o, 0) for i, o in outcomes.items()})
    high = _points(question, {i: _settled(question.signal(i), o, 1) for i, o in outcomes.items()})
    return ScoredVerdicts(
        score=Score(score=low, low=low, high=high),
        verdicts=_after_relations(question, given),
    )


def _by_signal(question: Question, verdicts: Sequence[Verdict]) -> dict[str, Verdict]:
    known = {s.id for s in question.signals}
    found: dict[str, Verdict] = {}
    for verdict in verdicts:
        if verdict.signal_id not in known:
            raise ValueError(f"verdict for the unknown signal {verdict.signal_id!r}")
        if verdict.signal_id in found:
            raise ValueError(f"two verdicts for the signal {verdict.signal_id!r}")
        found[verdict.signal_id] = verdict
    for signal_id in known - set(found):
        found[signal_id] = Verdict(
            signal_id=signal_id,
            outcome=Outcome.CANNOT_ASSESS,
            confidence=0.0,
            reasons=(NO_VERDICT,),
        )
    return found


def _settled(signal: Signal, outcome: Outcome, favour: int) -> Outcome:
    """The outcome to count: an unassessed signal for (1) or against (0) the learner."""
    if outcome is not Outcome.CANNOT_ASSESS:
        return outcome
    earns = signal.kind is SignalKind.POSITIVE
    return Outcome.MET if earns == bool(favour) else Outcome.NOT_MET


def _points(question: Question, outcomes: Mapping[str, Outcome]) -> float:
    credit = _capped_credits(question, outcomes)
    kept = _kept_signals(credit, question.relations)
    earned = sum((credit[i] for i in kept), Fraction(0))
    lost = sum(
        (s.weight * _CREDIT[outcomes[s.id]] for s in question.signals if not _positive(s)),
        Fraction(0),
    )
    share = max(earned - lost, Fraction(0)) / question.positive_weight
    return float(round(share * 100, 1))


def _positive(signal: Signal) -> bool:
    return signal.kind is SignalKind.POSITIVE


def _capped_credits(question: Question, outcomes: Mapping[str, Outcome]) -> dict[str, Fraction]:
    """Weighted credit of each positive signal after `requires`."""
    shares = {s.id: _CREDIT[outcomes[s.id]] for s in question.signals if _positive(s)}
    capped = {r.signal for r in _unmet_requirements(question.relations, outcomes)}
    return {
        i: question.signal(i).weight * (min(share, _HALF) if i in capped else share)
        for i, share in shares.items()
    }


def _unmet_requirements(
    relations: Sequence[Relation], outcomes: Mapping[str, Outcome]
) -> list[Requires]:
    unmet = (Outcome.NOT_MET, Outcome.CANNOT_ASSESS)
    return [r for r in relations if isinstance(r, Requires) and outcomes[r.needs] in unmet]


def _kept_signals(credit: Mapping[str, Fraction], relations: Sequence[Relation]) -> set[str]:
    """The signals that count: most credit without an excluded pair, least ids on a tie."""
    pairs = [r.signals for r in relations if isinstance(r, Excludes)]
    contested = sorted({i for pair in pairs for i in pair if credit[i] > 0})
    free = {i for i, points in credit.items() if points > 0 and i not in contested}
    return free | set(_best_independent(tuple(contested), credit, pairs))


def _best_independent(
    candidates: tuple[str, ...],
    credit: Mapping[str, Fraction],
    pairs: Sequence[tuple[str, str]],
) -> tuple[str, ...]:
    """Maximum-weight independent set by branching; rubrics are small."""
    if not candidates:
        return ()
    head, rest = candidates[0], candidates[1:]
    rivals = {b if a == head else a for a, b in pairs if head in (a, b)}
    compatible = tuple(c for c in rest if c not in rivals)
    with_head = (head, *_best_independent(compatible, credit, pairs))
    if not rivals & set(rest):
        return with_head
    without = _best_independent(rest, credit, pairs)
    return without if _total(without, credit) > _total(with_head, credit) else with_head


def _total(ids: tuple[str, ...], credit: Mapping[str, Fraction]) -> Fraction:
    return sum((credit[i] for i in ids), Fraction(0))


def _after_relations(question: Question, given: Mapping[str, Verdict]) -> tuple[Verdict, ...]:
    """The verdicts as they count at the low end, each change with its reason."""
    outcomes = {s.id: _settled(s, given[s.id].outcome, 0) for s in question.signals}
    kept = _kept_signals(_capped_credits(question, outcomes), question.relations)
    capped = {r.signal for r in _unmet_requirements(question.relations, outcomes)}
    return tuple(_counted(s, given[s.id], kept, capped) for s in question.signals)


def _counted(signal: Signal, verdict: Verdict, kept: set[str], capped: set[str]) -> Verdict:
    if not _positive(signal) or verdict.outcome not in (Outcome.MET, Outcome.PARTIAL):
        return verdict
    if signal.id not in kept:
        return _changed(verdict, Outcome.NOT_MET, EXCLUDED)
    if signal.id in capped and verdict.outcome is Outcome.MET:
        return _changed(verdict, Outcome.PARTIAL, PREREQUISITE_UNMET)
    return verdict


def _changed(verdict: Verdict, outcome: Outcome, reason: str) -> Verdict:
    evidence = verdict.evidence if outcome is Outcome.PARTIAL else ()
    return verdict.model_copy(
        update={
            "outcome": outcome,
            "reasons": (reason, *verdict.reasons),
            "evidence": evidence,
        }
    )
