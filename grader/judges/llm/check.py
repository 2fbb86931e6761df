"""The checks in code between a model's words and an opinion: quotes, confidence, relations."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.domain.question import Excludes, Question, Relation, Signal
from grader.domain.verdict import Evidence, Outcome
from grader.judges.evidence import shares_content_word
from grader.judges.llm.fence import FencedAnswer
from grader.judges.llm.opinion import Doubt, Opinion
from grader.judges.llm.reply import Finding
from grader.judges.port import GuardedAnswer
from grader.judges.quotes import QuoteIndex
from grader.judges.release import ReleasePolicy

_CREDITED = (Outcome.MET, Outcome.PARTIAL)
_LONGEST_QUOTE = 300


@dataclass(frozen=True)
class CheckedAnswer:
    """One answer with all that its checks need."""

    question: Question
    guarded: GuardedAnswer
    fenced: FencedAnswer
    index: QuoteIndex
    release: ReleasePolicy

    def opinion(self, signal: Signal, finding: Finding, judge: str, model: str) -> Opinion:
        """A finding with its quote looked up and its doubts named."""
        evidence = self._evidence(finding)
        credited = finding.outcome in _CREDITED
        doubts = [*self._evidence_doubts(signal, finding, evidence)] if credited else []
        if finding.confidence < self.release.threshold(judge, self.question.id, signal.id):
            doubts.append(Doubt.UNSURE)
        return Opinion(
            signal_id=signal.id,
            outcome=finding.outcome,
            confidence=finding.confidence,
            evidence=evidence if credited else (),
            comment=finding.comment,
            doubts=tuple(doubts),
            model=model,
        )

    def _evidence_doubts(
        self, signal: Signal, finding: Finding, evidence: Sequence[Evidence]
    ) -> Iterable[Doubt]:
        if not finding.quote.strip():
            yield Doubt.MISSING
        elif not evidence:
            yield Doubt.NOT_IN_TEXT
        elif not shares_content_word(signal, evidence):
            yield Doubt.UNRELATED

    def _evidence(self, finding: Finding) -> tuple[Evidence, ...]:
        """Where the quote stands: in the sentences named if it is there, else anywhere."""
        if len(finding.quote) > _LONGEST_QUOTE:
            return ()
        spans = self.fenced.sentences
        for number in finding.at:
            if 1 <= number <= len(spans):
                within = spans[number - 1]
                if found := self.index.locate(finding.quote, (within.start, within.end)):
                    return found
        return self.index.locate(finding.quote)


def with_relations(question: Question, opinions: Mapping[str, Opinion]) -> dict[str, Opinion]:
    """The opinions, with a doubt on both sides of every relation that they violate."""
    violated = {
        signal_id
        for relation in question.relations
        if _violates(relation, opinions)
        for signal_id in relation.pair
    }
    return {
        i: replace(o, doubts=(*o.doubts, Doubt.RELATION)) if i in violated else o
        for i, o in opinions.items()
    }


def _violates(relation: Relation, opinions: Mapping[str, Opinion]) -> bool:
    first, second = (opinions.get(i) for i in relation.pair)
    if first is None or second is None:
        return False
    if isinstance(relation, Excludes):
        return first.outcome is Outcome.MET and second.outcome is Outcome.MET
    return first.outcome is Outcome.MET and second.outcome is Outcome.NOT_MET
