"""What the learner gave, and the repair of text that no store can hold."""

import re
from enum import StrEnum

from grader.domain.model import FrozenModel

_UNSTORABLE = re.compile("[\ud800-\udfff\x00]")


class AnswerSource(StrEnum):
    """How the text came to be."""

    TYPED = "typed"
    SPEECH = "speech"


class HeardWord(FrozenModel):
    """One recognised word with its time in seconds and the recogniser's confidence in [0, 1]."""

    text: str
    start_s: float
    end_s: float
    confidence: float


class Transcript(FrozenModel):
    """What the recogniser heard before the learner edited it."""

    raw: str
    words: tuple[HeardWord, ...] = ()


class Answer(FrozenModel):
    """A text answer as it is stored.

    Attributes:
        text: The answer; all offsets are code points of this string.
        text_repaired: Whether characters that cannot be stored were replaced.
    """

    text: str
    source: AnswerSource = AnswerSource.TYPED
    transcript: Transcript | None = None
    text_repaired: bool = False

    @classmethod
    def of(
        cls,
        text: str,
        source: AnswerSource = AnswerSource.TYPED,
        transcript: Transcript | None = None,
    ) -> "Answer":
        """Takes raw text in, replacing each lone surrogate and NUL by U+FFFD, one for one."""
        repaired = _UNSTORABLE.sub("�", text)
        return cls(
            text=repaired, source=source, transcript=transcript, text_repaired=repaired != text
        )
