"""The shape of a reply, and reading one: each entry stands or falls alone.

The order of the fields is the order in which a model fills them: where it stands and the words
first, then the verdict. No field has a default: a verdict that is left out is not a verdict.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from grader.domain.verdict import Outcome

MOST_QUOTE = 90


class Entry(BaseModel):
    """The finding on one signal, by its label."""

    model_config = ConfigDict(extra="forbid", title="signal")

    id: str
    at: list[int]
    quote: str
    verdict: Literal["met", "partial", "not_met"]
    sure: Annotated[float, Field(ge=0, le=100)]


class ReasonedEntry(Entry):
    """An entry with a reason for the learner."""

    why: str


class Reply(BaseModel):
    """A whole reply."""

    model_config = ConfigDict(extra="forbid")

    signals: list[Entry]


class ReasonedReply(BaseModel):
    """A whole reply with reasons."""

    model_config = ConfigDict(extra="forbid")

    signals: list[ReasonedEntry]


@dataclass(frozen=True)
class Finding:
    """One readable entry."""

    at: tuple[int, ...]
    quote: str
    outcome: Outcome
    confidence: float
    comment: str = ""


@lru_cache(maxsize=2)
def reply_schema(*, reasons: bool) -> Mapping[str, Any]:
    """The JSON schema of a reply, without the titles and bounds that only cost tokens.

    The bounds go because strict modes of some providers refuse them; they are checked here.
    """
    model = ReasonedReply if reasons else Reply
    schema = model.model_json_schema()
    definitions = schema.pop("$defs")
    items = schema["properties"]["signals"]
    items["items"] = next(iter(definitions.values()))
    lean: Mapping[str, Any] = _lean(schema)
    return {**lean, "title": "verdicts"}


def _lean(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_lean(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    dropped = ("title", "description", "minimum", "maximum")
    return {k: _lean(v) for k, v in schema.items() if k not in dropped}


def read_reply(
    data: Mapping[str, Any] | None, labels: Iterable[str], *, reasons: bool
) -> dict[str, Finding]:
    """The readable findings of a reply by label.

    Entries for labels that nobody asked about are left out. Of an entry that breaks the schema,
    or of a label with two entries that differ, nothing is kept.

    Args:
        data: The JSON object of the reply.
        labels: Those asked about.
        reasons: Whether the reply was to hold reasons.
    """
    wanted = set(labels)
    entries = (data or {}).get("signals")
    found: dict[str, Finding | None] = {}
    for raw in entries if isinstance(entries, list) else ():
        label = _label(raw)
        if label not in wanted:
            continue
        finding = _finding(raw, reasons=reasons)
        found[label] = finding if found.get(label, finding) == finding else None
    return {label: finding for label, finding in found.items() if finding is not None}


def _label(raw: Any) -> str:
    """The label of an entry; small models drop its letter or change its case."""
    label = str(raw.get("id", "")).strip().upper() if isinstance(raw, dict) else ""
    return f"S{label}" if label.isdecimal() else label


def _finding(raw: Mapping[str, Any], *, reasons: bool) -> Finding | None:
    try:
        entry = (ReasonedEntry if reasons else Entry).model_validate({**raw, "id": _label(raw)})
    except ValidationError:
        return None
    return Finding(
        at=tuple(entry.at),
        quote=entry.quote,
        outcome=Outcome(entry.verdict),
        confidence=_share(entry.sure),
        comment=entry.why.strip() if isinstance(entry, ReasonedEntry) else "",
    )


def _share(sure: float) -> float:
    """Per cent as a share; a fraction between 0 and 1 is taken for the share that it looks like."""
    return sure if 0 < sure < 1 else sure / 100
