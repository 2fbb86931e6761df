"""Writing the results of a batch so that a killed run resumes with nothing lost or doubled.

The rows of one answer are written in one piece, predictions first, scores after. An answer
counts as done when all its rows are there; on resume everything else is cut away and judged
again.
"""

import hashlib
import json
import os
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from grader.domain.grade import Grade
from grader.errors import InputError

_Key = bytes
SignalCount = Callable[[str], tuple[int, str] | None]


def answer_key(question_id: str, answer_id: str) -> bytes:
    """A short digest that stands for one answer, so that a large batch stays small in memory."""
    text = json.dumps([question_id, answer_id])
    return hashlib.blake2b(text.encode(), digest_size=12).digest()


class BatchOutput:
    """The files of one batch, open for appending.

    Args:
        predictions: File of one row a signal.
        scores: File of one row an answer; None where not asked for.
        resume: Whether to go on after what is already there.
        expected: Number of signals and rubric version of a question, None for an unknown one.
        later: Reasons of verdicts that running again may better: an answer with one is not done.

    Raises:
        InputError: A file has content and resume is off, or it was made with another rubric.
    """

    def __init__(
        self,
        predictions: Path,
        scores: Path | None,
        *,
        resume: bool,
        expected: SignalCount,
        later: Collection[str] = (),
    ) -> None:
        self.done: set[_Key] = set()
        paths = [p for p in (predictions, scores) if p is not None]
        if resume:
            self.done = _complete(predictions, scores, expected, later)
            for path in paths:
                _keep_only(path, self.done)
        else:
            for path in paths:
                _refuse_content(path)
        self._predictions = _opened(predictions)
        self._scores = _opened(scores) if scores is not None else None

    def write(self, answer_id: str, grade: Grade) -> None:
        """Appends all rows of one answer."""
        _append(self._predictions, prediction_rows(answer_id, grade))
        if self._scores is not None:
            _append(self._scores, [score_row(answer_id, grade)])
        self.done.add(answer_key(grade.question_id, answer_id))

    def close(self) -> None:
        """Closes the files after everything is on the disk."""
        for file in (self._predictions, self._scores):
            if file is not None:
                os.fsync(file.fileno())
                file.close()


def prediction_rows(answer_id: str, grade: Grade) -> list[dict[str, Any]]:
    """One row a signal, as ``docs/command-line.md`` states it."""
    return [
        {
            "question_id": grade.question_id,
            "answer_id": answer_id,
            "signal_id": v.signal_id,
            "verdict": v.outcome.value,
            "confidence": v.confidence,
            "evidence": [e.model_dump() for e in v.evidence],
            "reasons": list(v.reasons),
            "judge": v.judge,
            "rubric_version": grade.rubric_version,
        }
        for v in grade.verdicts
    ]


def score_row(answer_id: str, grade: Grade) -> dict[str, Any]:
    """The score of one answer."""
    return {
        "question_id": grade.question_id,
        "answer_id": answer_id,
        "score": grade.score,
        "low": grade.low,
        "high": grade.high,
        "flags": list(grade.flags),
    }


def _append(file: BinaryIO, rows: list[dict[str, Any]]) -> None:
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    file.write(lines.encode())
    file.flush()


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("ab")
    except OSError as error:
        raise InputError(
            f"{path} cannot be written: {error.strerror}", remedy="give a writable place"
        ) from error


def _refuse_content(path: Path) -> None:
    if path.exists() and path.stat().st_size > 0:
        raise InputError(
            f"{path} already has results",
            remedy="add --resume to go on with it, or give another file",
        )


def _complete(
    predictions: Path, scores: Path | None, expected: SignalCount, later: Collection[str]
) -> set[_Key]:
    open_: set[_Key] = set()
    seen: dict[_Key, int] = {}
    done: set[_Key] = set()
    for row in _whole_rows(predictions):
        key, known = _key_of(row), expected(str(row.get("question_id")))
        if known is None:
            continue
        if row.get("rubric_version") != known[1]:
            raise InputError(
                f"{predictions} was made with another version of {row['question_id']!r}",
                remedy="give another --out file, so that one file holds one version",
            )
        if later and not set(later).isdisjoint(row.get("reasons", ())):
            open_.add(key)
        seen[key] = seen.get(key, 0) + 1
        if seen[key] == known[0]:
            done.add(key)
            del seen[key]
    if scores is not None:
        done &= {_key_of(row) for row in _whole_rows(scores)}
    return done - open_


def _keep_only(path: Path, keys: set[_Key]) -> None:
    """Rewrites a file with the rows of the given answers, in one step."""
    if not path.exists():
        return
    draft = path.with_name(path.name + ".resuming")
    with draft.open("wb") as file:
        for row in _whole_rows(path):
            if _key_of(row) in keys:
                _append(file, [row])
        os.fsync(file.fileno())
    draft.replace(path)


def _whole_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows that were written to their end; a killed run may leave a torn last line."""
    if not path.exists():
        return
    with path.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                return
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if isinstance(row, dict):
                yield row


def _key_of(row: dict[str, Any]) -> _Key:
    return answer_key(str(row.get("question_id")), str(row.get("answer_id")))
