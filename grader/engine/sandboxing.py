"""Code submissions: the exercise's suite in a sandbox, stopped with the job."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from grader.domain.question import Question
from grader.engine.errors import JobFaultError
from grader.engine.parts import SANDBOX_UNAVAILABLE
from grader.exercises.execution import Box
from grader.exercises.exercise import Exercise, load_exercise
from grader.exercises.result import CheckResult, Reveal
from grader.exercises.submission import submission_of
from grader.exercises.suite import Pool, SuiteRun
from grader.settings import Settings
from sandbox.errors import InfraError, SandboxUnavailable

_CODING = "coding"


class StoppablePool:
    """A pool of which everything lent out can be thrown away at once.

    Args:
        pool: Where boxes come from.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._lock = threading.Lock()
        self._lent: list[Box] = []
        self._stopped = False

    @property
    def backend(self) -> str:
        """Name of the backend."""
        return self._pool.backend

    @property
    def proofs(self) -> Sequence[object]:
        """What its self-check proved."""
        return self._pool.proofs

    @property
    def image_digest(self) -> str:
        """What the submissions run in."""
        return self._pool.image_digest

    @contextmanager
    def lease(self) -> Iterator[Box]:
        """A fresh box; none after the stop.

        Raises:
            InfraError: The job was stopped.
        """
        with self._pool.lease() as box:
            with self._lock:
                if self._stopped:
                    raise InfraError("the job was cancelled")
                self._lent.append(box)
            try:
                yield box
            finally:
                with self._lock:
                    self._lent.remove(box)

    def stop(self) -> None:
        """Kills every container that is lent out, and lends no more."""
        with self._lock:
            self._stopped = True
            for box in self._lent:
                close: Callable[[], None] | None = getattr(box, "close", None)
                if close is not None:
                    close()


class SandboxRunner:
    """Runs suites in one pool of sandboxes, opened when the first is needed.

    Args:
        bank_dirs: Where exercises are looked for.
        secret: The grader's secret.
        open_pool: Opens the pool.
    """

    def __init__(
        self,
        bank_dirs: Sequence[Path],
        secret: Callable[[], bytes],
        open_pool: Callable[[], Pool],
    ) -> None:
        self._bank_dirs = tuple(bank_dirs)
        self._secret = secret
        self._open_pool = open_pool
        self._lock = threading.Lock()
        self._pool: Pool | None = None
        self._exercises: dict[str, Exercise] = {}

    @classmethod
    def of(cls, settings: Settings) -> "SandboxRunner":
        """The runner of a deployment."""

        def opened() -> Pool:
            from sandbox.pool import open_pool

            return open_pool()

        return cls(settings.bank_dirs, settings.secret_bytes, opened)

    async def check(self, question: Question, source: bytes) -> CheckResult:
        """Runs the whole suite; cancelling it kills the container.

        Raises:
            JobFaultError: No sandbox can be had, or there is no such exercise.
        """
        pool = StoppablePool(await asyncio.to_thread(self._opened))
        work = asyncio.ensure_future(asyncio.to_thread(self._run, question, source, pool))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            await asyncio.to_thread(pool.stop)
            await asyncio.wait([work])
            raise

    def _run(self, question: Question, source: bytes, pool: StoppablePool) -> CheckResult:
        exercise = self._exercise(question.exercise)
        submission = submission_of(source)
        run = SuiteRun(exercise, submission, pool, self._secret())
        return run.result(Reveal.COUNTEREXAMPLES)

    def _opened(self) -> Pool:
        with self._lock:
            if self._pool is None:
                try:
                    self._pool = self._open_pool()
                except SandboxUnavailable as error:
                    raise JobFaultError(SANDBOX_UNAVAILABLE, str(error)) from error
            return self._pool

    def _exercise(self, name: str) -> Exercise:
        with self._lock:
            if name not in self._exercises:
                self._exercises[name] = load_exercise(self._folder(name))
            return self._exercises[name]

    def _folder(self, name: str) -> Path:
        for folder in self._bank_dirs:
            for path in folder.glob(f"**/{_CODING}/{name}"):
                return path
        raise JobFaultError("exercise_unknown", f"no exercise {name!r} in the bank")
