"""The hostile submissions.

A file under ``submissions/any`` is an attack that fits every exercise. It is joined to a body,
which defines what the exercise demands, and to ``decoys/hooks.py``, which calls ``before_call(args,
kwargs)`` before each operation and passes every result through ``dress(value)`` where the attack
defines them. The body is a decoy that is wrong in every invariant, so that any point is one that
the attack has won, or, where its docstring says ``On: reference``, the right solution, which the
attack must spoil. Files under ``submissions/<exercise>`` fit that exercise alone.

The docstring names the numbers of the catalogue in ``docs/sandbox.md``; ``Slow`` marks what burns
its whole limit, ``Against`` the dear invariant that must catch it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
CODING = HERE.parents[2] / "rubrics" / "coding"
EXERCISES = ("block_manager", "flash_attention", "kv_cache")
_HEADER = re.compile(
    r'"""Catalogue: ([0-9b, ]+)\. (On: reference\. )?(Slow\. )?(?:Against: (\w+)\. )?\w'
)


@dataclass(frozen=True)
class Attack:
    """One hostile submission.

    Attributes:
        items: Numbers of the catalogue that it covers.
        spoils: Whether its body is right but for what the attack does.
        slow: Whether it uses its whole limit.
        against: The invariant that it must be caught by, where that is not a cheap one.
    """

    name: str
    exercise: str
    source: bytes
    items: frozenset[str]
    spoils: bool
    slow: bool
    against: str = ""

    @property
    def id(self) -> str:
        return f"{self.exercise}-{self.name}"


def once_each() -> list[Attack]:
    """Every file once, those that fit any exercise in turn on one after the other."""
    found = []
    for number, path in enumerate(_files("any")):
        found.append(_attack(path, EXERCISES[number % len(EXERCISES)]))
    return found + _of_one_exercise()


def every_one() -> list[Attack]:
    """Every file on every exercise that it fits."""
    general = [_attack(path, exercise) for path in _files("any") for exercise in EXERCISES]
    return general + _of_one_exercise()


def decoy(exercise: str) -> bytes:
    """The body that is wrong in every invariant."""
    return (HERE / "decoys" / f"{exercise}.py").read_bytes()


def right(exercise: str) -> bytes:
    """The right solution."""
    return (CODING / exercise / "reference.py").read_bytes()


def _of_one_exercise() -> list[Attack]:
    return [_attack(path, exercise) for exercise in EXERCISES for path in _files(exercise)]


def _files(folder: str) -> Iterator[Path]:
    return iter(sorted((HERE / "submissions" / folder).glob("*.py")))


@cache
def _attack(path: Path, exercise: str) -> Attack:
    own = path.read_bytes()
    header = _HEADER.search(own.decode("utf-8"))
    if header is None:
        raise ValueError(f"{path}: the docstring must begin with the numbers that it covers")
    return Attack(
        name=path.stem,
        exercise=exercise,
        source=_joined(own, exercise, spoils=bool(header[2])),
        items=frozenset(re.split(r",\s*", header[1])),
        spoils=bool(header[2]),
        slow=bool(header[3]),
        against=header[4] or "",
    )


def _joined(own: bytes, exercise: str, *, spoils: bool) -> bytes:
    name = {"kv_cache": "class KVCache", "block_manager": "class BlockManager"}
    whole = name.get(exercise, "def flash_attention").encode() in own
    body = b"" if whole else right(exercise) if spoils else decoy(exercise)
    return own + b"\n\n" + body + b"\n\n" + (HERE / "decoys" / "hooks.py").read_bytes()
