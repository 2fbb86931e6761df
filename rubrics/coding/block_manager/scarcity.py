"""BM5 and BM6: what happens when blocks run out, and who foresees it."""

from typing import Any

from grader.exercises.authoring import (
    Call,
    Kind,
    Mismatch,
    Observation,
    Seen,
    Step,
    Trace,
    Violation,
    Work,
    described,
    error_mismatch,
)

from .replay import Replay
from .replayed import replayed


class Exhaustion:
    """OutOfBlocks exactly when there are too few blocks, and then nothing has changed."""

    def __init__(self) -> None:
        self._state: dict[str, Any] = {}
        self._expected: dict[str, Any] | None = None

    def __call__(self, replay: Replay, step: Step, got: Observation, work: Work) -> Mismatch | None:
        """Judges one step, the books standing as before it."""
        op = step.op
        if not isinstance(op, Call):
            return None
        if step.probe:
            return self._unchanged(op, got)
        self._expected = None
        if op.name not in ("allocate", "append_slot"):
            return None
        if op.name == "append_slot" and op.args[0] not in replay.sequences:
            return None
        return self._served(replay, op, got, work)

    def _served(self, replay: Replay, op: Call, got: Observation, work: Work) -> Mismatch | None:
        if replay.needed(op) <= replay.free_blocks():
            return None if got.kind is Kind.VALUE else _must_succeed(got)
        if wrong := error_mismatch(got, "OutOfBlocks"):
            return wrong
        self._expected = dict(self._state)
        work[_refused_kind(replay, op)] += 1
        return None

    def _unchanged(self, op: Call, got: Observation) -> Mismatch | None:
        key, value = repr((op.name, op.args)), described(got)
        self._state[key] = value
        if self._expected is None or self._expected.get(key, value) == value:
            return None
        return Mismatch(f"{self._expected[key]}, as before the refused call", value)


def _must_succeed(got: Observation) -> Mismatch:
    return Mismatch("no error: enough blocks are free", described(got))


def _refused_kind(replay: Replay, op: Call) -> str:
    if op.name == "allocate":
        return "refused allocate"
    shared = len(replay.sequences[op.args[0]].tokens) % replay.block_size
    return "refused copy" if shared else "refused append"


def exhaustion(trace: Trace, seen: Seen, work: Work) -> Violation | None:
    """Each trace has its own memory of the state before a refusal."""
    return replayed(before=Exhaustion())(trace, seen, work)


class Questions:
    """can_allocate and can_append foretell what the call after them does."""

    def __init__(self) -> None:
        self._answer: bool | None = None

    def __call__(self, replay: Replay, step: Step, got: Observation, work: Work) -> Mismatch | None:
        """Judges one step, the books standing as before it."""
        op = step.op
        if not isinstance(op, Call) or step.probe:
            return None
        if op.name in ("can_allocate", "can_append"):
            return self._asked(got)
        answer, self._answer = self._answer, None
        if answer is None or op.name not in ("allocate", "append_slot"):
            return None
        if op.name == "append_slot" and op.args[0] not in replay.sequences:
            return None
        return self._happened(replay, op, answer, got, work)

    def _asked(self, got: Observation) -> Mismatch | None:
        if got.kind is Kind.RAISED:
            return None  # of a sequence that this submission does not have
        if got.kind is not Kind.VALUE or type(got.value) is not bool:
            return Mismatch("True or False", described(got))
        self._answer = got.value
        return None

    def _happened(
        self, replay: Replay, op: Call, answer: bool, got: Observation, work: Work
    ) -> Mismatch | None:
        done = got.kind is Kind.VALUE
        if done != answer:
            return Mismatch(
                f"what can_{op.name.removesuffix('_slot')} said: {answer}", described(got)
            )
        if op.name == "append_slot" and replay.needed(op) == 0:
            if not done:
                return Mismatch("success: room is left in a block of its own", described(got))
            work["in place, pool empty"] += replay.free_blocks() == 0
        work[f"{op.name} {'done' if done else 'refused'}"] += 1
        return None


def questions(trace: Trace, seen: Seen, work: Work) -> Violation | None:
    """Each trace has its own question in the air."""
    return replayed(before=Questions())(trace, seen, work)
