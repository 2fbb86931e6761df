"""Follow-up questions written by a language model; whoever asks one checks it for leaks."""

from grader.domain.question import Question, Signal
from grader.judges.llm.prompts import probe_prompt
from grader.judges.llm.transport import CompletionRequest, LlmFault, Message, Transport

_MOST_OUTPUT = 400
_MOST_CHARACTERS = 300


class LlmProbeWriter:
    """Writes probes; nothing where the model cannot be had.

    Args:
        transport: Makes the calls.
        tenant: Whose ledger rows and budget.
        run: Batch or session, for its budget.
        deadline_s: Longest wait, for somebody who is being interviewed.
    """

    def __init__(
        self, transport: Transport, *, tenant: str = "local", run: str = "", deadline_s: float = 10
    ) -> None:
        self._transport = transport
        self._tenant = tenant
        self._run = run
        self._deadline_s = deadline_s

    async def write(self, question: Question, signal: Signal, draw: int) -> str:
        """One question in one line; empty where the model has none or runs on."""
        system, user = probe_prompt(question, signal)
        request = CompletionRequest(
            messages=(Message("system", system), Message("user", user)),
            max_output_tokens=_MOST_OUTPUT,
            sample=draw,
            tenant=self._tenant,
            run=self._run,
            deadline_s=self._deadline_s,
        )
        try:
            reply = await self._transport.complete(request)
        except LlmFault:
            return ""
        text = " ".join(reply.text.split()).strip("\"'")
        return text if len(text) <= _MOST_CHARACTERS and text.endswith("?") else ""
