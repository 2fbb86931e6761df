"""Counter-examples: found, made smaller, and written as Python."""

from collections.abc import Iterator

import numpy as np
import pytest

from grader.exercises.arrays import normal
from grader.exercises.authoring import Call, Cases, Choice, Get, New, Read, Ref, TraceBuilder, Write
from grader.exercises.budget import Budget
from grader.exercises.counterexample import (
    MAX_LINES,
    counterexample,
    load_error,
    printed_lines,
    statement,
)
from grader.exercises.execution import Bench
from grader.exercises.exercise import Exercise
from grader.exercises.invariant import Violation, Work
from grader.exercises.judging import Failure
from grader.exercises.kit.trusted import TrustedPool
from grader.exercises.reduction import reduced
from grader.exercises.search import SearchBudget, SearchOver, smallest_failure
from grader.exercises.trace import Seen, Trace
from sandbox.observation import FrameLine, Kind, Observation, Raised, Reading

READING = Reading(0.0, 0.0, 0, 0, 0)


@pytest.fixture
def bench(total: Exercise, pool: TrustedPool) -> Iterator[Bench]:
    source = (total.folder / "mutants" / "last_amount_only.py").read_bytes()
    with pool.lease() as box:
        yield Bench(box, source, total.id, 256, Budget(60, ()))


def _failure(trace: Trace, *values: object, step: int = -1) -> Failure:
    seen = tuple(v if isinstance(v, Observation) else Observation(Kind.VALUE, v) for v in values)
    last = len(trace) - 1 if step < 0 else step
    return Failure(
        trace, Seen(seen, READING), Violation(last, "5", "7"), Cases(lambda c: trace), [trace]
    )


def _error(name: str, *ancestry: str) -> Observation:
    return Observation(Kind.RAISED, raised=Raised(name, ancestry, "no", (FrameLine(2, "add"),)))


@pytest.mark.parametrize(
    ("op", "text"),
    [
        (New("m", "Total", (1, "a"), {"size": 2}), "m = Total(1, 'a', size=2)"),
        (Call("add", (1,), on="m"), "m.add(1)"),
        (Call("add", ([1, (2,)],), on="m", into="r"), "r = m.add([1, (2,)])"),
        (Call("solve", ({"a": None},)), "solve({'a': None})"),
        (Call("f", (Ref("r", (0, "k")), float("inf"))), "f(r[0]['k'], float(\"inf\"))"),
        (Get("length", "m"), "m.length"),
        (Write("r", 0, at=3), "r[3] = 0"),
        (Write("r", [1]), "r[:] = [1]"),
        (Read("r"), "r"),
    ],
)
def test_operations_read_as_python(op, text: str):
    assert statement(op) == text


def test_an_array_is_shown_by_what_makes_it():
    array = normal((2, 3), 7).laid("transposed")
    text = statement(Call("f", (array,)))
    made = eval(text.removeprefix("f(").removesuffix(")"), {"np": np})
    assert np.array_equal(made, array.values)
    assert made.flags.f_contiguous


def test_the_story_leaves_probes_out_and_survives_errors():
    trace = TraceBuilder()
    trace.add(New("m", "Total"))
    trace.probe(Call("value", on="m"))
    trace.add(Call("add", (-1,), on="m"))
    trace.add(Call("add", (9,), on="m"))
    trace.probe(Call("value", on="m"))
    full = _error("Full", "submission.Full", "builtins.Exception")
    text = counterexample(_failure(trace.build(), None, 0, full, 9, 7), "total", "")
    assert text.splitlines() == [
        "from contextlib import suppress",
        "from total import Full, Total",
        "m = Total()",
        "with suppress(Full): m.add(-1)",
        "m.add(9)",
        "print(m.value())",
        "# expected: 5",
        "# got:      7",
    ]


def test_a_long_story_still_fits_ten_lines():
    trace = TraceBuilder()
    trace.add(New("m", "Total"))
    for amount in range(60):
        trace.add(Call("add", (amount,), on="m"))
    text = counterexample(_failure(trace.build(), *range(61)), "total", "")
    assert len(text.splitlines()) <= MAX_LINES
    compile(text, "story", "exec")


def test_a_long_story_with_many_errors_is_told_by_a_loop_that_runs():
    trace = TraceBuilder()
    trace.add(New("m", "list"))
    for amount in range(30):
        trace.add(Call("append", (amount,), on="m"))
        trace.add(Call("remove", (-1,), on="m"))
    trace.probe(Call("count", (3,), on="m"))
    error = _error("ValueError", "builtins.ValueError")
    text = counterexample(_failure(trace.build(), None, *[None, error] * 30, 7), "builtins", "")
    assert len(text.splitlines()) <= MAX_LINES
    names: dict[str, object] = {}
    exec(text, names)
    assert names["m"] == list(range(30))


def test_an_error_quotes_the_learners_own_line_only():
    trace = TraceBuilder()
    trace.add(Call("add", (1,)))
    failure = _failure(trace.build(), _error("TypeError", "builtins.TypeError"))
    text = counterexample(failure, "total", "def add(x):\n    return x + None\n")
    assert "#   line 2, in add: return x + None" in text.splitlines()


def test_a_line_that_is_not_in_the_file_is_not_quoted():
    raised = Raised("E", ("other.E",), "m", (FrameLine(99, "f"), FrameLine(0, "g")))
    assert "line 99, in f: " in load_error(raised, "x = 1\n")


def test_output_is_cut():
    assert printed_lines("") == ""
    assert len(printed_lines("x" * 10_000)) < 600
    assert printed_lines("a\nb\n" * 500).splitlines()[-1] == "# ..."


def test_the_search_finds_a_small_trace(total: Exercise, bench: Bench):
    first = total.suite.invariants[0]
    found = smallest_failure(bench, first.check, first.cases[0], 1, SearchBudget(30, 2000))
    assert found is not None
    added = [s.op.args[0] for s in found.trace.steps if isinstance(s.op, Call) and s.op.args]
    assert added == [1, 0]


def test_equal_seeds_find_equal_traces(total: Exercise, bench: Bench):
    first = total.suite.invariants[0]
    found = [
        smallest_failure(bench, first.check, first.cases[0], 5, SearchBudget(30, 40))
        for _ in range(2)
    ]
    assert found[0] is not None
    assert found[1] is not None
    assert repr(found[0].trace) == repr(found[1].trace)


def test_a_search_of_something_right_finds_nothing(total: Exercise, pool: TrustedPool):
    first = total.suite.invariants[0]
    with pool.lease() as box:
        right = Bench(box, total.reference, total.id, 256, Budget(60, ()))
        found = smallest_failure(right, first.check, first.cases[0], 1, SearchBudget(30, 60))
    assert found is None


def test_a_spent_budget_stays_spent():
    now = iter([0.0, 1.0, 9.0, 2.0])
    budget = SearchBudget(5, 10, lambda: next(now))
    budget.take()
    for _ in range(2):
        with pytest.raises(SearchOver):
            budget.take()


def test_no_exception_handler_can_swallow_the_end_of_a_search():
    assert not issubclass(SearchOver, Exception)


def test_parts_of_a_budget_draw_on_the_whole():
    whole = SearchBudget(100, 3)
    part = whole.part(100, 2)
    part.take()
    part.take()
    assert part.over
    assert not whole.over
    whole.part(100, 5).take()
    assert whole.over


def _amounts(choice: Choice) -> Trace:
    trace = TraceBuilder()
    trace.add(New("t", "Total"))
    for amount in (0, 3, 0, 0, 4, 0):
        trace.add(Call("add", (amount,), on="t"))
        trace.probe(Call("value", on="t"))
    return trace.build()


def test_reduction_leaves_only_what_the_failure_needs(total: Exercise, bench: Bench):
    check = total.suite.invariants[0].check
    family = Cases(_amounts, removable=True)
    failing = smallest_failure(bench, check, family, 1, SearchBudget(30, 20))
    assert failing is not None
    small = reduced(bench, check, failing, SearchBudget(30, 500))
    kept = [s.op.args[0] for s in small.trace.steps if isinstance(s.op, Call) and s.op.args]
    assert kept == [3, 0]
    assert check(small.trace, small.seen, Work()) == small.violation
