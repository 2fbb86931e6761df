"""Reports of every kind, results to make them from, and the schemas of what is written."""

import json
from functools import cache
from pathlib import Path

import jsonschema
from hypothesis import strategies as st

from grader.domain.verdict import Outcome as SignalOutcome
from grader.exercises.result import CheckResult, CodeVerdict, InvariantResult, Receipt
from grader.exports.report import Part, Report, Standing, report_not_graded
from sandbox.outcome import Outcome

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"

# What breaks formats: markup, quotes, fences, controls, surrogates, formulas, borders of cells.
NASTY = st.one_of(
    st.text(max_size=30),
    st.text(alphabet="<>&\"'`|\\=+-@;,\r\n\t\x00\x1b\x85\ud800\ufffe[]()*_#!~$:", max_size=30),
    st.sampled_from(
        ["]]>", "</details>", "```\n# x", "=HYPERLINK(1)", "&#60;", "\x1b[31m", "a\rb"]
    ),
)


def validated(document, name):
    """The document, once it fits the published shape and survives being written."""
    read_back = json.loads(json.dumps(document))
    validator(name).validate(read_back)
    return read_back


@cache
def validator(name):
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def part(name, standing, most, text="", seconds=0.1):
    points = {Standing.PASSED: most, Standing.NOT_GRADED: None}.get(standing, 0)
    return Part(name=name, standing=standing, points=points, most=most, text=text, seconds=seconds)


GRADED = Report(
    title="Block manager",
    low=70,
    high=70,
    parts=(
        part("BM1", Standing.PASSED, 70),
        part("BM2", Standing.FAILED, 30, "a case fails\nassert m.free() == 3"),
    ),
    seconds=1.5,
    facts={"exercise": "block_manager", "submission": "sha256:ab"},
)
OPEN = Report(
    title="Block manager",
    low=70,
    high=100,
    why="the sandbox failed",
    parts=(part("BM1", Standing.PASSED, 70), part("BM2", Standing.NOT_GRADED, 30)),
)
NOTHING = report_not_graded("Block manager", "the service could not be reached")


@st.composite
def _parts(draw):
    return Part(
        name=draw(NASTY),
        standing=draw(st.sampled_from(Standing)),
        points=draw(st.none() | st.integers(0, 100)),
        most=draw(st.none() | st.integers(0, 100)),
        text=draw(NASTY),
        seconds=draw(st.floats(0, 1e4)),
    )


@st.composite
def any_report(draw):
    """Graded, provisional and not graded, with texts that break formats."""
    low, high = sorted((draw(st.integers(0, 1000)), draw(st.integers(0, 1000))))
    bounds = draw(st.sampled_from([(low / 10, low / 10), (low / 10, high / 10), (None, None)]))
    return Report(
        title=draw(NASTY),
        low=bounds[0],
        high=bounds[1],
        why=draw(NASTY),
        parts=tuple(draw(st.lists(_parts(), max_size=4))),
        seconds=draw(st.floats(0, 1e4)),
        facts=draw(st.dictionaries(st.sampled_from(["exercise", "submission"]), NASTY)),
    )


def result_of(outcomes, *, counterexample="assert False"):
    """The result of a run of two invariants that weigh 70 and 30."""
    items = tuple(
        InvariantResult(
            id=f"BM{n}",
            weight=weight,
            passed=outcome is Outcome.PASSED,
            outcome=outcome,
            counterexample=counterexample if outcome is Outcome.FAILED else None,
            cpu_s=0.2,
        )
        for n, (weight, outcome) in enumerate(zip((70, 30), outcomes, strict=True), start=1)
    )
    return CheckResult(
        exercise="block_manager",
        verdict=CodeVerdict.PARTIAL,
        score=sum(i.weight for i in items if i.verdict.outcome is SignalOutcome.MET),
        invariants=items,
        backend="bwrap",
        proved=("no network",),
        receipt=Receipt(
            submission="sha256:ab",
            exercise="block_manager",
            exercise_version="sha256:cd",
            backend="bwrap",
            image_digest="bwrap",
            limits={},
            seed_commitment="sha256:ef",
            outcomes={i.id: i.outcome.value for i in items},
            grader_version="0",
        ),
    )
