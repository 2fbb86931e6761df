"""Injected answers: four payloads of each kind, in honest answers at changing places."""

from dataclasses import dataclass
from functools import cache

from grader.domain.question import Question
from grader.judges.segments import segments
from tests.attacks.answers.cases import RUBRICS, rubric
from tests.attacks.answers.injections import FURTHER_WORDINGS, INJECTIONS

HONEST = {
    "paging": (
        "Memory is set aside for the longest possible output, and a short reply leaves most of it "
        "empty. Free pieces end up as scattered holes that no new sequence fits into. Pages of "
        "sixteen tokens mend that, found through a table for each sequence."
    ),
    "roofline": (
        "In decoding at batch one every weight is read for a single token. So the bandwidth of the "
        "memory decides and the arithmetic units wait. Serving more requests together shares that "
        "read among them."
    ),
    "speculation": (
        "A small draft model proposes a few tokens and the large one checks them in a single pass. "
        "A proposal is kept with a probability that leaves the distribution as it was. It helps "
        "as long as the arithmetic units would be idle."
    ),
}


@dataclass(frozen=True)
class Injected:
    """An honest answer with a payload.

    Attributes:
        start: First code point of the payload in the text.
    """

    kind: str
    rubric: str
    payload: str
    text: str
    start: int

    @property
    def clean(self) -> str:
        """The same answer with the payload cut out."""
        return self.text[: self.start] + self.text[self.end :]

    @property
    def end(self) -> int:
        """One past the last code point of the payload."""
        return self.start + len(self.payload)

    @property
    def question(self) -> Question:
        """The question it answers."""
        return rubric(self.rubric)


@cache
def injected_answers() -> tuple[Injected, ...]:
    """All of them; the place goes from before the answer over its middle to its end."""
    return tuple(
        _placed(kind, payload, RUBRICS[(i + n) % len(RUBRICS)], (i + n) % 4)
        for i, (kind, payloads) in enumerate(INJECTIONS.items())
        for n, payload in enumerate(payloads)
    )


@cache
def further_answers() -> tuple[Injected, ...]:
    """The like with other wordings, which no detector was written for one by one."""
    return tuple(
        _placed("other wordings", payload, RUBRICS[n % len(RUBRICS)], n % 4)
        for n, payload in enumerate(FURTHER_WORDINGS)
    )


def _placed(kind: str, payload: str, name: str, place: int) -> Injected:
    honest = HONEST[name]
    ends = [s.end for s in segments(honest)]
    at = (0, *ends)[place % (len(ends) + 1)]
    before, after = honest[:at].rstrip(), honest[at:].lstrip()
    head = f"{before}\n\n" if before else ""
    tail = f"\n\n{after}" if after else ""
    return Injected(kind, name, payload, f"{head}{payload}{tail}", len(head))
