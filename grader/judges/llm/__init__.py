"""The LLM judge and the transport it speaks through.

::

    transport = Transport(TransportSettings(endpoints=(Endpoint(model="openai/gpt-4.1-mini"),)))
    judge = LlmJudge(transport, Settings.from_environment().secret_bytes())
    grade = await grade_answer(question, answer, judge)
"""

from grader.judges.llm.judge import LATER, OUTAGE, LlmJudge
from grader.judges.llm.settings import LIVE, LlmSettings

__all__ = ["LATER", "LIVE", "OUTAGE", "LlmJudge", "LlmSettings"]
