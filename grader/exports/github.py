"""What GitHub shows: the summary of a step, and the results that Classroom reads.

The summary is GitHub-flavoured Markdown for the file that ``GITHUB_STEP_SUMMARY`` names, at most
1 MiB a step ("Workflow commands for GitHub Actions", section "Adding a job summary",
https://docs.github.com/actions/using-workflows/workflow-commands-for-github-actions). The results
are what the autograding reporter decodes from the output of a step
(https://github.com/github-education-resources/autograding-grading-reporter): it adds
the scores of the tests up, and posts nothing for a runner whose most is 0.
"""

import base64
import json
import re
from html import escape
from typing import Any

from grader.exports.report import MOST_POINTS, Part, Report, Standing

MOST_SUMMARY_BYTES = 1 << 20
_LEFT_OUT = "\n_More was left out: a summary holds at most 1 MiB._\n"
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!|~$@:-])")
_MARK = {
    Standing.PASSED: "✅ passed",
    Standing.PARTIAL: "🟡 partial",
    Standing.FAILED: "❌ failed",
    Standing.NOT_GRADED: "⚪ not graded",
}
_STATUS = {
    Standing.PASSED: "pass",
    Standing.PARTIAL: "fail",
    Standing.FAILED: "fail",
    Standing.NOT_GRADED: "error",
}


def step_summary(report: Report) -> str:
    """The report as Markdown; what a submission said stays text, and the size is bounded."""
    blocks = [f"### {inline(report.title)}\n\n**{inline(report.headline)}**\n"]
    if report.parts:
        blocks.append(_table(report.parts))
    blocks += [_detail(part) for part in report.parts if "\n" in part.text]
    return _bounded(blocks)


def inline(text: str) -> str:
    """A text as Markdown that renders as that text, on one line."""
    flat = " ".join(text.split())
    return _MARKDOWN.sub(r"\\\1", escape(flat, quote=False))


def fenced(text: str) -> str:
    """A text as a block of code that it cannot end itself."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}\n"


def classroom_results(report: Report) -> dict[str, Any]:
    """The results of one runner; without any score where the submission is not graded."""
    return {
        "version": 1,
        "status": _overall(report),
        "max_score": MOST_POINTS if report.graded else 0,
        "tests": _tests(report),
    }


def classroom_output(report: Report) -> str:
    """The results as the one line that a step hands on: JSON, in base64."""
    return base64.b64encode(json.dumps(classroom_results(report)).encode()).decode()


def _table(parts: tuple[Part, ...]) -> str:
    rows = [f"| {inline(p.name)} | {_MARK[p.standing]} | {_points(p)} |\n" for p in parts]
    return "".join(["\n| | | points |\n|---|---|---:|\n", *rows])


def _points(part: Part) -> str:
    if part.most is None:
        return ""
    earned = "–" if part.points is None else f"{part.points:g}"
    return f"{earned} / {part.most:g}"


def _detail(part: Part) -> str:
    # A blank line would end the element's first line, and Markdown would begin inside it.
    name = escape(" ".join(part.name.split()))
    return f"\n<details><summary>{name}</summary>\n\n{fenced(part.text)}\n</details>\n"


def _bounded(blocks: list[str]) -> str:
    """As many blocks as fit, whole ones, so that no fence and no element is left open."""
    left = MOST_SUMMARY_BYTES - len(_LEFT_OUT.encode())
    kept: list[str] = []
    for block in blocks:
        left -= len(block.encode())
        if left < 0:
            return "".join([*kept, _LEFT_OUT])
        kept.append(block)
    return "".join(kept)


def _overall(report: Report) -> str:
    if not report.graded:
        return "error"
    return "pass" if report.score == MOST_POINTS else "fail"


def _tests(report: Report) -> list[dict[str, Any]]:
    """One test for each part whose points add up to the score, else one for the whole."""
    earned = [part.points for part in report.parts]
    adds_up = None not in earned and sum(p for p in earned if p is not None) == report.score
    if report.graded and not (report.parts and adds_up):
        whole = {"name": report.title, "status": _overall(report), "message": report.headline}
        return [{**whole, "score": report.score}]
    if not report.parts:
        return [{"name": report.title, "status": "error", "message": report.headline}]
    return [_test(part, scored=report.graded) for part in report.parts]


def _test(part: Part, *, scored: bool) -> dict[str, Any]:
    test = {
        "name": part.name,
        "status": _STATUS[part.standing],
        "message": part.text or None,
        "execution_time": f"{part.seconds:.3f}s",
    }
    return {**test, "score": part.points} if scored else test
