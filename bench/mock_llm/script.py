"""What the server shall do: faults by plan, latency, limits. Plain data, JSON both ways."""

import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Fault(StrEnum):
    """One way in which a reply can go wrong."""

    OK = "ok"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    HANG = "hang"
    RESET = "reset"
    RESET_MIDWAY = "reset_midway"
    DRIP = "drip"
    TRUNCATED = "truncated"
    FENCED = "fenced"
    PROSE = "prose"
    WRONG_ENUM = "wrong_enum"
    MISSING_ITEM = "missing_item"
    EXTRA_ITEM = "extra_item"
    MISSING_FIELD = "missing_field"
    BAD_QUOTE = "bad_quote"
    EMPTY = "empty"
    REFUSAL = "refusal"
    WRONG_MODEL = "wrong_model"
    UNAUTHORISED = "unauthorised"
    ERROR_200 = "error_200"
    NOT_JSON = "not_json"
    MODE_REFUSED = "mode_refused"


@dataclass(frozen=True)
class Seen:
    """One request as a predicate or a verdict function sees it.

    Attributes:
        number: 1 for the first request since start or reset.
        attempt: 1 where this body is seen for the first time.
        mode: ``json_schema``, ``tools``, ``json_object`` or ``text``.
        schema: The JSON schema that came with the request, None in the last two modes.
    """

    number: int
    attempt: int
    mode: str
    model: str
    body: Mapping[str, Any]
    schema: Mapping[str, Any] | None
    digest: str

    @property
    def prompt(self) -> str:
        """All message texts, one after the other."""
        return "\n".join(message_text(m) for m in self.body.get("messages", ()))


@dataclass(frozen=True)
class Rule:
    """A fault and the requests it strikes; all conditions must hold.

    Attributes:
        numbers: Request numbers; any when empty.
        attempts: Tries of the same body (1 = first); any when empty.
        modes: Structured-output modes; any when empty.
        model: Model name; any when empty.
        probability: Share of requests struck, drawn from the seed of the script, the body and,
            unless ``sticky``, the try: the same script strikes the same requests in any order.
        predicate: Python condition; in-process only.
        status: HTTP status of ``mode_refused`` and ``server_error``.
        retry_after: Seconds in the header of ``rate_limited``; no header when None.
        message: Text of the error body.
    """

    fault: Fault
    numbers: tuple[int, ...] = ()
    attempts: tuple[int, ...] = ()
    modes: tuple[str, ...] = ()
    model: str = ""
    probability: float = 1.0
    sticky: bool = False
    predicate: Callable[[Seen], bool] | None = None
    status: int = 500
    retry_after: float | None = 1.0
    message: str = ""

    def strikes(self, seen: Seen, seed: int) -> bool:
        """Whether this rule applies to a request."""
        if self.numbers and seen.number not in self.numbers:
            return False
        if self.attempts and seen.attempt not in self.attempts:
            return False
        if self.modes and seen.mode not in self.modes:
            return False
        if self.model and seen.model != self.model:
            return False
        if self.predicate is not None and not self.predicate(seen):
            return False
        return self.probability >= 1 or self._draw(seen, seed) < self.probability

    def _draw(self, seen: Seen, seed: int) -> float:
        turn = 0 if self.sticky else seen.attempt
        text = f"{seed}:{self.fault}:{turn}:{seen.digest}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) / 2**64


@dataclass(frozen=True)
class Script:
    """Everything the server does.

    Attributes:
        rules: The first rule that strikes decides; none: an honest reply.
        first_token_ms: Time to the first token.
        token_ms: Time for each output token.
        concurrency: Requests taken at once; the next gets a 429; unlimited when None.
        retry_after: Header of that 429 in seconds.
        models: Model names that exist; any when empty.
        cost_usd: ``usage.cost`` of each reply, as some providers state it; absent when None.
        cached_from: Least prefix in tokens that the prompt cache keeps.
        characters: Characters a token.
        verdict_key: Name of the verdict field, for ``wrong_enum``; the like for quote and id.
    """

    rules: tuple[Rule, ...] = ()
    seed: int = 0
    first_token_ms: float = 0.0
    token_ms: float = 0.0
    concurrency: int | None = None
    retry_after: float | None = 1.0
    models: tuple[str, ...] = ()
    cost_usd: float | None = None
    cached_from: int = 1024
    characters: int = 4
    verdict_key: str = "verdict"
    quote_key: str = "quote"
    id_key: str = "id"
    keep_bodies: bool = True

    def rule_for(self, seen: Seen) -> Rule:
        """The rule that decides a request."""
        for rule in self.rules:
            if rule.strikes(seen, self.seed):
                return rule
        return _HONEST

    def to_json(self) -> str:
        """The script as JSON.

        Raises:
            ValueError: A rule has a Python predicate, which cannot leave the process.
        """
        if any(rule.predicate is not None for rule in self.rules):
            raise ValueError("a rule with a predicate works in-process only")
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: str | bytes) -> "Script":
        """Reads what ``to_json`` wrote."""
        raw = json.loads(text)
        rules = tuple(_rule(item) for item in raw.pop("rules", ()))
        return cls(rules=rules, **{k: _tupled(v) for k, v in raw.items()})


_HONEST = Rule(Fault.OK)


def _tupled(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _rule(raw: dict[str, Any]) -> Rule:
    values = {k: _tupled(v) for k, v in raw.items()}
    return Rule(**{**values, "fault": Fault(values["fault"])})


def message_text(message: Mapping[str, Any]) -> str:
    """The text of one chat message, whether a string or a list of parts."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


@dataclass
class LogRow:
    """One request, as the server saw it.

    Attributes:
        arrived: Seconds on the server's monotonic clock.
        answered: The like, of the last byte; None when the client left first or it hung.
        in_flight: Requests at work including this one.
    """

    number: int
    attempt: int
    arrived: float
    mode: str
    model: str
    fault: str
    in_flight: int
    status: int | None = None
    prompt_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    prefix: int = 0
    answered: float | None = None
    left_early: bool = False
    body: Mapping[str, Any] = field(default_factory=dict)
