"""A question with its rubric, as the public rubric format (schema 1) states it.

The minimal legal question is ``id, topic, prompt, signals: [{id, statement, weight, kind}]``;
everything else refines what a judge sees, what a learner is shown, or how the rubric is tested.
The format is documented in ``docs/rubric-format.md``.
"""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from grader.domain.model import FrozenModel
from grader.domain.verdict import Outcome

Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$")]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class QuestionKind(StrEnum):
    """How the learner answers."""

    DISCUSSION = "discussion"
    CALCULATION = "calculation"
    DIAGRAM = "diagram"
    CODING = "coding"


class SignalKind(StrEnum):
    """Whether meeting the signal earns or costs points."""

    POSITIVE = "positive"
    NEGATIVE = "negative"


class Number(FrozenModel):
    """A figure that an answer is expected to state.

    Attributes:
        value: The figure, or an expression over the question's parameters.
        unit: Unit as spoken, e.g. ``GB`` or ``tokens/s``; empty for a bare number.
        tolerance: Relative tolerance, 0.05 meaning within five per cent.
    """

    value: float | str
    unit: str = ""
    tolerance: Annotated[float, Field(ge=0, lt=1)] = 0.02


class Signal(FrozenModel):
    """One atomic, checkable statement that an answer may make.

    Attributes:
        accept: Phrasings in different words that earn the signal.
        reject: Near-misses and misconceptions that must not earn it.
        terms: Groups of synonyms; an answer is expected to use one term of each group.
        numbers: Figures that the statement rests on.
        probe: Follow-up asked when the signal is missing; must not give the answer away.
    """

    id: Identifier
    statement: Text
    weight: Annotated[int, Field(ge=1, le=1000, strict=True)]
    kind: SignalKind
    accept: tuple[Text, ...] = ()
    reject: tuple[Text, ...] = ()
    terms: tuple[tuple[Text, ...], ...] = ()
    numbers: tuple[Number, ...] = ()
    probe: str = ""


class Excludes(FrozenModel):
    """Of two positive signals that are both met, only the one with more credit counts."""

    kind: Literal["excludes"]
    signals: tuple[Identifier, Identifier]

    @property
    def pair(self) -> tuple[str, str]:
        """The two signals."""
        return self.signals


class Requires(FrozenModel):
    """A positive signal that counts at most partial while another one is not met."""

    kind: Literal["requires"]
    signal: Identifier
    needs: Identifier

    @property
    def pair(self) -> tuple[str, str]:
        """The dependent and its prerequisite."""
        return self.signal, self.needs


Relation = Annotated[Excludes | Requires, Field(discriminator="kind")]


class GlossaryTerm(FrozenModel):
    """A term of the field, how it is said, and how recognisers usually mishear it."""

    term: Text
    spoken: tuple[Text, ...] = ()
    heard_as: tuple[Text, ...] = ()


class SampleQuality(StrEnum):
    """What a sample answer is meant to be."""

    STRONG = "strong"
    MIDDLING = "middling"
    WRONG = "wrong"
    SPOKEN = "spoken"


class Sample(FrozenModel):
    """A labelled answer: the rubric's unit test.

    Attributes:
        labels: The right outcome of every signal, by signal id.
    """

    id: Identifier
    quality: SampleQuality
    text: Text
    labels: dict[Identifier, Outcome]


class Hint(FrozenModel):
    """Help that the learner may buy.

    Attributes:
        cost: Points of 100 taken off the attempt's result, never off the grade.
    """

    text: Text
    cost: Annotated[int, Field(ge=0, le=100)]


class Reference(FrozenModel):
    """Where a claim of the rubric can be checked."""

    title: Text
    url: str = ""
    note: str = ""


class Parameter(FrozenModel):
    """A figure that varies from attempt to attempt: listed values, or a range with a step."""

    values: tuple[float, ...] = ()
    range: tuple[float, float] | None = None
    step: Annotated[float, Field(gt=0)] | None = None
    unit: str = ""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if bool(self.values) == (self.range is not None):
            raise ValueError("give either values or range, not both and not neither")
        if self.range is not None and self.range[0] >= self.range[1]:
            raise ValueError(f"range {list(self.range)} must rise from low to high")
        return self


class CalculatedAnswer(FrozenModel):
    """The right result of a calculation question, as an expression over its parameters."""

    value: float | str
    unit: str = ""
    rel_tol: Annotated[float, Field(gt=0, lt=1)] = 0.02


class Question(FrozenModel):
    """Prompt, rubric and metadata.

    Raises:
        ValueError: On validation, when ids repeat, a relation or label names an unknown signal,
            a relation names a negative signal, or no signal is positive.
    """

    schema_version: Annotated[Literal[1], Field(alias="schema")] = 1
    id: Identifier
    topic: Text
    prompt: Text
    signals: Annotated[tuple[Signal, ...], Field(min_length=1)]
    title: str = ""
    kind: QuestionKind = QuestionKind.DISCUSSION
    difficulty: Annotated[int, Field(ge=1, le=5)] = 3
    minutes: Annotated[int, Field(ge=1, le=120)] = 8
    source: tuple[int, ...] = ()
    references: tuple[Reference, ...] = ()
    notes: str = ""
    canary: str = ""
    relations: tuple[Relation, ...] = ()
    model_answer: str = ""
    glossary: tuple[GlossaryTerm, ...] = ()
    samples: tuple[Sample, ...] = ()
    hints: tuple[Hint, ...] = ()
    follow_ups: tuple[Text, ...] = ()
    exercise: str = ""
    parameters: dict[Name, Parameter] = Field(default_factory=dict)
    derived: dict[Name, str] = Field(default_factory=dict)
    answer: CalculatedAnswer | None = None
    pad: Literal["roofline", "block_table"] | None = None

    def signal(self, signal_id: str) -> Signal:
        """The signal of that id.

        Raises:
            KeyError: The question has no such signal.
        """
        for signal in self.signals:
            if signal.id == signal_id:
                return signal
        raise KeyError(signal_id)

    @property
    def positive_weight(self) -> int:
        """Sum of the weights of all positive signals: what a full answer earns."""
        return sum(s.weight for s in self.signals if s.kind is SignalKind.POSITIVE)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        ids = [s.id for s in self.signals]
        _reject_repeats("signal id", ids)
        _reject_repeats("sample id", [s.id for s in self.samples])
        if self.positive_weight == 0:
            raise ValueError("signals: at least one must be of kind positive")
        positive = {s.id for s in self.signals if s.kind is SignalKind.POSITIVE}
        for relation in self.relations:
            _check_relation(relation, positive)
        for sample in self.samples:
            if unknown := sorted(set(sample.labels) - set(ids)):
                raise ValueError(f"samples: {sample.id} labels the unknown signal {unknown[0]!r}")
        return self


def _reject_repeats(what: str, ids: list[str]) -> None:
    for i, value in enumerate(ids):
        if value in ids[:i]:
            raise ValueError(f"the {what} {value!r} is used twice")


def _check_relation(relation: Excludes | Requires, positive: set[str]) -> None:
    pair = relation.pair
    if pair[0] == pair[1]:
        raise ValueError(f"relations: {pair[0]!r} cannot stand in relation to itself")
    for signal_id in pair:
        if signal_id not in positive:
            raise ValueError(f"relations: {signal_id!r} is not a positive signal of this question")
