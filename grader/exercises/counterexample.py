"""A failing trace as a few lines of Python that the learner can run.

Only the public names of the exercise appear: no check, no seed, no case but this one.
"""

import math
from collections.abc import Sequence
from typing import Any

from grader.exercises.arrays import Array
from grader.exercises.compare import shortened
from grader.exercises.judging import Failure
from sandbox.observation import Kind, Observation, Raised
from sandbox.ops import Call, Del, Get, New, Op, Read, Ref, Target, Write

MAX_LINES = 10
MAX_WIDTH = 160
MAX_PRINTED = 400


def counterexample(failure: Failure, module: str, source: str) -> str:
    """The lines that show a failure, with what was expected and what came.

    Args:
        failure: A trace and the violation in it.
        module: Name under which the learner's file is imported.
        source: The learner's file, whose own lines are quoted where they raised.
    """
    violation = failure.violation
    ending = [f"# expected: {shortened(violation.expected)}"]
    ending.append(f"# got:      {shortened(violation.got)}")
    seen = failure.seen.observations[violation.step]
    if seen.raised is not None:
        ending += traceback_lines(seen.raised, source)
    if violation.code:
        return "\n".join([violation.code, *ending])
    body = _story(failure)
    room = MAX_LINES - 2 - len(_imports(body, failure, module))
    lines = _fitted(body, room)
    return "\n".join([*_imports(lines, failure, module), *lines, *ending])


def traceback_lines(raised: Raised, source: str) -> list[str]:
    """The learner's own lines on the way to an error, innermost last; at most three."""
    lines = source.splitlines()
    found = []
    for frame in raised.frames[-3:]:
        text = lines[frame.line - 1].strip() if 0 < frame.line <= len(lines) else ""
        found.append(f"#   line {frame.line}, in {frame.function}: {shortened(text)}")
    return found


def load_error(raised: Raised, source: str) -> str:
    """Why a file could not be imported, by its own lines."""
    message = shortened(f"{raised.type_name}: {raised.message}")
    return "\n".join(
        ["# importing the file fails", *traceback_lines(raised, source), f"# {message}"]
    )


def printed_lines(printed: str) -> str:
    """What the program printed, cut, as comments."""
    cut = printed[:MAX_PRINTED]
    lines = ["# " + shortened(line) for line in cut.splitlines()[:5]]
    more = ["# ..."] if len(printed) > len(cut) or len(cut.splitlines()) > 5 else []
    return "\n".join(["# the program printed:", *lines, *more]) if lines else ""


def statement(op: Op) -> str:
    """An operation as a Python statement."""
    match op:
        case New():
            return f"{op.into} = {op.cls}({_arguments(op.args, op.kwargs)})"
        case Call():
            call = f"{op.name}({_arguments(op.args, op.kwargs)})"
            call = call if op.on is None else f"{_place(op.on)}.{call}"
            return f"{op.into} = {call}" if op.into else call
        case Get():
            read = f"{_place(op.on)}.{op.name}"
            return f"{op.into} = {read}" if op.into else read
        case Del():
            return f"del {op.target}"
        case Read():
            return _place(op.target)
        case Write():
            at = "..." if op.at is None else _literal(op.at)
            at = ":" if op.at is None and type(op.value) is list else at
            return f"{_place(op.target)}[{at}] = {_literal(op.value)}"


def _story(failure: Failure) -> list[str]:
    """Statements up to the violation: what matters of the way, and the last one printed."""
    last = failure.violation.step
    body: list[str] = []
    pairs = zip(failure.trace.steps, failure.seen.observations, strict=True)
    for index, (step, seen) in enumerate(pairs):
        if index == last:
            body += [*buffers(step.op), _printed(step.op, seen)]
            break
        if not step.probe:
            body += [*buffers(step.op), _survived(statement(step.op), seen)]
    return body


def _survived(text: str, seen: Observation) -> str:
    """A statement that lets the script go on where the operation raised."""
    if seen.kind is Kind.VALUE or seen.raised is None:
        return text
    return f"with suppress({_error_name(seen.raised)}): {text}"


def _error_name(raised: Raised) -> str:
    known = raised.ancestry and not raised.ancestry[0].startswith("other.")
    return raised.type_name if known and raised.type_name.isidentifier() else "Exception"


def _printed(op: Op, seen: Observation) -> str:
    text = statement(op)
    if isinstance(op, New | Del | Write) or seen.kind is Kind.RAISED:
        return text
    if isinstance(op, Call | Get) and op.into:
        return f"{text}; print({op.into})"
    return f"print({text})"


def buffers(op: Op) -> list[str]:
    """Statements that name the arrays which are kept."""
    if not isinstance(op, New | Call):
        return []
    values = [*op.args, *op.kwargs.values()]
    return [f"{v.into} = {_laid(v)}" for v in values if isinstance(v, Array) and v.into]


def _imports(body: Sequence[str], failure: Failure, module: str) -> list[str]:
    text = "\n".join(body)
    used = _ops(failure)
    names = {op.cls for op in used if isinstance(op, New)}
    names |= {op.name for op in used if isinstance(op, Call) and op.on is None}
    names |= {name for name in _own_errors(failure) if f"suppress({name})" in text}
    lines = [f"from {module} import {', '.join(sorted(names))}"]
    if "np." in text:
        lines.insert(0, "import numpy as np")
    if "suppress(" in text:
        lines.insert(0, "from contextlib import suppress")
    return lines


def _own_errors(failure: Failure) -> set[str]:
    """Names of the error classes of the learner's file that were raised."""
    raised = [seen.raised for seen in failure.seen.observations if seen.raised is not None]
    return {r.type_name for r in raised if r.ancestry[:1] == (f"submission.{r.type_name}",)}


def _ops(failure: Failure) -> list[Op]:
    """The operations that are told."""
    steps = failure.trace.steps[: failure.violation.step + 1]
    return [s.op for i, s in enumerate(steps) if not s.probe or i == failure.violation.step]


def _fitted(body: Sequence[str], room: int) -> list[str]:
    """The statements on at most so many lines; several share a line where they must."""
    if len(body) <= room:
        return list(body)
    target = max(MAX_WIDTH, sum(map(len, body)) // max(room - 2, 1) + 20)
    lines: list[str] = []
    for text in body[:-1]:
        joint = f"{lines[-1]}; {text}" if lines else ""
        if lines and _may_join(lines[-1], text) and len(joint) <= target:
            lines[-1] = joint
        else:
            lines.append(text)
    return [*lines, body[-1]] if len(lines) < room else _looped(body)


def _looped(body: Sequence[str]) -> list[str]:
    """The statements as texts that a loop runs, whatever each raises."""
    texts = [text.split(": ", 1)[1] if text.startswith("with ") else text for text in body[1:-1]]
    return [
        body[0],
        f"for line in {texts!r}:",
        "    with suppress(Exception): exec(line)",
        body[-1],
    ]


def _may_join(line: str, text: str) -> bool:
    return not line.startswith("with ") and not text.startswith("with ")


def _arguments(args: Sequence[Any], kwargs: Any) -> str:
    named = [f"{name}={_literal(value)}" for name, value in kwargs.items()]
    return ", ".join([*map(_literal, args), *named])


def _literal(value: Any) -> str:
    """An argument as Python text."""
    if isinstance(value, Array):
        return value.into or _laid(value)
    if isinstance(value, Ref):
        return _place(value)
    if isinstance(value, list | tuple | dict):
        return _collection(value)
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value)


def _collection(value: list[Any] | tuple[Any, ...] | dict[Any, Any]) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_literal(k)}: {_literal(v)}' for k, v in value.items())}}}"
    items = ", ".join(map(_literal, value))
    if isinstance(value, list):
        return f"[{items}]"
    return f"({items},)" if len(value) == 1 else f"({items})"


def _laid(array: Array) -> str:
    match array.layout:
        case "transposed":
            return f"np.asfortranarray({array.code})"
        case "reversed":
            return f"{array.code}[::-1].copy()[::-1]"
        case "strided":
            return f"np.repeat({array.code}, 2, axis=-1)[..., ::2]"
    return array.code


def _place(target: Target) -> str:
    if isinstance(target, str):
        return target
    return target.name + "".join(f"[{_literal(step)}]" for step in target.path)
