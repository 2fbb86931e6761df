"""This project's judge on the same work; mode ``litellm``, or ``replay`` to take its share out.

``replay`` swaps what puts requests on the network for the replies of an earlier run, so that the
processor time left is our own.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import _measure

CASES, BASE, AT_ONCE, MODE = _measure.work()
begun = _measure.start()
from grader.domain.answer import Answer  # noqa: E402
from grader.domain.question import Question  # noqa: E402
from grader.judges.ledger import Usage  # noqa: E402
from grader.judges.ledger_sqlite import SqliteLedger  # noqa: E402
from grader.judges.llm import LlmJudge, LlmSettings  # noqa: E402
from grader.judges.llm.transport import (  # noqa: E402
    Concurrency,
    Endpoint,
    Price,
    Transport,
    TransportSettings,
    WireReply,
)
from grader.judges.offline import OfflineJudge  # noqa: E402
from grader.judges.pipeline import grade_answer  # noqa: E402


class Replay:
    """A wire that answers from what an earlier run received."""

    def __init__(self, path: Path) -> None:
        self._replies = json.loads(path.read_text())

    def prepare(self) -> None:
        """Nothing to load."""

    async def send(self, _endpoint: Any, body: Any, _most: int, _timeout_s: float) -> WireReply:
        """Answers from the earlier run, a moment later."""
        await asyncio.sleep(0.02)
        return WireReply(
            text=self._replies[body["messages"][1]["content"]],
            finish="stop",
            usage=Usage(prompt=1000, output=100),
        )

    def price(self, _model: str) -> None:
        """The endpoint states its own."""


def judge(folder: Path) -> LlmJudge:
    settings = TransportSettings(
        endpoints=(Endpoint(model="openai/gpt-4.1", api_base=BASE, api_key="k",
                            price=Price(prompt=1, output=2)),),
        concurrency=Concurrency(start=8, most=AT_ONCE),
    )  # fmt: skip
    wire = Replay(folder / "replies.json") if MODE.startswith("replay") else None
    name = folder / f"{MODE}.sqlite"
    for old in folder.glob(f"{MODE}.sqlite*"):
        old.unlink()
    transport = Transport(settings, ledger=SqliteLedger(name), wire=wire)
    transport.check()
    tripwire = OfflineJudge() if MODE.endswith("tripwire") else None
    told = LlmSettings(at_once=AT_ONCE + 8)
    return LlmJudge(transport, b"0123456789abcdef", told, tripwire=tripwire)


async def main() -> None:
    made = judge(Path(sys.argv[1]).parent)
    imported = _measure.since(begun)
    questions = {c["question"]["id"]: Question.model_validate(c["question"]) for c in CASES}
    started = _measure.start()
    tasks = []
    for case in CASES:
        question, answer = questions[case["question"]["id"]], Answer.of(case["text"])
        tasks.append(asyncio.create_task(grade_answer(question, answer, made)))
        # As a batch does: the first requests leave while later answers are still being read.
        await asyncio.sleep(0)
    grades = await asyncio.gather(*tasks)
    graded = _measure.since(started)
    right = lost = 0
    for case, grade in zip(CASES, grades, strict=True):
        for signal, verdict in zip(case["signals"], grade.verdicts, strict=True):
            lost += verdict.outcome.value == "cannot_assess"
            right += verdict.outcome.value == signal["verdict"]
    if MODE == "litellm":
        await keep_replies(made)
    _measure.report(imported, graded, right, lost)


async def keep_replies(made: LlmJudge) -> None:
    replies = {
        json.loads(row.request)["messages"][1]["content"]: json.loads(row.reply)["text"]
        for row in await made.ledger.rows()
    }
    Path(sys.argv[1]).with_name("replies.json").write_text(json.dumps(replies))


asyncio.run(main())
