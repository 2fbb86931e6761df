"""Structured output: how each mode asks for a JSON object, and how one is read from a reply."""

import json
from collections.abc import Mapping
from typing import Any

from grader.judges.llm.transport.request import CompletionRequest, Schema, schema_object
from grader.judges.llm.transport.settings import Endpoint, Mode

_LADDER = tuple(Mode)
_TOOL = "reply"
_IN_PROMPT = (
    "Reply with one JSON object that is valid against this JSON schema. "
    "Give the object itself, not the schema.\n"
)
_IN_FENCE = "Put the object in a ```json block and write nothing outside the block.\n"


class ModeLadder:
    """The mode of each endpoint: starts strong, steps down where refused, remembers."""

    def __init__(self) -> None:
        self._modes: dict[str, Mode] = {}

    def mode(self, endpoint: Endpoint) -> Mode:
        """The mode to use now."""
        return self._modes.get(endpoint.identity) or endpoint.mode or _LADDER[0]

    def step_down(self, endpoint: Endpoint, refused: Mode) -> bool:
        """Moves below a mode that was refused; False where nothing is left.

        Requests in flight may all be refused the same mode: they step down together, once.
        """
        lower = _LADDER.index(refused) + 1
        if lower == len(_LADDER):
            return False
        current = _LADDER.index(self.mode(endpoint))
        self._modes[endpoint.identity] = _LADDER[max(lower, current)]
        return True


def render(request: CompletionRequest, mode: Mode) -> dict[str, Any]:
    """Messages and structured-output parameters of a request in one mode."""
    messages = [m.wire() for m in request.messages]
    if request.schema is None:
        return {"messages": messages}
    if mode is Mode.JSON_SCHEMA:
        return {"messages": messages, "response_format": _response_format(request)}
    if mode is Mode.TOOLS:
        return {"messages": messages, **_forced_tool(request)}
    asked = _with_schema(messages, request.schema_text, fenced=mode is Mode.FENCE)
    if mode is Mode.JSON_OBJECT:
        return {"messages": asked, "response_format": {"type": "json_object"}}
    return {"messages": asked}


def read_object(text: str) -> dict[str, Any] | None:
    """The JSON object of a reply, be it bare, fenced or among prose; None without one.

    Among several the last one counts: what the model echoes from its input comes first.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = _embedded(text)
    return value if isinstance(value, dict) else None


def fits(schema: Schema, value: Mapping[str, Any]) -> bool:
    """Whether an object has what the schema requires at its top.

    In a broken reply the last whole object may be a part of the one asked for; below the top it is
    for the caller to judge piece by piece.
    """
    return set(schema_object(schema).get("required", ())) <= set(value)


def is_strict(schema: Any) -> bool:
    """Whether a schema fits the strict dialect: closed objects, every property required."""
    if isinstance(schema, list):
        return all(is_strict(item) for item in schema)
    if not isinstance(schema, Mapping):
        return True
    if schema.get("type") == "object" or "properties" in schema:
        closed = schema.get("additionalProperties") is False
        if not closed or set(schema.get("required", ())) != set(schema.get("properties", {})):
            return False
    return all(is_strict(value) for value in schema.values())


def _embedded(text: str) -> Any:
    from instructor.v2.core.json import extract_json_from_codeblock

    try:
        return json.loads(extract_json_from_codeblock(text))
    except (ValueError, RecursionError):
        return None


def _response_format(request: CompletionRequest) -> dict[str, Any]:
    assert request.schema is not None
    schema = schema_object(request.schema)
    described: dict[str, Any] = {"name": _name(schema), "schema": schema}
    if is_strict(schema):
        described["strict"] = True
    return {"type": "json_schema", "json_schema": described}


def _forced_tool(request: CompletionRequest) -> dict[str, Any]:
    assert request.schema is not None
    function = {"name": _TOOL, "parameters": schema_object(request.schema)}
    choice = {"type": "function", "function": {"name": _TOOL}}
    return {"tools": [{"type": "function", "function": function}], "tool_choice": choice}


def _with_schema(
    messages: list[dict[str, str]], schema: str, *, fenced: bool
) -> list[dict[str, str]]:
    """The schema goes to the end of the first system message, inside the cacheable prefix."""
    asked = f"{_IN_PROMPT}{_IN_FENCE if fenced else ''}{schema}"
    if messages and messages[0]["role"] == "system":
        first = {**messages[0], "content": f"{messages[0]['content']}\n\n{asked}"}
        return [first, *messages[1:]]
    return [{"role": "system", "content": asked}, *messages]


def _name(schema: Mapping[str, Any]) -> str:
    title = str(schema.get("title", _TOOL))
    return "".join(c if c.isalnum() and c.isascii() else "_" for c in title)[:64] or _TOOL
