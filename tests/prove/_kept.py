"""What a proof has found so far, so that it can be stopped and taken up again."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from grader.exercises.exercise import load_exercise
from sandbox.guestfiles import guest_digest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "out" / "prove"
CODING = ROOT / "rubrics" / "coding"
EXERCISES = ("block_manager", "flash_attention", "kv_cache")
BACKENDS = ("bwrap", "docker")


class Kept:
    """Findings by key, one JSON line each; those of other code than today's are not believed.

    Args:
        name: Of the proof.
        inputs: Bytes that decide a finding beside exercises, grader and guest.
    """

    def __init__(self, name: str, inputs: Iterable[bytes] = ()) -> None:
        self._mark = _fingerprint(inputs)
        FOLDER.mkdir(parents=True, exist_ok=True)
        self._path = FOLDER / f"{name}.jsonl"
        self.found: dict[str, Any] = {}
        if self._path.exists():
            content = self._path.read_bytes()
            whole = content[: content.rfind(b"\n") + 1]  # a torn last line is cut off
            self._path.write_bytes(whole)
            lines = map(json.loads, whole.splitlines())
            self.found = {line["key"]: line["found"] for line in lines if line["of"] == self._mark}

    def __contains__(self, key: str) -> bool:
        return key in self.found

    def add(self, key: str, found: Any) -> None:
        """Keeps a finding."""
        self.found[key] = found
        with self._path.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"of": self._mark, "key": key, "found": found}) + "\n")


def _fingerprint(inputs: Iterable[bytes]) -> str:
    total = hashlib.sha256(guest_digest().encode())
    for name in EXERCISES:
        total.update(load_exercise(CODING / name).version.encode())
    for folder in ("grader/exercises", "sandbox"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            total.update(path.read_bytes())
    total.update((ROOT / "sandbox" / "seccomp.json").read_bytes())
    for item in inputs:
        total.update(hashlib.sha256(item).digest())
    return total.hexdigest()[:16]
