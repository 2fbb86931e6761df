"""The outside world of worker processes: every effect writes a line to a file before and after.

Run as a program it is a worker: ``python -m tests.engine.world URL FOLDER MODE BEAT TTL DELAY``.
"""

import asyncio
import hashlib
import json
import os
import random
import sys
import threading
import time
from pathlib import Path

from grader.domain.answer import Transcript
from grader.domain.verdict import Outcome, Verdict
from grader.engine.heartbeat import Pulse
from grader.engine.opening import open_embedded, open_worker
from grader.engine.parts import LocalJudges, Parts
from grader.engine.queues import Pool
from grader.judges.ledger import Usage
from grader.judges.llm.transport import (
    CompletionRequest,
    Endpoint,
    Message,
    Price,
    Transport,
    TransportSettings,
    WireReply,
)
from grader.judges.port import Judgement
from grader.settings import Settings
from grader.store.blobs import LocalBlobs
from grader.store.database import Database
from grader.store.ledger import SqlLedger
from tests.engine.doubles import check_result

READY = "ready"
CALLS_A_JOB = 2
TOKENS_A_CALL = 15


class World:
    """A log that every process appends to, and the delays of what is outside."""

    def __init__(self, folder, delay_s=0.0):
        self.path = Path(folder) / "world.log"
        self.delay_s = delay_s

    def say(self, what, key):
        line = json.dumps({"t": time.time(), "pid": os.getpid(), "what": what, "key": key})
        with self.path.open("a") as file:
            file.write(line + "\n")

    def lines(self, what=None):
        if not self.path.exists():
            return []
        found = [json.loads(line) for line in self.path.read_text().splitlines()]
        return [line for line in found if what in (None, line["what"])]

    async def effect(self, what, key):
        self.say(what, key)
        await asyncio.sleep(self.delay_s * random.uniform(0.5, 1.5))


class Wire:
    """A provider that answers after a while."""

    def __init__(self, world):
        self.world = world

    def prepare(self):
        pass

    def price(self, model):
        return None

    async def send(self, endpoint, body, max_output_tokens, timeout_s):
        await self.world.effect("call", call_key(body["messages"]))
        return WireReply(text="not_met", finish="stop", usage=Usage(prompt=10, output=5))


def call_key(messages):
    return hashlib.sha256(messages[-1]["content"].encode()).hexdigest()[:16]


class CallingJudge:
    """Asks the provider several times an answer, through the real transport and ledger."""

    id = "calling-1"

    def __init__(self, transport, tenant_id, job_id):
        self.transport, self.tenant_id, self.job_id = transport, tenant_id, job_id

    async def judge(self, question, guarded, signals=None):
        for number in range(CALLS_A_JOB):
            text = f"{number} of {self.job_id}: {guarded.masked}"
            await self.transport.complete(
                CompletionRequest(
                    messages=(Message("user", text),),
                    max_output_tokens=20,
                    tenant=self.tenant_id,
                    run=self.job_id,
                )
            )
        asked = question.signals if signals is None else signals
        return Judgement(
            verdicts=tuple(
                Verdict(signal_id=s.id, outcome=Outcome.NOT_MET, judge=self.id) for s in asked
            )
        )


class CallingJudges:
    def __init__(self, database, world):
        endpoint = Endpoint(model="openai/mock", price=Price(prompt=1, output=2))
        self.transport = Transport(
            TransportSettings(endpoints=(endpoint,)), ledger=SqlLedger(database), wire=Wire(world)
        )

    def make(self, *, tenant_id, job_id):
        return CallingJudge(self.transport, tenant_id, job_id)


class Speech:
    def __init__(self, world):
        self.world = world

    async def transcribe(self, audio, question):
        await self.world.effect("transcribe", hashlib.sha256(audio).hexdigest()[:16])
        return Transcript(raw=f"spoken {audio.decode()}: paging keeps the cache in blocks")


class Code:
    def __init__(self, world):
        self.world = world

    async def check(self, question, source):
        await self.world.effect("run", hashlib.sha256(source).hexdigest()[:16])
        return check_result(question)


def parts_of(database, folder, world):
    return Parts(
        database=database,
        blobs=LocalBlobs(Path(folder) / "blobs"),
        judges=LocalJudges({"llm": CallingJudges(database, world)}),
        recogniser=Speech(world),
        code=Code(world),
    )


def settings_of(url, folder):
    return Settings(data_dir=Path(folder), bank_dirs=(), database_url=url)


def main(url, folder, mode, beat_s, ttl_s, delay_s):
    world = World(folder, float(delay_s))
    database = Database(url)
    parts = parts_of(database, folder, world)
    settings = settings_of(url, folder)
    if mode == "embedded":
        open_embedded(settings, parts=parts)
    else:
        pulse = Pulse(float(beat_s), float(ttl_s))
        open_worker(settings, tuple(Pool), parts=parts, pulse=pulse)
    print(READY, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
