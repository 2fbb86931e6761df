"""A page of graded answers for a person: one file, no script, no request to any host."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from grader.domain.answer import Answer
from grader.domain.grade import Grade
from grader.domain.question import Question, SignalKind
from grader.domain.verdict import Outcome, Verdict

_MARKS = {
    Outcome.MET: ("✓", "met"),
    Outcome.PARTIAL: ("◐", "partly met"),
    Outcome.NOT_MET: ("✗", "not met"),
    Outcome.CANNOT_ASSESS: ("?", "for review"),
}
_STYLE = """
:root { color-scheme: light dark; --ink: #1d2330; --paper: #fdfdfb; --soft: #5b6475;
  --line: #d9dde5; --met: #14662f; --part: #7a5200; --not: #a1260d; --open: #0b5a7a;
  --mark: #e3f3e6 }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaf0; --paper: #14171d; --soft: #a2aabb;
  --line: #343b48; --met: #7fd598; --part: #e6bd62; --not: #ff9a85; --open: #7cc7ea;
  --mark: #1d3a27 } }
body { font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 52rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem } h2 { font-size: 1.2rem; margin-top: 2.5rem } h3 { font-size: 1rem }
.prompt, .judge { color: var(--soft) } .score { font-size: 1.15rem; font-weight: 600 }
article { border: 1px solid var(--line); border-radius: .6rem; padding: .2rem 1.2rem 1rem;
  margin: 1rem 0 }
.answer { white-space: pre-wrap; border-left: 3px solid var(--line); padding-left: 1rem }
mark { background: var(--mark); color: inherit } mark sup { font-weight: 600 }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; vertical-align: top;
  padding: .25rem .5rem; border-bottom: 1px solid var(--line) }
.met { color: var(--met) } .partial { color: var(--part) } .not_met { color: var(--not) }
.cannot_assess { color: var(--open) } .num { text-align: right; white-space: nowrap }
"""


@dataclass(frozen=True)
class GradedAnswer:
    """One answer with its question and grade, under a name a person knows it by."""

    name: str
    question: Question
    answer: Answer
    grade: Grade


def html_report(title: str, graded: Sequence[GradedAnswer], extra: str = "") -> str:
    """The page as text.

    Args:
        title: Heading of the page.
        graded: Answers in the order to show; those to one question stand together.
        extra: Further sections, already HTML.
    """
    sections = "".join(_section(group) for group in _by_question(graded))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>"
        f"<body><main><h1>{escape(title)}</h1>{_overview(graded)}{sections}{extra}</main></body></html>\n"
    )


def points_in_words(grade: Grade) -> str:
    """The score as it is told to a person."""
    if grade.provisional:
        return f"at least {grade.low:g}, up to {grade.high:g}"
    return f"{grade.score:g}"


def _by_question(graded: Iterable[GradedAnswer]) -> list[list[GradedAnswer]]:
    groups: dict[str, list[GradedAnswer]] = {}
    for item in graded:
        groups.setdefault(item.question.id, []).append(item)
    return list(groups.values())


def _overview(graded: Sequence[GradedAnswer]) -> str:
    rows = "".join(
        f"<tr><td>{escape(g.question.title or g.question.id)}</td><td>{escape(g.name)}</td>"
        f'<td class="num">{points_in_words(g.grade)}</td></tr>'
        for g in graded
    )
    head = '<tr><th>Question</th><th>Answer</th><th class="num">Points of 100</th></tr>'
    return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>" if graded else ""


def _section(group: Sequence[GradedAnswer]) -> str:
    question = group[0].question
    articles = "".join(_article(item) for item in group)
    return (
        f"<section><h2>{escape(question.title or question.id)}</h2>"
        f'<p class="prompt">{escape(question.prompt)}</p>{articles}</section>'
    )


def _article(item: GradedAnswer) -> str:
    grade = item.grade
    flags = f"<p>Noticed: {escape(', '.join(grade.flags))}</p>" if grade.flags else ""
    judges = ", ".join(sorted({v.judge for v in grade.verdicts if v.judge})) or "guard"
    return (
        f"<article><h3>{escape(item.name)}</h3>"
        f'<p class="score">{points_in_words(grade)} of 100</p>{flags}'
        f'<p class="answer">{marked_answer(item.answer.text, grade)}</p>'
        f"{_verdict_table(item.question, grade)}"
        f'<p class="judge">Judged by {escape(judges)}; '
        f"rubric {escape(grade.rubric_version[:19])}</p>"
        f"</article>"
    )


def _verdict_table(question: Question, grade: Grade) -> str:
    rows = "".join(_verdict_row(question, n, v) for n, v in enumerate(grade.verdicts, start=1))
    head = '<tr><th>No.</th><th>Verdict</th><th>Signal</th><th class="num">Weight</th></tr>'
    return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"


def _verdict_row(question: Question, number: int, verdict: Verdict) -> str:
    signal = question.signal(verdict.signal_id)
    positive = signal.kind is SignalKind.POSITIVE
    mark, words = _MARKS[verdict.outcome]
    if not positive and verdict.outcome in (Outcome.MET, Outcome.NOT_MET):
        mark, words = ("!", "held") if verdict.outcome is Outcome.MET else ("·", "not held")
    tone = verdict.outcome.value if positive else _misconception_tone(verdict.outcome)
    return (
        f'<tr><td>{number}</td><td class="{tone}">{mark} {words}</td>'
        f"<td>{escape(signal.statement)}</td>"
        f'<td class="num">{"+" if positive else "−"}{signal.weight}</td></tr>'
    )


def _misconception_tone(outcome: Outcome) -> str:
    return {Outcome.MET: "not_met", Outcome.NOT_MET: "judge"}.get(outcome, outcome.value)


def marked_answer(text: str, grade: Grade) -> str:
    """The answer as HTML with every evidence span marked and numbered by its signal."""
    edges: dict[int, None] = {0: None, len(text): None}
    spans = [
        (e.start, e.end, n)
        for n, v in enumerate(grade.verdicts, start=1)
        for e in v.evidence
        if e.start < e.end
    ]
    for start, end, _ in spans:
        edges[start] = edges[end] = None
    cuts = sorted(edges)
    pieces = []
    for start, end in itertools.pairwise(cuts):
        numbers = [n for s, e, n in spans if s <= start and end <= e]
        piece = escape(text[start:end])
        ending = sorted({n for s, e, n in spans if e == end and s <= start})
        sup = f"<sup>{','.join(map(str, ending))}</sup>" if ending else ""
        pieces.append(f"<mark>{piece}{sup}</mark>" if numbers else piece)
    return "".join(pieces)
