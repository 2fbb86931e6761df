"""The server: reads a request, decides by script, answers after the modelled latency."""

import asyncio
import dataclasses
import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping
from typing import Any, Self

from bench.mock_llm.cache import PrefixCache
from bench.mock_llm.connection import Connection, dumps, head_of
from bench.mock_llm.reply import Content, VerdictFunction, content_of, from_schema, message_of
from bench.mock_llm.script import Fault, LogRow, Rule, Script, Seen, message_text

_DRIP_BYTES = 8
_DRIP_S = 0.02
_ERRORS: dict[Fault, tuple[int, str, str]] = {
    Fault.RATE_LIMITED: (429, "rate_limit_exceeded", "Rate limit reached."),
    Fault.WRONG_MODEL: (404, "model_not_found", "The model does not exist."),
    Fault.UNAUTHORISED: (401, "invalid_api_key", "Incorrect API key provided."),
    Fault.ERROR_200: (200, "server_error", "The backend is overloaded."),
}


class MockServer:
    """Serves one script; a context manager.

    Args:
        script: What to do.
        verdict: Maps a request to the JSON that an honest model would answer.
        port: 0 picks a free one.
    """

    def __init__(
        self, script: Script | None = None, verdict: VerdictFunction = from_schema, port: int = 0
    ) -> None:
        self._verdict = verdict
        self._port = port
        self._server: asyncio.Server | None = None
        self._at_work: dict[Connection, tuple[LogRow, list[asyncio.TimerHandle]]] = {}
        self.load(script or Script())

    def load(self, script: Script) -> None:
        """Takes a new script and forgets log, cache and counters."""
        self.script = script
        self.log: list[LogRow] = []
        self.peak = 0
        self._tries: Counter[str] = Counter()
        self._cache = PrefixCache(script.cached_from, script.characters)

    @property
    def base_url(self) -> str:
        """Base address for clients, with ``/v1``."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def in_flight(self) -> int:
        """Requests at work now."""
        return len(self._at_work)

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: Connection(self), "127.0.0.1", self._port, backlog=512
        )
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        for connection in list(self._at_work):
            connection.abort()
        if self._server is not None:
            self._server.close()

    def stats(self) -> dict[str, Any]:
        """Counts over the log."""
        keys = ("prompt_tokens", "cached_tokens", "output_tokens")
        return {
            "requests": len(self.log),
            "peak": self.peak,
            "faults": dict(Counter(row.fault for row in self.log)),
            **{key: sum(getattr(row, key) for row in self.log) for key in keys},
        }

    def handle(self, connection: Connection, method: str, path: str, body: bytes) -> None:
        """Answers one request."""
        if method == "POST" and path.endswith("/chat/completions"):
            self._complete(connection, json.loads(body))
        elif path == "/__log":
            connection.send(200, dumps([dataclasses.asdict(row) for row in self.log]))
        elif path == "/__stats":
            connection.send(200, dumps(self.stats()))
        elif path == "/__script" and method == "POST":
            self.load(Script.from_json(body))
            connection.send(200, b"{}")
        else:
            connection.send(404, error_body("not_found", f"no route {method} {path}"))

    def left(self, connection: Connection) -> None:
        """A client went away; whatever was still to be sent is dropped."""
        row_and_timers = self._at_work.pop(connection, None)
        if row_and_timers is not None:
            row, timers = row_and_timers
            row.left_early = True
            for timer in timers:
                timer.cancel()

    def _complete(self, connection: Connection, body: Mapping[str, Any]) -> None:
        seen = self._seen(body)
        rule = self.script.rule_for(seen)
        limit = self.script.concurrency
        if limit is not None and self.in_flight >= limit:
            rule = Rule(Fault.RATE_LIMITED, retry_after=self.script.retry_after)
        elif self.script.models and seen.model not in self.script.models:
            rule = Rule(Fault.WRONG_MODEL)
        row = self._row(seen, rule)
        self._at_work[connection] = (row, [])
        self.peak = max(self.peak, self.in_flight)
        if not self._fail(connection, rule, row):
            self._answer(connection, seen, rule, row)

    def _seen(self, body: Mapping[str, Any]) -> Seen:
        digest = hashlib.sha256(dumps(body)).hexdigest()
        self._tries[digest] += 1
        mode, schema = _mode(body)
        return Seen(
            number=len(self.log) + 1,
            attempt=self._tries[digest],
            mode=mode,
            model=str(body.get("model", "")),
            body=body,
            schema=schema,
            digest=digest,
        )

    def _row(self, seen: Seen, rule: Rule) -> LogRow:
        row = LogRow(
            number=seen.number,
            attempt=seen.attempt,
            arrived=asyncio.get_running_loop().time(),
            mode=seen.mode,
            model=seen.model,
            fault=rule.fault.value,
            in_flight=self.in_flight + 1,
            body=seen.body if self.script.keep_bodies else {},
        )
        self.log.append(row)
        return row

    def _fail(self, connection: Connection, rule: Rule, row: LogRow) -> bool:
        """Answers a fault that has no completion; False where there is one to send."""
        if rule.fault is Fault.HANG:
            return True
        if rule.fault is Fault.RESET:
            connection.abort()
            return True
        status, code, message = _ERRORS.get(rule.fault, (0, "", ""))
        if rule.fault in {Fault.SERVER_ERROR, Fault.MODE_REFUSED}:
            status, code, message = rule.status, "server_error", "The server had an error."
        if rule.fault is Fault.MODE_REFUSED:
            message = f"response_format or tools not supported here ({row.mode})"
        if rule.fault is Fault.NOT_JSON:
            self._finish(connection, row, 200, b"<html>busy</html>")
            return True
        if not status:
            return False
        headers = {}
        if status == 429 and rule.retry_after is not None:
            headers["Retry-After"] = f"{rule.retry_after:g}"
        self._finish(connection, row, status, error_body(code, rule.message or message), headers)
        return True

    def _answer(self, connection: Connection, seen: Seen, rule: Rule, row: LogRow) -> None:
        content = content_of(seen, self._verdict, rule.fault, self.script)
        prompt = prompt_text(seen)
        marks = self._cache.marks(prompt)
        row.prompt_tokens = self._tokens(prompt)
        row.cached_tokens = self._cache.cached_tokens(marks)
        row.output_tokens = self._tokens(content.text or content.refusal)
        body = dumps(self._completion(content, row))
        first = self.script.first_token_ms / 1000
        last = first + row.output_tokens * self.script.token_ms / 1000
        self._later(connection, first, self._cache.learn, marks)
        if rule.fault is Fault.DRIP:
            self._later(connection, last, self._drip, connection, row, body)
        elif rule.fault is Fault.RESET_MIDWAY:
            self._later(connection, last, self._cut, connection, body)
        else:
            self._later(connection, last, self._finish, connection, row, 200, body)

    def _later(self, connection: Connection, delay: float, what: Any, *args: Any) -> None:
        if delay <= 0:
            what(*args)
            return
        timer = asyncio.get_running_loop().call_later(delay, what, *args)
        at_work = self._at_work.get(connection)
        if at_work is not None:
            at_work[1].append(timer)

    def _finish(
        self,
        connection: Connection,
        row: LogRow,
        status: int,
        body: bytes,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._at_work.pop(connection, None)
        row.status = status
        row.answered = asyncio.get_running_loop().time()
        connection.send(status, body, headers)

    def _cut(self, connection: Connection, body: bytes) -> None:
        connection.write(head_of(200, len(body)) + body[: len(body) // 2])
        # Close after the half body has left; abort() would drop it unsent.
        if connection.transport is not None:
            connection.transport.close()

    def _drip(self, connection: Connection, row: LogRow, body: bytes, sent: int = 0) -> None:
        if connection not in self._at_work:
            return
        if sent == 0:
            connection.write(head_of(200, len(body)))
        connection.write(body[sent : sent + _DRIP_BYTES])
        if sent + _DRIP_BYTES >= len(body):
            self._at_work.pop(connection, None)
            row.status, row.answered = 200, asyncio.get_running_loop().time()
            return
        self._later(connection, _DRIP_S, self._drip, connection, row, body, sent + _DRIP_BYTES)

    def _tokens(self, text: str) -> int:
        return math.ceil(len(text) / self.script.characters)

    def _completion(self, content: Content, row: LogRow) -> dict[str, Any]:
        usage: dict[str, Any] = {
            "prompt_tokens": row.prompt_tokens,
            "completion_tokens": row.output_tokens,
            "total_tokens": row.prompt_tokens + row.output_tokens,
            "prompt_tokens_details": {"cached_tokens": row.cached_tokens},
        }
        if self.script.cost_usd is not None:
            usage["cost"] = self.script.cost_usd
        message = message_of(content)
        choice = {"index": 0, "message": message, "finish_reason": content.finish}
        return {
            "id": f"mock-{row.number}",
            "object": "chat.completion",
            "created": 1,
            "model": row.model,
            "choices": [choice],
            "usage": usage,
        }


def error_body(code: str, message: str) -> bytes:
    """An error in the shape that OpenAI-compatible servers use."""
    return dumps({"error": {"message": message, "type": code, "code": code}})


def prompt_text(seen: Seen) -> str:
    """What the provider counts: the schema first, as providers place it, then the messages."""
    schema = json.dumps(seen.schema, separators=(",", ":")) if seen.schema else ""
    return schema + "".join(message_text(m) for m in seen.body.get("messages", ()))


def _mode(body: Mapping[str, Any]) -> tuple[str, Mapping[str, Any] | None]:
    if body.get("tools"):
        return "tools", body["tools"][0]["function"].get("parameters")
    wanted = body.get("response_format") or {}
    if wanted.get("type") == "json_schema":
        return "json_schema", wanted["json_schema"].get("schema")
    return ("json_object" if wanted.get("type") == "json_object" else "text"), None
