"""Types that requests and replies are made of."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, StringConstraints, WithJsonSchema
from pydantic_core import PydanticCustomError

from grader.domain.answer import Answer

MOST_ANSWER = 100_000
MOST_WAIT_S = 60
_MOST = {"most": MOST_ANSWER}

IDENTIFIER = r"^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$"
_PRINTABLE = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"

Identifier = Annotated[str, StringConstraints(pattern=IDENTIFIER)]
Line = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=_PRINTABLE)]
Paragraph = Annotated[str, StringConstraints(min_length=1, max_length=4000, pattern=_PRINTABLE)]
Label = Annotated[str, StringConstraints(max_length=200, pattern=_PRINTABLE)]
LabelName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,40}$")]


def _answer(given: Any) -> Any:
    return Answer.of(given) if isinstance(given, str) and len(given) <= MOST_ANSWER else given


def _demand_answer(given: Any) -> Answer:
    if isinstance(given, Answer):
        return given
    if isinstance(given, str):
        raise PydanticCustomError("too_long", "must have at most {most} characters", _MOST)
    raise PydanticCustomError("string_type", "must be a string")


AnswerText = Annotated[
    Answer,
    BeforeValidator(_demand_answer),
    BeforeValidator(_answer),
    WithJsonSchema(
        {
            "type": "string",
            "maxLength": MOST_ANSWER,
            "description": "What the learner wrote. Offsets of evidence count its code points.",
        }
    ),
]
"""A text as it arrives: lone surrogates and NULs are replaced, one for one, and that is noted."""


def examples(*given: Any) -> ConfigDict:
    """The part of a model's configuration that shows what it looks like."""
    return ConfigDict(json_schema_extra={"examples": list(given)})


class Input(BaseModel):
    """A request: unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Output(BaseModel):
    """A reply."""

    model_config = ConfigDict(frozen=True)
