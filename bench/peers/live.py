"""What one waiting learner sees: seconds to the first verdict and to the last."""

import statistics
import time
from collections.abc import Sequence

from bench._corpus import Case
from grader.domain.answer import Answer
from grader.judges.guard import guard
from grader.judges.llm import LIVE, LlmJudge, LlmSettings
from grader.judges.llm.transport import Endpoint, Price, Transport, TransportSettings


async def wait_times(base_url: str, cases: Sequence[Case]) -> tuple[float, float]:
    """Medians over some answers, judged one after the other."""
    endpoint = Endpoint(
        model="openai/gpt-4.1", api_base=base_url, api_key="k", price=Price(prompt=1, output=2)
    )
    transport = Transport(TransportSettings(endpoints=(endpoint,)))
    transport.check()
    judge = LlmJudge(transport, b"0123456789abcdef", LlmSettings.model_validate(LIVE))
    firsts, lasts = [], []
    for case in cases:
        begun = time.perf_counter()
        waits = []
        guarded = guard(case.question, Answer.of(case.text))
        async for _ in judge.stream(case.question, guarded):
            waits.append(time.perf_counter() - begun)
        firsts.append(waits[0])
        lasts.append(waits[-1])
    return statistics.median(firsts), statistics.median(lasts)
