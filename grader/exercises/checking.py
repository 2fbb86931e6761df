"""The doors to grading code: one submission, or a folder of them."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from grader.errors import FaultError, InputError
from grader.exercises.exercise import Exercise, load_exercise
from grader.exercises.lease import Pool
from grader.exercises.result import CheckResult, Reveal
from grader.exercises.submission import SubmissionError, read_submission, submission_of
from grader.exercises.suite import SuiteRun
from sandbox.errors import SandboxUnavailable
from sandbox.limits import MIB, Limits

if TYPE_CHECKING:
    from sandbox.pool import BackendName


class SandboxFaultError(FaultError):
    """No sandbox can be had, so nothing is graded."""


def open_sandbox(
    exercise: Exercise, backend: "BackendName | None" = None
) -> AbstractContextManager[Pool]:
    """A pool large enough for an exercise.

    Raises:
        SandboxFaultError: No backend that proves its limits.
    """
    from sandbox.pool import open_pool

    try:
        return open_pool(backend, limits=Limits(memory_bytes=_memory_mib(exercise) * MIB))
    except SandboxUnavailable as error:
        raise SandboxFaultError(error.message, remedy=error.remedy) from error


def _memory_mib(exercise: Exercise) -> int:
    own = [i.memory_mib or 0 for i in exercise.suite.invariants]
    return max(exercise.suite.memory_mib, *own)


def check_submission(
    exercise_dir: Path,
    source_bytes: bytes,
    *,
    secret: bytes,
    backend: "BackendName | None" = None,
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
        SandboxFaultError: No sandbox can be had.
    """
    exercise = load_exercise(exercise_dir)
    submission = submission_of(source_bytes)
    if pool is not None:
        return SuiteRun(exercise, submission, pool, secret).result(reveal)
    with open_sandbox(exercise, backend) as own:
        return SuiteRun(exercise, submission, own, secret).result(reveal)


def check_many(
    exercise_dir: Path,
    files: Mapping[str, Path],
    out: Path,
    *,
    secret: bytes,
    backend: "BackendName | None" = None,
    reveal: Reveal = Reveal.COUNTEREXAMPLES,
    pool: Pool | None = None,
) -> Iterator[tuple[str, CheckResult | None]]:
    """Grades many files, one line of JSON each, and can be taken up again.

    A line of the results holds ``file`` and either ``result`` or ``error``. Files whose very
    content already has a line are skipped; a torn last line is overwritten.

    Args:
        exercise_dir: Folder of the exercise.
        files: The submissions, by the name that their line gives as ``file``.
        out: JSON Lines file, appended to.
        secret: The grader's secret, at least 16 bytes.
        backend: ``docker`` or ``bwrap``; None takes the first that answers.
        reveal: How much of the hidden checks is shown.
        pool: An open pool to use instead of one of its own.

    Yields:
        Each name, with its result; None where the file could not be used or was done before.

    Raises:
        InputError: The exercise cannot be used.
        SandboxFaultError: No sandbox can be had.
    """
    exercise = load_exercise(exercise_dir)
    done = _done(out)
    with nullcontext(pool) if pool is not None else open_sandbox(exercise, backend) as open_pool:
        batch = _Batch(exercise, open_pool, secret, reveal)
        with out.open("a", encoding="utf-8") as lines:
            for name, path in files.items():
                yield name, batch.check(name, path, done, lines)


def files_below(folder: Path) -> dict[str, Path]:
    """The files below a folder by their path in it; names starting with a dot are left out.

    Raises:
        InputError: There is no such folder.
    """
    if not folder.is_dir():
        raise InputError(f"no folder {str(folder)!r}", remedy="give a folder of submissions")
    found = sorted(p for p in folder.rglob("*") if not p.is_dir() or p.is_symlink())
    names = {p.relative_to(folder).as_posix(): p for p in found}
    return {n: p for n, p in names.items() if not any(s.startswith(".") for s in n.split("/"))}


@dataclass(frozen=True)
class _Batch:
    """One exercise over many files."""

    exercise: Exercise
    pool: Pool
    secret: bytes
    reveal: Reveal

    def check(
        self, name: str, path: Path, done: Mapping[str, str], lines: TextIO
    ) -> CheckResult | None:
        """Grades one file and writes its line; None where it has none of its own now."""
        line: dict[str, object] = {"file": name, "exercise": self.exercise.id}
        result = None
        try:
            submission = read_submission(path)
            if done.get(name) == _mark(submission.digest, self.exercise.version):
                return None
            suite = SuiteRun(self.exercise, submission, self.pool, self.secret)
            result = suite.result(self.reveal)
            line["submission"], line["version"] = submission.digest, self.exercise.version
            line["result"] = result.model_dump(mode="json")
        except SubmissionError as error:
            line["error"] = str(error)
        lines.write(json.dumps(line) + "\n")
        lines.flush()
        os.fsync(lines.fileno())
        return result


def _mark(digest: str, version: str) -> str:
    """What makes a line still valid."""
    return f"{digest} {version}"


def _done(out: Path) -> dict[str, str]:
    """Files that have a whole line with a result already; cuts a torn last line off."""
    if not out.exists():
        return {}
    content = out.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if whole != content:
        out.write_bytes(whole)
    entries = [json.loads(line) for line in whole.splitlines() if line.strip()]
    return {e["file"]: _mark(e["submission"], e["version"]) for e in entries if "result" in e}
