"""One question as Markdown: front matter, then prose under headings.

``## Prompt``, ``## Notes`` and ``## Model answer`` hold prose; under ``## Signals`` each signal
is a heading ``### id (+3)`` or ``(-2)`` for a misconception, its statement, and labelled lists.
"""

import re
from collections.abc import Iterator
from typing import Any

import yaml

from grader.bank.load import question_of
from grader.bank.source import YamlSource, parse_yaml
from grader.domain.question import Question, Signal, SignalKind
from grader.errors import RubricError

_PROSE = {"prompt": "Prompt", "notes": "Notes", "model_answer": "Model answer"}
_SIGNAL_HEADING = re.compile(r"^### (?P<id>\S+) \((?P<sign>[-+])(?P<weight>\d+)\)\s*$")
_ITEM = re.compile(r"^- (?P<key>accept|reject|probe): (?P<text>.*)$")
_STRUCTURED = re.compile(r"^- (?P<key>terms|numbers): (?P<text>.*)$")
_FENCE = "---\n"


def to_markdown(question: Question) -> str:
    """The question as Markdown."""
    fields = question.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    front = {k: v for k, v in fields.items() if k not in (*_PROSE, "signals")}
    parts = [_FENCE + yaml.safe_dump(front, sort_keys=False, allow_unicode=True) + _FENCE]
    parts += [_prose(title, fields[key]) for key, title in _PROSE.items() if key in fields]
    parts.append("## Signals\n")
    parts += [_signal(signal) for signal in question.signals]
    return "\n".join(parts)


def from_markdown(text: str, name: str = "question.md") -> Question:
    """Reads a question back.

    Raises:
        RubricError: The text has no front matter, or what it holds is no question.
    """
    head, fence, body = text.removeprefix(_FENCE).partition(f"\n{_FENCE}")
    if not text.startswith(_FENCE) or not fence:
        raise RubricError(
            f"{name}:1: no front matter", remedy="start with --- and the keys id and topic"
        )
    source = parse_yaml(head, name)
    if not isinstance(source.data, dict):
        raise RubricError(f"{name}:1: the front matter has no keys", remedy="give id and topic")
    sections = dict(_sections(body))
    keys = {title: key for key, title in _PROSE.items()}
    if unknown := sorted(set(sections) - set(keys) - {"Signals"}):
        raise RubricError(f"{name}: unknown heading {unknown[0]!r}", remedy="see the docs")
    fields = dict(source.data)
    fields |= {key: _unprotected(sections[t]) for t, key in keys.items() if t in sections}
    fields["signals"] = list(_read_signals(sections.get("Signals", ""), name))
    return question_of(YamlSource(name, fields, source.lines))


def _prose(title: str, text: str) -> str:
    return f"## {title}\n\n{_protected(text)}\n"


def _protected(text: str) -> str:
    """Lines that look like our headings are led by a backslash."""
    return re.sub(r"^(\\*#{2,3} )", r"\\\1", text, flags=re.MULTILINE)


def _unprotected(text: str) -> str:
    return re.sub(r"^\\(\\*#{2,3} )", r"\1", text, flags=re.MULTILINE)


def _signal(signal: Signal) -> str:
    sign = "+" if signal.kind is SignalKind.POSITIVE else "-"
    lines = [f"### {signal.id} ({sign}{signal.weight})", "", " ".join(signal.statement.split()), ""]
    lines += [f"- accept: {' '.join(text.split())}" for text in signal.accept]
    lines += [f"- reject: {' '.join(text.split())}" for text in signal.reject]
    fields = signal.model_dump(mode="json", exclude_defaults=True)
    lines += [f"- {k}: {_flow(fields[k])}" for k in ("terms", "numbers") if k in fields]
    if signal.probe:
        lines.append(f"- probe: {' '.join(signal.probe.split())}")
    return "\n".join(lines) + "\n"


def _flow(value: Any) -> str:
    text = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=10**9)
    return str(text).strip()


def _sections(body: str) -> Iterator[tuple[str, str]]:
    for part in re.split(r"^## ", body, flags=re.MULTILINE)[1:]:
        title, _, text = part.partition("\n")
        yield title.strip(), text.strip("\n")


def _read_signals(text: str, name: str) -> Iterator[dict[str, Any]]:
    signal: dict[str, Any] = {}
    for line in text.splitlines():
        if heading := _SIGNAL_HEADING.match(line):
            if signal:
                yield signal
            kind = "positive" if heading["sign"] == "+" else "negative"
            signal = {"id": heading["id"], "weight": int(heading["weight"]), "kind": kind}
        elif line.strip():
            _read_line(signal, line, name)
    if signal:
        yield signal


def _read_line(signal: dict[str, Any], line: str, name: str) -> None:
    if not signal:
        raise RubricError(
            f"{name}: {line[:40]!r} stands before the first signal",
            remedy="head each signal with ### id (+weight)",
        )
    if item := _ITEM.match(line):
        if item["key"] == "probe":
            signal["probe"] = item["text"]
        else:
            signal.setdefault(item["key"], []).append(item["text"])
    elif item := _STRUCTURED.match(line):
        signal[item["key"]] = parse_yaml(item["text"], name).data
    else:
        signal["statement"] = f"{signal.get('statement', '')} {line.strip()}".strip()
