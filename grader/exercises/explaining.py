"""Counter-examples for invariants that did not pass; the verdicts stand already."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from grader.exercises.counterexample import counterexample, printed_lines
from grader.exercises.execution import Bench, Usage
from grader.exercises.invariant import Cases, Invariant, Mode
from grader.exercises.judging import Failure, Finding, reproduces
from grader.exercises.reduction import reduced
from grader.exercises.search import SearchBudget, smallest_failure
from grader.exercises.seeds import SuiteSeed
from grader.exercises.stopping import STOPPED, stopping_point
from sandbox.errors import RunEnded, SandboxError
from sandbox.outcome import Outcome

SEARCH_SECONDS = 2.5
SEARCH_CALLS = 1500
ONE_SEARCH_SECONDS = 0.4
ONE_SEARCH_CALLS = 600


@dataclass(frozen=True)
class Judged:
    """An invariant with how it came out and what that took."""

    invariant: Invariant
    finding: Finding
    usage: Usage

    @property
    def passed(self) -> bool:
        """Whether the invariant holds."""
        return self.finding.outcome is Outcome.PASSED


class Explainer:
    """Finds the counter-examples that a learner is shown.

    Args:
        bench_for: Gives a bench for runs that explain an invariant.
        seed: Root of the cases.
        module: Name under which the submission is imported.
        source: The submission's text.
    """

    def __init__(
        self, bench_for: Callable[[Invariant], Bench], seed: SuiteSeed, module: str, source: str
    ) -> None:
        self._bench_for = bench_for
        self._seed = seed
        self._module = module
        self._source = source
        self._budget = SearchBudget(SEARCH_SECONDS, SEARCH_CALLS)
        self._waiting = 1

    def texts(self, judged: Sequence[Judged]) -> dict[str, str]:
        """The lines for each invariant that did not pass, by its id."""
        failed = [item for item in judged if not item.passed]
        texts = {}
        for number, item in enumerate(failed):
            self._waiting = len(failed) - number
            texts[item.invariant.id] = self._text(item)
        return texts

    def _part(self) -> SearchBudget:
        """A fair part: each failure still waiting may be searched for and then reduced."""
        fair = self._budget.seconds_left / (2 * self._waiting)
        return self._budget.part(min(fair, ONE_SEARCH_SECONDS), ONE_SEARCH_CALLS)

    def _text(self, judged: Judged) -> str:
        finding = judged.finding
        if finding.failure is not None:
            failure = self._smaller(judged.invariant, finding.failure) or finding.failure
        elif finding.detail.startswith("#"):  # it did not get as far as an operation
            return finding.detail
        elif (stopped := self._stopping(judged)) is not None:
            failure = stopped
        else:
            return _told(judged)
        text = counterexample(failure, self._module, self._source)
        notes = [f"# {finding.detail}"] if finding.failure and finding.detail else []
        printed = printed_lines(judged.usage.printed)
        return "\n".join(part for part in (text, *notes, printed) if part)

    def _smaller(self, invariant: Invariant, failure: Failure) -> Failure | None:
        """A simpler failure of the same invariant that shows again in a fresh process."""
        if failure.violation.code:
            return None
        try:
            bench = self._bench_for(invariant)
            found = self._searched(bench, invariant, failure.family) or failure
            if found.family.removable:
                found = reduced(bench, invariant.check, found, self._part())
            again = reproduces(bench, invariant.check, [found.trace], Mode.BATCH)
        except (SandboxError, RunEnded):
            return None
        return found if again else None

    def _stopping(self, judged: Judged) -> Failure | None:
        """Where a submission stops answering, if it does so again and a search is allowed."""
        family = next(iter(_searchable(judged.invariant)), None)
        if judged.finding.outcome not in STOPPED or family is None or self._budget.over:
            return None
        try:
            bench = self._bench_for(judged.invariant)
            label = judged.invariant.id
            return stopping_point(bench, family, self._seed, label, self._budget)
        except SandboxError:
            return None

    def _searched(self, bench: Bench, invariant: Invariant, failing: Cases) -> Failure | None:
        family = _family_to_search(invariant, failing)
        if family is None or self._budget.over:
            return None
        seed = self._seed.child("search", invariant.id)
        return smallest_failure(bench, invariant.check, family, seed, self._part())


def _family_to_search(invariant: Invariant, failing: Cases) -> Cases | None:
    """The family to search: the one that failed if it may be, else the first that may."""
    allowed = _searchable(invariant)
    return failing if failing in allowed else next(iter(allowed), None)


def _searchable(invariant: Invariant) -> list[Cases]:
    return [f for f in invariant.cases if f.searchable and f.mode is Mode.BATCH]


def _told(judged: Judged) -> str:
    """How an invariant ended, with what its cases do where their author tells it."""
    ending = f"{judged.finding.outcome}: {judged.finding.detail}"
    stories = [family for family in judged.invariant.cases if family.story]
    if judged.finding.outcome not in STOPPED or not stories:
        return f"# {ending}"
    family = stories[0]
    limit = f" within {family.cpu_s:g} s of CPU time" if family.cpu_s else ""
    return f"{family.story}\n# expected: done{limit}\n# got:      {ending}"
