"""The doors to grading code: one submission, or a folder of them."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from grader.errors import FaultError, InputError
from grader.exercises.exercise import Exercise, load_exercise
from grader.exercises.result import CheckResult, Reveal
from grader.exercises.submission import SubmissionError, read_submission, submission_of
from grader.exercises.suite import Pool, SuiteRun
from sandbox.errors import SandboxUnavailable
from sandbox.limits import MIB, Limits


class SandboxFault(FaultError):
    """No sandbox can be had, so nothing is graded."""


def open_sandbox(exercise: Exercise, backend: str | None = None) -> AbstractContextManager[Pool]:
    """A pool large enough for an exercise.

    Raises:
        SandboxFault: No backend that proves its limits.
    """
    from sandbox.pool import open_pool

    try:
        return open_pool(backend, limits=Limits(memory_bytes=_memory_mib(exercise) * MIB))
    except SandboxUnavailable as error:
        raise SandboxFault(error.message, remedy=error.remedy) from error


def _memory_mib(exercise: Exercise) -> int:
    own = [i.memory_mib or 0 for i in exercise.suite.invariants]
    return max(exercise.suite.memory_mib, *own)


def check_submission(
    exercise_dir: Path,
    source_bytes: bytes,
    *,
    secret: bytes,
    backend: str | None = None,
    reveal: Reveal = Reveal.COUNTEREXAMPLES,
    pool: Pool | None = None,
) -> CheckResult:
    """Grades one submission.

    Args:
        exercise_dir: Folder of the exercise.
        source_bytes: The submitted file's content.
        secret: The grader's secret, at least 16 bytes.
        backend: ``docker`` or ``bwrap``; None takes the first that answers.
        reveal: How much of the hidden checks is shown.
        pool: An open pool to use instead of one of its own.

    Raises:
        InputError: The submission or the exercise cannot be used.
        SandboxFault: No sandbox can be had.
    """
    exercise = load_exercise(exercise_dir)
    submission = submission_of(source_bytes)
    if pool is not None:
        return SuiteRun(exercise, submission, pool, secret).result(reveal)
    with open_sandbox(exercise, backend) as own:
        return SuiteRun(exercise, submission, own, secret).result(reveal)


def check_many(
    exercise_dir: Path,
    folder: Path,
    out: Path,
    *,
    secret: bytes,
    backend: str | None = None,
    reveal: Reveal = Reveal.COUNTEREXAMPLES,
    pool: Pool | None = None,
) -> Iterator[tuple[Path, CheckResult | None]]:
    """Grades every file of a folder, one line of JSON each, and can be taken up again.

    A line holds ``file`` and either ``result`` or ``error``. Files that already have a line with
    the same content digest are skipped; a torn last line is overwritten.

    Args:
        folder: The submissions; names starting with a dot are left out.
        out: JSON Lines file, appended to.

    Yields:
        Each file, with its result; None where the file could not be used or was done before.

    Raises:
        InputError: The folder or the exercise cannot be used.
        SandboxFault: No sandbox can be had.
    """
    if not folder.is_dir():
        raise InputError(f"no folder {str(folder)!r}", remedy="give a folder of submissions")
    exercise = load_exercise(exercise_dir)
    files = sorted(p for p in folder.iterdir() if not p.name.startswith("."))
    done = _done(out)
    if pool is not None:
        yield from _check_each(exercise, files, out, done, pool, secret, reveal)
        return
    with open_sandbox(exercise, backend) as own:
        yield from _check_each(exercise, files, out, done, own, secret, reveal)


def _check_each(
    exercise: Exercise,
    files: list[Path],
    out: Path,
    done: Mapping[str, str],
    pool: Pool,
    secret: bytes,
    reveal: Reveal,
) -> Iterator[tuple[Path, CheckResult | None]]:
    with out.open("a", encoding="utf-8") as lines:
        for path in files:
            line: dict[str, object] = {"file": path.name}
            result = None
            try:
                submission = read_submission(path)
                line["submission"] = submission.digest
                if done.get(path.name) == _mark(submission.digest, exercise):
                    yield path, None
                    continue
                result = SuiteRun(exercise, submission, pool, secret).result(reveal)
                line |= {"version": exercise.version, "result": result.model_dump(mode="json")}
            except SubmissionError as error:
                line["error"] = str(error)
            lines.write(json.dumps(line) + "\n")
            lines.flush()
            os.fsync(lines.fileno())
            yield path, result


def _mark(digest: str, exercise: Exercise) -> str:
    return f"{digest} {exercise.version}"


def _done(out: Path) -> dict[str, str]:
    """Files that have a whole line with a result already; cuts a torn last line off."""
    if not out.exists():
        return {}
    content = out.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if whole != content:
        out.write_bytes(whole)
    entries = [json.loads(line) for line in whole.splitlines() if line.strip()]
    return {e["file"]: f"{e['submission']} {e['version']}" for e in entries if "result" in e}
