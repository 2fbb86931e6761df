"""Stretches that imitate the frame around an answer: roles, closing tags, a judge's own reply.

Prompts, chat templates, tags and JSON are also what answers about serving talk about. So a marker
counts only where the stretch behind it speaks of grading.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

from grader.judges.guard.words import PLACEHOLDER
from grader.judges.segments import Span

_WORD = re.compile(r"[a-z_]+")
_TELLING = frozenset(
    "rubric rubrics verdict verdicts grader graders grading graded examiner assessor".split()
)
_SUPPORTING = frozenset(
    "marks grade grades evaluator credit signal signals met score scores full maximum points award "
    "pass passed candidate student criteria criterion evaluation assessment correct answer "
    "response submission ignore disregard instructions instruction complete perfect satisfied "
    "all".split()
)
_LINE_OR_SENTENCE = r"(?:^|(?<=[.!?])\s)[ \t]*"
_ROLE = re.compile(
    _LINE_OR_SENTENCE
    + r"[\[<#*(|{]{0,4}[ \t]*(?:system|assistant|user|developer|human|ai|grader|examiner|"
    r"evaluator|instructor|admin|administrator|moderator|tool|judge)\b[^\n:.]{0,24}[\])>#*|}]{0,4}"
    r"[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)
_TEMPLATE = re.compile(
    r"<\|[a-z_]{2,20}\|>|</?(?:system|instructions?|grader|evaluator|examiner)>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>|<\uff5c[^\n>]{2,24}>|"
    + _LINE_OR_SENTENCE
    + r"#{2,4}[ \t]*(?:system|instructions?|response|human|assistant|grader|evaluation)\b",
    re.IGNORECASE | re.MULTILINE,
)
_NAMES = (
    r"(?:student|candidate|learner|user|untrusted)?[ _-]?"
    r"(?:answer|submission|response|input|data|text|transcript|document|content)"
)
_CLOSING = re.compile(rf"</[ \t]*({_NAMES})[ \t]*>", re.IGNORECASE)
_OPENING = re.compile(rf"<[ \t]*({_NAMES})[ \t]*>", re.IGNORECASE)
_DELIMITER = re.compile(
    rf"^[ \t]*[-=#*~_`<>\[(]{{2,12}}[ \t]*(?:end|begin|start)\b[ \t]*(?:of[ \t]+)?(?:the[ \t]+)?"
    rf"{_NAMES}[^\n]{{0,20}}$",
    re.IGNORECASE | re.MULTILINE,
)
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")
_VERDICT_PAIR = re.compile(
    r"[\"'](?:verdicts?|outcome|signal_verdict|result|status|judge?ment)[\"']\s{0,8}:\s{0,8}"
    r"[\"']?(?:met|pass|passed|satisfied|correct|full|partial|not_met)\b"
    r"|[\"'](?:signal_id|rubric_item|criterion_id|signals_met|final_score|total_score|marks)[\"']"
    r"\s{0,8}:"
    r"|[\"'](?:met|passed|satisfied|credited)[\"']\s{0,8}:\s{0,8}(?:true|1)\b"
    r"|[\"']grade[\"']\s{0,8}:\s{0,8}[\"']?(?:a\+?\b|full|100|10\b|pass)",
    re.IGNORECASE,
)
_MET_PAIR = re.compile(r"[\"']\s{0,8}:\s{0,8}[\"'](?:met|satisfied)[\"']", re.IGNORECASE)
_VERDICT_TAG = re.compile(r"<(verdict|grade|marks|grading|rubric)\b[^>\n]{0,60}>", re.IGNORECASE)
_VERDICT_TAG_END = re.compile(r"</(?:verdict|grade|marks|grading|rubric)\s{0,4}>", re.IGNORECASE)
_COMMENT_ENDS = {"<!--": "-->", "/*": "*/", "[//]:": "\n"}
_COMMENT = re.compile("|".join(map(re.escape, _COMMENT_ENDS)))
_WALL = re.compile(f"{PLACEHOLDER}+")
_BRACE = re.compile(r"[{}]")
_LONGEST_TAG = 2000
_LONGEST_FRAME = 500


def framed_spans(text: str, sentences: Sequence[Span], orders: Sequence[Span] = ()) -> list[Span]:
    """All stretches that imitate the frame, in order; they may overlap.

    Args:
        text: The answer.
        sentences: Its sentences.
        orders: Where it speaks to the grader: a stretch with an order in it is flagged.
    """
    starts = sorted(span.start for span in orders)
    proved = [*_replies(text), *_verdict_tags(text)]
    for frame in (*_roles(text), *_breakouts(text), *_comments(text)):
        ordered = bisect_left(starts, frame.start) < bisect_left(starts, frame.end)
        if ordered or _speaks_of_grading(text[frame.start : frame.end]):
            proved.append(_trimmed(text, frame, sentences, starts))
    return sorted(proved)


def _trimmed(text: str, frame: Span, sentences: Sequence[Span], orders: Sequence[int]) -> Span:
    """The frame without sentences at its end that only answer."""
    i = bisect_left(sentences, frame.end, key=lambda s: s.start) - 1
    end = frame.end
    while i > 0 and sentences[i].start > frame.start:
        start = sentences[i].start
        words = set(_WORD.findall(text[start:end].casefold()))
        ordered = bisect_left(orders, start) < bisect_left(orders, end)
        if ordered or words & _TELLING or len(words & _SUPPORTING) > 1 or "<" in text[start:end]:
            break
        end = sentences[i - 1].end
        i -= 1
    return Span(frame.start, end)


def _roles(text: str) -> Iterator[Span]:
    """A role or template marker and what stands behind it in its paragraph."""
    markers = sorted(m.start() for p in (_ROLE, _TEMPLATE) for m in p.finditer(text))
    paragraphs = (m.start() for m in _PARAGRAPH_END.finditer(text)) if markers else ()
    yield from _stretches(text, markers, paragraphs)


def _breakouts(text: str) -> Iterator[Span]:
    """A closing tag or delimiter that nothing opened, and what stands behind it."""
    openings = list(_OPENING.finditer(text))
    opened: dict[str, int] = {}
    for match in openings:
        opened.setdefault(match.group(1).casefold(), match.start())
    markers = [m.start() for m in _DELIMITER.finditer(text)]
    for match in _CLOSING.finditer(text):
        if opened.get(match.group(1).casefold(), len(text)) > match.start():
            markers.append(match.start())
    yield from _stretches(text, sorted(markers), (m.start() for m in openings))


def _comments(text: str) -> Iterator[Span]:
    """Comments of markup and code, which a page does not show."""
    done = 0
    for match in _COMMENT.finditer(text):
        if match.start() >= done:
            end = text.find(_COMMENT_ENDS[match.group()], match.end())
            done = end + len(_COMMENT_ENDS[match.group()]) if end >= 0 else len(text)
            yield Span(match.start(), min(done, match.start() + _LONGEST_FRAME))


def _stretches(text: str, markers: Sequence[int], stops: Iterable[int]) -> Iterator[Span]:
    """From each marker to the next marker, stop or placeholder, but not far."""
    walls = (m.start() for m in _WALL.finditer(text)) if markers else ()
    ends = sorted({*markers, *stops, *walls, len(text)})
    for start in markers:
        yield Span(start, min(ends[bisect_right(ends, start)], start + _LONGEST_FRAME))


def _speaks_of_grading(stretch: str) -> bool:
    words = set(_WORD.findall(stretch.casefold()))
    telling, supporting = words & _TELLING, words & _SUPPORTING
    if telling:
        return len(telling) + len(supporting) >= 3
    return len(supporting) >= 5 and bool(words & {"signals", "candidate", "met"})


def _replies(text: str) -> Iterator[Span]:
    """Braced objects that look like the reply of a judge."""
    pairs = [m.start() for m in _VERDICT_PAIR.finditer(text)]
    for block in _braced(text):
        i = bisect_left(pairs, block.start)
        told = i < len(pairs) and pairs[i] < block.end
        if told or len(_MET_PAIR.findall(text[block.start : block.end])) > 1:
            yield block


def _braced(text: str) -> Iterator[Span]:
    """Outermost braces; one that is never closed ends at its paragraph."""
    depth = start = 0
    for match in _BRACE.finditer(text):
        if match.group() == "{":
            start = match.start() if depth == 0 else start
            depth += 1
        elif depth > 0:
            depth -= 1
            if depth == 0:
                yield Span(start, match.end())
    if depth:
        end = _PARAGRAPH_END.search(text, start)
        yield Span(start, end.start() if end else len(text))


def _verdict_tags(text: str) -> Iterator[Span]:
    """Tags that only a judge would write, up to the tag that closes them."""
    done = 0
    for match in _VERDICT_TAG.finditer(text):
        if match.start() < done:
            continue
        closing = _VERDICT_TAG_END.search(text, match.end(), match.end() + _LONGEST_TAG)
        done = closing.end() if closing else match.end()
        yield Span(match.start(), done)
