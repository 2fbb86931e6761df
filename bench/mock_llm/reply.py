"""Replies: the honest one of a verdict function, and how each fault spoils it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bench.mock_llm.script import Fault, Script, Seen

VerdictFunction = Callable[[Seen], Mapping[str, Any] | str]


@dataclass(frozen=True)
class Content:
    """What the model says.

    Attributes:
        text: The message, or the arguments of the forced tool.
        finish: ``stop``, ``length``, ``tool_calls`` or ``content_filter``.
        tool: Name of the tool called; empty for a plain message.
        refusal: Text of a refusal.
    """

    text: str
    finish: str = "stop"
    tool: str = ""
    refusal: str = ""


def from_schema(seen: Seen) -> Mapping[str, Any]:
    """The default verdict function: the smallest value that the schema of the request allows."""
    if seen.schema is None:
        return {"ok": True}
    value = _example(seen.schema, seen.schema.get("$defs", {}))
    return value if isinstance(value, dict) else {"value": value}


def content_of(seen: Seen, verdict: VerdictFunction, fault: Fault, script: Script) -> Content:
    """What the model says to a request, spoiled by ``fault``."""
    if fault is Fault.REFUSAL:
        return Content("", refusal="This request cannot be helped with.")
    if fault is Fault.EMPTY:
        return Content("")
    honest = verdict(seen)
    if not isinstance(honest, str):
        honest = json.dumps(_spoiled(honest, fault, script), ensure_ascii=False)
    tool = _tool_name(seen)
    if fault is Fault.TRUNCATED:
        return Content(honest[: len(honest) // 2], finish="length", tool=tool)
    if fault is Fault.FENCED or (seen.mode == "text" and fault is not Fault.PROSE):
        return Content(f"```json\n{honest}\n```")
    if fault is Fault.PROSE:
        return Content(f"Here is what I found.\n{honest}\nTell me if more is wanted.")
    return Content(honest, finish="tool_calls" if tool else "stop", tool=tool)


def message_of(content: Content) -> dict[str, Any]:
    """The message of a choice."""
    if content.refusal:
        return {"role": "assistant", "content": None, "refusal": content.refusal}
    if not content.tool:
        return {"role": "assistant", "content": content.text}
    function = {"name": content.tool, "arguments": content.text}
    call = {"id": "call_1", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _tool_name(seen: Seen) -> str:
    if seen.mode != "tools":
        return ""
    return str(seen.body["tools"][0]["function"]["name"])


def _spoiled(honest: Mapping[str, Any], fault: Fault, script: Script) -> Mapping[str, Any]:
    spoil = _SPOILERS.get(fault)
    if spoil is None:
        return honest
    value = json.loads(json.dumps(honest))
    items = _items(value)
    if items is not None:
        spoil(items, script)
    return dict(value)


def _items(value: Any) -> list[dict[str, Any]] | None:
    """The first list of objects in a reply: one object a signal."""
    if isinstance(value, list):
        return value if value and isinstance(value[0], dict) else None
    if not isinstance(value, dict):
        return None
    return next((found for v in value.values() if (found := _items(v)) is not None), None)


def _wrong_enum(items: list[dict[str, Any]], script: Script) -> None:
    items[0][script.verdict_key] = "maybe"


def _missing_item(items: list[dict[str, Any]], _script: Script) -> None:
    del items[0]


def _extra_item(items: list[dict[str, Any]], script: Script) -> None:
    items.append({**items[0], script.id_key: "signal-that-nobody-asked-for"})


def _missing_field(items: list[dict[str, Any]], script: Script) -> None:
    items[0].pop(script.verdict_key, None)


def _bad_quote(items: list[dict[str, Any]], script: Script) -> None:
    for item in items:
        if item.get(script.quote_key):
            item[script.quote_key] = "words that stand nowhere in the text"
            return


_SPOILERS: dict[Fault, Callable[[list[dict[str, Any]], Script], None]] = {
    Fault.WRONG_ENUM: _wrong_enum,
    Fault.MISSING_ITEM: _missing_item,
    Fault.EXTRA_ITEM: _extra_item,
    Fault.MISSING_FIELD: _missing_field,
    Fault.BAD_QUOTE: _bad_quote,
}


def _example(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> Any:
    if "$ref" in schema:
        return _example(defs[schema["$ref"].rsplit("/", 1)[-1]], defs)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return _example(schema[key][0], defs)
    kind = schema.get("type")
    if kind == "object":
        return {k: _example(v, defs) for k, v in schema.get("properties", {}).items()}
    if kind == "array":
        return [_example(schema["items"], defs)] * max(1, schema.get("minItems", 1))
    return {"string": "x", "integer": 0, "number": 0.5, "boolean": True}.get(str(kind))
