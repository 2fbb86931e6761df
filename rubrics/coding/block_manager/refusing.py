"""BM7: illegal calls, and lists that belong to the caller."""

from typing import Any

from grader.exercises.authoring import (
    Call,
    Mismatch,
    New,
    Observation,
    Read,
    Seen,
    Step,
    Trace,
    Violation,
    Work,
    described,
    error_mismatch,
    value_mismatch,
)

from .replay import Replay, is_table
from .replayed import count_progress
from .sharing import right_table


def refusals(trace: Trace, seen: Seen, work: Work) -> Violation | None:
    """Illegal calls raise what they must and change nothing; legal ones after them are right."""
    replay, state, expected = Replay.of(trace.facts), {}, None
    for index, step, got in seen.pairs(trace):
        if step.note == "illegal":
            wrong = error_mismatch(got, *_demanded(step.op, replay))
            expected = dict(state)
            work["illegal"] += 1
        elif step.probe:
            wrong = replay.follow(step, got) or _as_before(step, got, state, expected)
        else:
            expected = None
            wrong = _legal(replay, step, got) or replay.follow(step, got)
            count_progress(step, got, work)
        if wrong:
            return wrong.at(index)
    return None


def _demanded(op: Any, replay: Replay) -> tuple[str, ...]:
    """The errors that the contract allows for an illegal call."""
    if isinstance(op, New) or op.name in ("allocate", "can_allocate", "ref_count"):
        return ("ValueError",)
    if op.name != "fork":
        return ("KeyError",)
    parent, child = op.args[0], op.args[1]
    if parent in replay.sequences:
        return ("ValueError",)
    return ("KeyError", "ValueError") if child in replay.sequences else ("KeyError",)


def _as_before(
    step: Step, got: Observation, state: dict[str, str], expected: dict[str, str] | None
) -> Mismatch | None:
    assert isinstance(step.op, Call)
    key, value = repr((step.op.name, step.op.args)), described(got)
    state[key] = value
    if expected is None or expected.get(key, value) == value:
        return None
    return Mismatch(f"{expected[key]}, as before the illegal call", value)


def _legal(replay: Replay, step: Step, got: Observation) -> Mismatch | None:
    op = step.op
    if not isinstance(op, Call) or op.name != "allocate":
        return None
    blocks = replay.blocks_for(op.args[1])
    fresh = is_table(got.value) and {*got.value} <= set(range(replay.num_blocks)) - replay.used()
    if not fresh or len(set(got.value)) != len(got.value) or len(got.value) != blocks:
        return Mismatch(f"{blocks} free blocks", described(got))
    return None


def borrowed(trace: Trace, seen: Seen, work: Work) -> Violation | None:
    """Returned lists are the caller's: writing into them changes nothing, nor do they change."""
    replay, held = Replay.of(trace.facts), None
    for index, step, got in seen.pairs(trace):
        wrong = _legal(replay, step, got)
        match step.op:
            case Call(name="block_table", into="held"):
                held = got.value
            case Read(target="held"):
                wrong = value_mismatch(got, held)
            case Call(name="block_table", args=(seq,)):
                wrong = wrong or right_table(replay, seq, got)
        wrong = wrong or replay.follow(step, got)
        if wrong:
            return wrong.at(index)
        count_progress(step, got, work)
    return None


def refusals_or_borrowed(trace: Trace, seen: Seen, work: Work) -> Violation | None:
    """Dispatches on the scenario."""
    judge = borrowed if trace.facts.get("borrowed") else refusals
    return judge(trace, seen, work)
