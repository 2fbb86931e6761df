"""What an LLM judge is told. Plain frozen data."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from grader.domain.model import FrozenModel
from grader.judges.release import ReleasePolicy

Seconds = Annotated[float, Field(gt=0)]


class LlmSettings(FrozenModel):
    """Settings of the judge; those of its calls are the transport's.

    Attributes:
        release: Confidence under which a verdict is doubtful.
        votes: Most opinions on a signal that stays in doubt; 1 for no votes.
        pass_mark: Points that pass; signals in doubt on which passing hangs get three votes.
        reasons: Whether to ask for a short reason where a signal is not fully met.
        groups: Parallel calls that a long rubric is split over, for a waiting learner.
        group_of: Least signals a group.
        sample: Draw of the model; another number gives fresh calls.
        order_seed: Part of the seed of the signal order.
        temperature: None leaves it to the provider.
        params: Further sampling parameters by their OpenAI names.
        output_tokens: Limit of output tokens a call; by the number of signals where None.
        deadline_s: Longest time for one answer, waits and repeated calls included.
        at_once: Answers at work at the same time; the rest wait before their deadline starts.
        lead_s: How long answers to a question wait for its first one to warm the provider's cache.
        tenant: Whose ledger rows and budget.
        run: Batch or session, for its budget.
    """

    release: ReleasePolicy = ReleasePolicy()
    votes: Annotated[int, Field(ge=1, le=15)] = 1
    pass_mark: Annotated[float, Field(ge=0, le=100)] | None = None
    reasons: bool = False
    groups: Annotated[int, Field(ge=1, le=3)] = 1
    group_of: Annotated[int, Field(ge=1)] = 2
    sample: Annotated[int, Field(ge=0)] = 0
    order_seed: str = ""
    temperature: float | None = 0.0
    params: Mapping[str, Any] = Field(default_factory=dict)
    output_tokens: Annotated[int, Field(gt=0)] | None = None
    deadline_s: Seconds = 120.0
    at_once: Annotated[int, Field(ge=1)] = 40
    lead_s: Annotated[float, Field(ge=0)] = 0.4
    tenant: str = "local"
    run: str = ""

    def most_output_tokens(self, signals: int, *, after_truncation: bool) -> int:
        """The limit of one call: four times what a lean reply takes, and again that four times."""
        most = self.output_tokens or _LEAST_OUTPUT + _OUTPUT_PER_SIGNAL * signals
        return most * _AFTER_TRUNCATION if after_truncation else most


LIVE = {"reasons": True, "groups": 3, "deadline_s": 20.0, "lead_s": 0.0}
"""Changes for a learner who waits."""

_LEAST_OUTPUT = 256
_OUTPUT_PER_SIGNAL = 160
_AFTER_TRUNCATION = 4
