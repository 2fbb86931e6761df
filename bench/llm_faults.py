"""What faults of a provider cost: verdicts lost, requests added, scores moved, money spent.

A scripted model on loopback spoils replies, refuses, goes down and comes back, while the LLM judge
works through the same answers as the bench of peers. Ends with 1 where a target is missed.
"""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from bench._corpus import Case, cases
from bench.mock_llm import Fault, MockProcess, MockServer, Rule, Script
from bench.mock_llm.judging import GOLD_VARIABLE, by_gold, squeezed
from grader.domain.answer import Answer
from grader.domain.grade import Grade
from grader.domain.verdict import Outcome
from grader.judges.ledger_sqlite import SqliteLedger
from grader.judges.llm import LlmJudge, LlmSettings
from grader.judges.llm.transport import (
    Budget,
    Cap,
    Concurrency,
    Endpoint,
    Price,
    Transport,
    TransportSettings,
)
from grader.judges.offline import OfflineJudge
from grader.judges.pipeline import grade_answer

ROOT = Path(__file__).resolve().parents[1]
EVERY = 10
WHOLE = (Fault.TRUNCATED, Fault.EMPTY, Fault.REFUSAL)
SINGLE = (Fault.WRONG_ENUM, Fault.MISSING_ITEM, Fault.MISSING_FIELD, Fault.BAD_QUOTE)
HARMLESS = (Fault.FENCED, Fault.PROSE, Fault.EXTRA_ITEM)
AT_ONCE = 32
KILLS = 20
KILL_ANSWERS = 120


@dataclass
class Outcomes:
    """What a run over all answers brought."""

    grades: list[Grade]
    requests: int
    asked: list[int]

    @property
    def lost(self) -> int:
        """Signals without a verdict."""
        return sum(v.outcome is Outcome.CANNOT_ASSESS for g in self.grades for v in g.verdicts)

    @property
    def signals(self) -> int:
        """All of them."""
        return sum(len(g.verdicts) for g in self.grades)


class Targets:
    """The targets met and missed so far."""

    def __init__(self) -> None:
        self.missed: list[str] = []

    def check(self, name: str, holds: bool) -> str:
        """Notes a target; returns how it stands."""
        if not holds:
            self.missed.append(name)
        return "holds" if holds else "MISSED"


def main() -> int:
    """Runs all parts, or those named on the command line."""
    found = cases()
    targets = Targets()
    folder = Path(tempfile.mkdtemp(prefix="llm-faults-"))
    gold = folder / "gold.json"
    gold.write_text(json.dumps({c.key: c.labels for c in found}))
    os.environ[GOLD_VARIABLE] = str(gold)
    parts = {
        "malformed": lambda: asyncio.run(malformed(found, targets)),
        "limits": lambda: asyncio.run(limits(found, targets)),
        "outage": lambda: asyncio.run(outage(found, targets)),
        "budget": lambda: asyncio.run(budget(found, targets)),
        "kills": lambda: kills(found[:KILL_ANSWERS], targets, folder),
    }
    for name in sys.argv[1:] or parts:
        print(f"\n--- {name}", flush=True)
        parts[name]()
    print(f"\n{'missed: ' + ', '.join(targets.missed) if targets.missed else 'all targets hold'}")
    return int(bool(targets.missed))


async def malformed(found: Sequence[Case], targets: Targets) -> None:
    """Each kind of bad reply, one request in ten."""
    honest = await graded(found, Script())
    print(f"{'fault':<16}{'requests':>9}{'more':>7}{'lost':>7}{'share':>8}{'higher':>8}"
          f"{'lower':>7}  asked again")  # fmt: skip
    for fault in (*WHOLE, *SINGLE, *HARMLESS):
        struck = tuple(range(EVERY, 4 * len(found), EVERY))
        run = await graded(found, Script(rules=(Rule(fault, numbers=struck),)))
        more = run.requests / honest.requests - 1
        pairs = list(zip(run.grades, honest.grades, strict=True))
        higher = sum(a.score > b.score for a, b in pairs)
        lower = sum(a.score < b.score for a, b in pairs)
        share = run.lost / run.signals
        again = Counter(run.asked)
        affected = fault not in SINGLE or set(again) <= {1}
        print(f"{fault.value:<16}{run.requests:>9}{more:>7.1%}{run.lost:>7}{share:>8.2%}"
              f"{higher:>8}{lower:>7}  {dict(sorted(again.items()))}", flush=True)  # fmt: skip
        for name, holds in (
            ("lost <= 1 %", share <= 0.01),
            ("requests <= +12 %", more <= 0.12),
            ("no score higher", higher == 0),
            ("only the affected asked again", affected),
        ):
            targets.check(f"{fault.value}: {name}", holds)


async def limits(found: Sequence[Case], targets: Targets) -> None:
    """A server that takes 8 requests at once, a client that is told 32."""
    script = Script(concurrency=AT_ONCE // 4, retry_after=1.0, first_token_ms=60, token_ms=1)
    begun = time.perf_counter()
    run = await graded(found, script)
    extra = run.requests - len(found)
    took = time.perf_counter() - begun
    print(f"{run.lost} verdicts lost, {extra} extra requests of {len(found)}, {took:.1f} s")
    targets.check("429: nothing lost", run.lost == 0)
    targets.check("429: at most 20 extra requests", extra <= 20)


async def outage(found: Sequence[Case], targets: Targets) -> None:
    """Everything answers 500; then it does not."""
    some = found[:64]
    async with MockServer(Script(rules=(Rule(Fault.SERVER_ERROR),)), by_gold) as server:
        judge = made(server.base_url, fallback=True)
        begun = time.perf_counter()
        opened = asyncio.create_task(until_down(judge, begun))
        grades = await all_grades(some, judge)
        took = time.perf_counter() - begun
        seconds = await opened
        server.load(Script())
        later = await all_grades(some, made(server.base_url))
    labelled = all(
        v.judge.startswith("offline") and "llm_outage" in v.reasons
        for g in grades for v in g.verdicts if not v.judge.startswith("guard")
    )  # fmt: skip
    by_llm = all(v.judge.startswith("llm") for g in later for v in g.verdicts)
    print(f"circuit open after {seconds:.1f} s; {len(some)} answers by the offline judge in "
          f"{took:.1f} s, labelled: {labelled}; by the LLM when it is back: {by_llm}")  # fmt: skip
    targets.check("outage: circuit opens within 3 s", seconds <= 3)
    targets.check("outage: offline verdicts are labelled", labelled)
    targets.check("outage: LLM grades can be had later", by_llm)


async def until_down(judge: LlmJudge, begun: float) -> float:
    """Seconds until the transport takes the endpoint for down."""
    while not judge.is_down:
        await asyncio.sleep(0.01)
    return time.perf_counter() - begun


async def budget(found: Sequence[Case], targets: Targets) -> None:
    """One dollar, a cent a call, 64 at once."""
    ledger = SqliteLedger()
    async with MockServer(Script(cost_usd=0.01, first_token_ms=20), by_gold) as server:
        first = made(server.base_url, ledger=ledger, usd="1", at_once=64)
        grades = await all_grades(found, first)
        spent = (await ledger.spend("run:local/bench")).spent.usd
        reasons = Counter(
            v.reasons[0] for g in grades for v in g.verdicts
            if v.outcome is Outcome.CANNOT_ASSESS
        )  # fmt: skip
        before = len(server.log)
        second = made(server.base_url, ledger=ledger, usd="10", at_once=64)
        later = await all_grades(found, second)
        after = len(server.log)
    open_ = sum(v.outcome is Outcome.CANNOT_ASSESS for g in later for v in g.verdicts)
    print(f"spent ${spent:.2f} in {before} calls, open: {dict(reasons)}; with more money "
          f"{after - before} further calls, open {open_}")  # fmt: skip
    targets.check("budget: at most $1.00", spent <= Decimal("1.00"))
    targets.check("budget: the rest says so", set(reasons) == {"budget"})
    targets.check("budget: resumable", open_ == 0 and after == len(found))


def kills(found: Sequence[Case], targets: Targets, folder: Path) -> None:
    """A batch killed at 20 random moments, and gone on with each time."""
    command = batch_files(found, folder)
    rng = random.Random(11)
    repeated = killed = 0
    with MockProcess(verdict="bench.mock_llm.judging:by_gold") as server:
        server.load(Script(first_token_ms=30, token_ms=0.2))
        arguments = [*command, "--api-base", server.base_url]
        for turn in range(KILLS + 1):
            kept = recorded(folder / "data" / "ledger.sqlite")
            seen = len(server.log())
            process = subprocess.Popen(arguments, cwd=ROOT, env=batch_environment(folder),
                                       stderr=subprocess.DEVNULL)  # fmt: skip
            if turn < KILLS:
                await_requests(server, seen + rng.randint(1, 9), process)
                time.sleep(rng.uniform(0, 0.05))
                killed += process.poll() is None
                process.send_signal(signal.SIGKILL)
            process.wait()
            sent = Counter(user_message(r["body"]) for r in server.log()[seen:])
            repeated += sum(n for message, n in sent.items() if message in kept)
        requests = len(server.log())
    rows = [json.loads(line) for line in (folder / "p.jsonl").read_text().splitlines()]
    counts = Counter((r["question_id"], r["answer_id"], r["signal_id"]) for r in rows)
    expected = sum(len(c.labels) for c in found)
    doubled = sum(n - 1 for n in counts.values())
    open_ = sum(r["verdict"] == "cannot_assess" for r in rows)
    print(f"killed {killed} times; {requests} requests for {len(found)} answers, {repeated} of "
          f"them recorded before; {expected - len(counts)} rows lost, {doubled} doubled, "
          f"{open_} open")  # fmt: skip
    targets.check("kills: no recorded call is repeated", repeated == 0)
    targets.check("kills: nothing lost", len(counts) == expected and open_ == 0)
    targets.check("kills: nothing doubled", doubled == 0)
    targets.check("kills: it was killed 20 times", killed == KILLS)


def batch_files(found: Sequence[Case], folder: Path) -> list[str]:
    """Bank and answers of a batch; returns its command."""
    import yaml

    bank = folder / "bank"
    bank.mkdir()
    for case in {c.question.id: c for c in found}.values():
        fields = case.question.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        (bank / f"{case.question.id}.yaml").write_text(yaml.safe_dump(fields))
    rows = [{"question_id": c.question.id, "answer_id": c.answer_id, "text": c.text}
            for c in found]  # fmt: skip
    (folder / "answers.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return [
        sys.executable, "-m", "grader.cli", "grade-batch", "--rubrics", str(bank),
        "--answers", str(folder / "answers.jsonl"), "--out", str(folder / "p.jsonl"),
        "--resume", "--judge", "llm", "--model", "openai/scripted", "--max-concurrency", "8",
        "--price-in", "1", "--price-out", "2",
    ]  # fmt: skip


def batch_environment(folder: Path) -> dict[str, str]:
    """Its data stays in the folder."""
    return {**os.environ, "GRADER_DATA": str(folder / "data")}


def await_requests(server: MockProcess, count: int, process: subprocess.Popen[Any]) -> None:
    """Returns when so many requests have come, or the process has ended."""
    while process.poll() is None and len(server.log()) < count:
        time.sleep(0.005)


def recorded(path: Path) -> set[str]:
    """The user messages of the calls that the ledger holds a reply to."""
    if not path.exists():
        return set()
    ledger = SqliteLedger(path)
    rows = asyncio.run(ledger.rows())
    ledger.close()
    return {user_message(json.loads(r.request)) for r in rows if r.state.value == "done"}


def user_message(body: dict[str, Any]) -> str:
    """What tells one call from another."""
    return squeezed(body["messages"][1]["content"])


async def graded(found: Sequence[Case], script: Script) -> Outcomes:
    """All answers under one script, in this process."""
    async with MockServer(script, by_gold) as server:
        grades = await all_grades(found, made(server.base_url))
        return Outcomes(grades, len(server.log), asked_again([r.body for r in server.log]))


def asked_again(bodies: Sequence[Mapping[str, Any]]) -> list[int]:
    """How many signals each call after an answer's first asks about."""
    seen: set[str] = set()
    asked = []
    for body in bodies:
        fence, _, order = body["messages"][1]["content"].rpartition("\n")
        if fence in seen:
            asked.append(len(order.rpartition(": ")[2].split(", ")))
        seen.add(fence)
    return asked


async def all_grades(found: Sequence[Case], judge: LlmJudge) -> list[Grade]:
    """The grades, in order."""
    return await asyncio.gather(
        *(grade_answer(c.question, Answer.of(c.text), judge) for c in found)
    )


def made(
    base_url: str,
    *,
    ledger: SqliteLedger | None = None,
    usd: str | None = None,
    at_once: int = AT_ONCE,
    fallback: bool = False,
) -> LlmJudge:
    """A judge with the default settings."""
    settings = TransportSettings(
        endpoints=(Endpoint(model="openai/scripted", api_base=base_url, api_key="k",
                            price=Price(prompt=1, output=2)),),
        budget=Budget(run=Cap(usd=Decimal(usd) if usd else None)),
        concurrency=Concurrency(start=min(8, at_once), most=at_once),
    )  # fmt: skip
    transport = Transport(settings, ledger=ledger, rng=random.Random(3))
    told = LlmSettings(at_once=at_once + 8, run="bench")
    return LlmJudge(
        transport, b"0123456789abcdef", told, fallback=OfflineJudge() if fallback else None
    )


if __name__ == "__main__":
    sys.exit(main())
