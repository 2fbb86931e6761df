"""What every export tells of one submission: a score, its parts, or why there is none.

The exporters read nothing else, so that what a learner must not see has no way into any of them:
a report is made of names, outcomes, points and the learner's own counter-examples. Every text in
it is printable, whatever the submission said.
"""

import re
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field

from grader.domain.grade import Grade, Points
from grader.domain.model import FrozenModel
from grader.domain.question import Question, Signal, SignalKind
from grader.domain.verdict import Outcome as SignalOutcome
from grader.domain.verdict import Verdict
from grader.exercises.result import CheckResult, InvariantResult, Reveal
from sandbox.outcome import Outcome

MOST_POINTS = 100
# Control characters but tab and newline, lone surrogates, and what XML 1.0 has no place for.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def printable(text: str) -> str:
    """The text with newlines as LF and every character that no format can carry as U+FFFD."""
    return _UNPRINTABLE.sub("\ufffd", text.replace("\r\n", "\n"))


Printable = Annotated[str, AfterValidator(printable)]


class Standing(StrEnum):
    """How one part of a submission came out."""

    PASSED = "passed"
    PARTIAL = "partial"
    FAILED = "failed"
    NOT_GRADED = "not graded"


class Part(FrozenModel):
    """One signal or invariant.

    Attributes:
        points: Earned; None where it is not graded, or where points are not shown by part.
        most: What could be earned; None where points are not shown by part.
        text: What a learner is told: a reason, and a counter-example where one is revealed.
        seconds: CPU seconds it took.
    """

    name: Printable
    standing: Standing
    points: Annotated[float, Field(ge=0)] | None = None
    most: Annotated[float, Field(ge=0)] | None = None
    text: Printable = ""
    seconds: Annotated[float, Field(ge=0)] = 0.0


class Report(FrozenModel):
    """How one submission came out.

    Attributes:
        title: Of the question or exercise.
        low: Points of 100 that are certain; None where nothing is graded.
        high: Points of 100 that are possible; None where nothing is graded.
        why: What kept it from being graded; empty where it was.
        seconds: Seconds the grading took.
        facts: What a regrade needs to know, by name: versions, digests.
    """

    title: Printable
    low: Points | None = None
    high: Points | None = None
    why: Printable = ""
    parts: tuple[Part, ...] = ()
    seconds: Annotated[float, Field(ge=0)] = 0.0
    facts: dict[str, Printable] = Field(default={})

    @property
    def graded(self) -> bool:
        """Whether the score is final: everything could be assessed."""
        return self.low is not None and self.low == self.high

    @property
    def score(self) -> float | None:
        """Points of 100; None while anything is open, for one number would charge our fault."""
        return self.low if self.graded else None

    @property
    def headline(self) -> str:
        """The result in one line."""
        if self.graded:
            return f"{self.low:g} of {MOST_POINTS} points"
        because = f": {self.why}" if self.why else ""
        if self.low is None or (self.low, self.high) == (0, MOST_POINTS):
            return f"Not graded{because}"
        return f"Not graded in full (at least {self.low:g}, up to {self.high:g}){because}"


def report_not_graded(title: str, why: str) -> Report:
    """The report of a submission that could not be graded at all."""
    return Report(title=title, why=why or "the grader failed")


def report_of_code(
    result: CheckResult, *, title: str = "", reveal: Reveal, seconds: float = 0.0
) -> Report:
    """The report of a coding submission.

    Args:
        result: With every invariant in it.
        title: Of the exercise; its name where empty.
        reveal: How much of the hidden checks is shown.
        seconds: Wall seconds the grading took.
    """
    open_weight = sum(i.weight for i in result.invariants if i.outcome is Outcome.INFRA_ERROR)
    shown = result.revealed(reveal)
    receipt = result.receipt
    return Report(
        title=title or result.exercise,
        low=result.score,
        high=min(MOST_POINTS, result.score + open_weight),
        why="" if result.assessed else "the sandbox failed; this is no fault of the submission",
        parts=tuple(_part_of_invariant(item) for item in shown.invariants),
        seconds=seconds,
        facts={
            "exercise": result.exercise,
            "exercise_version": receipt.exercise_version,
            "submission": receipt.submission,
            "backend": result.backend,
            "grader_version": receipt.grader_version,
        },
    )


_REASON = {
    Outcome.PASSED: "",
    Outcome.FAILED: "a hidden test found a case that fails",
    Outcome.ERROR_ON_LOAD: "the file could not be loaded",
    Outcome.TIMEOUT: "it ran out of time",
    Outcome.MEMORY_LIMIT: "it used more memory than allowed",
    Outcome.KILLED: "its process ended before it answered",
    Outcome.PROTOCOL_ERROR: "it interfered with the grading",
    Outcome.NONDETERMINISTIC: "the same calls gave different results",
    Outcome.INFRA_ERROR: "the sandbox failed; this is no fault of the submission",
}


def _part_of_invariant(item: InvariantResult) -> Part:
    if item.outcome is Outcome.INFRA_ERROR:
        standing, points = Standing.NOT_GRADED, None
    elif item.passed:
        standing, points = Standing.PASSED, item.weight
    else:
        standing, points = Standing.FAILED, 0
    told = [] if item.passed else [_REASON[item.outcome], item.counterexample or ""]
    return Part(
        name=item.id,
        standing=standing,
        points=points,
        most=item.weight,
        text="\n".join(line for line in told if line),
        seconds=item.cpu_s,
    )


def report_of_answer(question: Question, grade: Grade) -> Report:
    """The report of an answer, as its learner may read it.

    Signals bear numbers, as on every page of a learner, because their names may give them away;
    weights, statements and the judge's comments stay out. A misconception is listed only where
    the answer holds it.
    """
    numbers = {signal.id: f"s{n}" for n, signal in enumerate(question.signals, start=1)}
    parts = (
        _part_of_verdict(numbers[v.signal_id], question.signal(v.signal_id), v)
        for v in grade.verdicts
    )
    return Report(
        title=question.title or question.id,
        low=grade.low,
        high=grade.high,
        why="a part of it waits for a person" if grade.provisional else "",
        parts=tuple(part for part in parts if part is not None),
        facts={"question": question.id, "rubric_version": grade.rubric_version},
    )


_STANDING = {
    SignalOutcome.MET: Standing.PASSED,
    SignalOutcome.PARTIAL: Standing.PARTIAL,
    SignalOutcome.NOT_MET: Standing.FAILED,
    SignalOutcome.CANNOT_ASSESS: Standing.NOT_GRADED,
}


def _part_of_verdict(name: str, signal: Signal, verdict: Verdict) -> Part | None:
    said = "\n".join(f'"{e.quote}"' for e in verdict.evidence)
    if signal.kind is SignalKind.POSITIVE:
        return Part(name=name, standing=_STANDING[verdict.outcome], text=said)
    if verdict.outcome in (SignalOutcome.MET, SignalOutcome.PARTIAL):
        return Part(name=f"{name} (misconception)", standing=Standing.FAILED, text=said)
    return None
