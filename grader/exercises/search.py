"""Search for a small failing trace with Hypothesis, under a budget of seconds and calls.

Only explains a verdict that is already made; it cannot change one.
"""

import random
import time
import warnings
from collections.abc import Callable
from contextlib import suppress

from grader.exercises.choice import strategy_of
from grader.exercises.execution import Bench, seen_in_batch
from grader.exercises.invariant import Cases, Check, Work
from grader.exercises.judging import Failure, judged
from grader.exercises.trace import Trace
from sandbox.errors import RunEnded

MAX_EXAMPLES = 400


class SearchOver(BaseException):
    """The budget is spent; no `except Exception` may swallow it and search on."""


class SearchBudget:
    """What searches may cost.

    Args:
        seconds: Wall seconds.
        calls: Traces run.
        clock: Monotonic wall clock in seconds.
        whole: The budget that this is a part of.
    """

    def __init__(
        self,
        seconds: float,
        calls: int,
        clock: Callable[[], float] = time.monotonic,
        whole: "SearchBudget | None" = None,
    ) -> None:
        self._calls = calls
        self._clock = clock
        self._deadline = clock() + seconds
        self._whole = whole
        self._latched = False

    def part(self, seconds: float, calls: int) -> "SearchBudget":
        """A smaller budget within this one."""
        return SearchBudget(seconds, calls, self._clock, self)

    @property
    def seconds_left(self) -> float:
        """Wall seconds until it ends."""
        return max(self._deadline - self._clock(), 0.0)

    @property
    def over(self) -> bool:
        """Whether nothing is left, now or at any earlier look."""
        spent = self._calls <= 0 or self._clock() > self._deadline
        self._latched = self._latched or spent or (self._whole is not None and self._whole.over)
        return self._latched

    def take(self) -> None:
        """Books one trace.

        Raises:
            SearchOver: Nothing is left, now or at any earlier call.
        """
        if self.over:
            raise SearchOver
        self._calls -= 1
        if self._whole is not None:
            self._whole.take()


def smallest_failure(
    bench: Bench, check: Check, family: Cases, seed: int, budget: SearchBudget
) -> Failure | None:
    """The simplest failing trace found within the budget; None where none was found.

    Raises:
        InfraError: Our side failed.
    """
    from hypothesis import HealthCheck, Phase, find, settings
    from hypothesis.errors import HypothesisException, HypothesisWarning

    if budget.over:
        return None
    quiet = settings(
        database=None,
        deadline=None,
        derandomize=False,
        max_examples=MAX_EXAMPLES,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    found: list[Failure] = []
    with (
        suppress(RunEnded, SearchOver, HypothesisException),
        warnings.catch_warnings(),
        bench.run(bench.budget.spare_cpu_s) as run,
    ):
        warnings.simplefilter("ignore", HypothesisWarning)

        def fails(trace: Trace) -> bool:
            budget.take()
            (seen,) = seen_in_batch(run, [trace])
            violation = judged(check, trace, seen, Work())
            if violation is not None:
                found.append(Failure(trace, seen, violation, family, [trace]))
            return violation is not None

        find(strategy_of(family.generate), fails, settings=quiet, random=random.Random(seed))
    return min(reversed(found), key=_size, default=None)  # of equals the most shrunk


def _size(failure: Failure) -> tuple[int, int]:
    told = failure.trace.steps[: failure.violation.step + 1]
    return sum(not step.probe for step in told), len(failure.trace)
