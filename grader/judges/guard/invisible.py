"""Text that a reader cannot see but a model reads: tag characters, selector runs, controls."""

import re
from collections.abc import Iterator

from grader.judges.segments import Span

_TAGS = re.compile("[\U000e0000-\U000e007f]+")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
_CONTROLS = re.compile("[\x01-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069]")
_FLAG_BASE = "\U0001f3f4"
_LONGEST_FLAG = 8


def invisible_spans(text: str) -> Iterator[Span]:
    """Runs of tag characters or of variation selectors, which can carry a message.

    The sequence after a black flag that makes an emoji of a region is left alone.
    """
    for match in _TAGS.finditer(text):
        emoji = text[match.start() - 1 : match.start()] == _FLAG_BASE
        if not (emoji and len(match.group()) <= _LONGEST_FLAG):
            yield Span(*match.span())
    for match in _SELECTORS.finditer(text):
        yield Span(*match.span())


def has_control_characters(text: str) -> bool:
    """Whether control characters or direction overrides stand in the text."""
    return _CONTROLS.search(text) is not None
