"""Writing question files, never over one that is there."""

from pathlib import Path
from typing import Any

import yaml

from grader.bank.load import question_of
from grader.bank.source import parse_yaml
from grader.domain.question import Question
from grader.errors import InputError

_FOLD_FROM = 80


class _Dumper(yaml.SafeDumper):
    """Long prose in folded style, so that a file reads like one written by hand."""


def _text(dumper: yaml.SafeDumper, value: str) -> Any:
    long = len(value) > _FOLD_FROM or "\n" in value
    style = ("|" if "\n" in value else ">") if long else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _text)


def to_yaml(question: Question) -> str:
    """The question as a file of the rubric format, without what is left at its default."""
    fields = question.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return yaml.dump(
        {"schema": 1, **fields}, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=96
    )


def write_question(question: Question, folder: Path) -> Path:
    """Writes ``folder/<topic>/<id>.yaml``.

    Raises:
        InputError: There is such a file.
    """
    topic, name = (
        part.replace("/", "_").replace(":", "_") for part in (question.topic, question.id)
    )
    return write_new(folder / topic / f"{name}.yaml", to_yaml(question))


def write_new(path: Path, text: str) -> Path:
    """Writes a file that must not exist.

    Raises:
        InputError: It does, or the place cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise InputError(
            f"{path} is there already", remedy="choose another id or folder"
        ) from error
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from error
    return path


def question_template(question_id: str, topic: str) -> str:
    """A legal question to fill in, every key with a comment.

    Raises:
        RubricError: The id or the topic cannot be one.
    """
    text = _TEMPLATE.replace("ID", question_id, 1).replace("TOPIC", topic, 1)
    question_of(parse_yaml(text, f"{question_id}.yaml"))
    return text


_TEMPLATE = """\
schema: 1
id: ID
topic: TOPIC
title: What a card shows as heading
kind: discussion          # discussion, calculation, diagram, coding
difficulty: 3             # 1 to 5
minutes: 8
prompt: >-
  The situation, and what is asked, without giving a signal away.
notes: >-
  For graders: how to read border cases.
signals:                  # 4 to 8 positive ones and at least one misconception
  - id: first-signal
    statement: One fact that two people would judge alike.
    weight: 2
    kind: positive
    accept: []            # 3 to 8 phrasings in different words; write them after the samples
    reject: []            # 2 to 4 near-misses
    terms: []             # groups of synonyms, e.g. [[kv cache, key-value cache], [page, block]]
    probe: >-
      The follow-up when it is missing; none of its terms may stand here.
  - id: first-misconception
    statement: Something wrong that people believe.
    weight: 1
    kind: negative
    accept: []            # phrasings that commit it
    reject: []            # right statements that look like it
model_answer: >-
  Shown after the final submit.
samples: []               # strong, middling, wrong, spoken: {id, quality, text, labels}
"""
