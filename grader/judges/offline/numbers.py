"""Quantities in text: figures with units, as written or spoken, compared within a tolerance."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.domain.question import Number

_DECIMAL = {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "p": 1e15}
_BINARY = {"k": 2.0**10, "m": 2.0**20, "g": 2.0**30, "t": 2.0**40, "p": 2.0**50}
_PREFIX_WORDS = {"kilo": "k", "mega": "m", "giga": "g", "tera": "t", "peta": "p"}
_BINARY_WORDS = {"kibi": "k", "mebi": "m", "gibi": "g", "tebi": "t", "pebi": "p"}
_SCALES = {
    "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "hundred": 1e2,
    "k": 1e3, "bn": 1e9,
}  # fmt: skip
_PLAIN_UNITS: dict[str, tuple[tuple[float, ...], str]] = {
    "b": ((1.0, 1e9), ""),
    "byte": ((1.0,), "byte"),
    "bytes": ((1.0,), "byte"),
} | {prefix: ((_DECIMAL[prefix], _BINARY[prefix]), "") for prefix in "kmgt"}
_PREFIXED = re.compile(
    r"(?P<prefix>[kmgtp])i?(?:(?P<flop>flops?)|(?P<bit>bits?)|(?:bytes?|b)(?P<rate>ps)?)"
)
_TIMES = {
    "ns": 1e-9, "nanosecond": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "microsecond": 1e-6,
    "ms": 1e-3, "msec": 1e-3, "millisecond": 1e-3, "s": 1.0, "sec": 1.0, "second": 1.0,
    "min": 60.0, "minute": 60.0, "h": 3600.0, "hour": 3600.0, "day": 86400.0,
}  # fmt: skip
_COUNTED = {
    "token": "token", "tok": "token", "parameter": "parameter", "param": "parameter",
    "weight": "parameter", "request": "request", "req": "request", "block": "block",
    "page": "block", "layer": "layer", "head": "head", "gpu": "gpu", "step": "step",
    "x": "times", "×": "times", "times": "times", "fold": "times", "percent": "percent",
    "%": "percent", "flop": "flop", "flops": "flop", "op": "flop", "operation": "flop",
    "bit": "bit", "slot": "slot", "sequence": "sequence", "user": "user",
}  # fmt: skip
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_SPOKEN = {w: float(i) for i, w in enumerate(_ONES)} | {
    w: 10.0 * (i + 2) for i, w in enumerate(_TENS)
}
_SHARES = {"percent": 0.01, "share": 1.0}

_FIGURE = re.compile(
    r"(?<![\w.])(?P<base>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?:e(?P<exp>[+-]?\d{1,3})\b)?"
    r"(?:\s*(?:\^|\*\*)\s*(?P<power>[+-]?\d{1,3}))?"
    r"(?:\s*[x×*]\s*10\s*(?:\^|\*\*)\s*(?P<sci>[+-]?\d{1,3}))?",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"[ \t]*-?[ \t]*(?P<scale>thousand|million|billion|trillion|bn)?[ \t]*-?[ \t]*"
    r"(?P<unit>%|[×µμ]?[a-z]+)?(?:[ \t]*(?:/|\bper\b|\ba\b)[ \t]*(?P<per>[µμ]?[a-z]+))?",
    re.IGNORECASE,
)
_SPOKEN_FIGURE = re.compile(
    r"\b(?:" + "|".join([*_SPOKEN, "hundred", "thousand", "million", "billion", "point", "half"])
    + r")\b(?:[ -]+(?:and[ ]+)?(?:"
    + "|".join([*_SPOKEN, "hundred", "thousand", "million", "billion", "trillion", "point"])
    + r")\b)*",
    re.IGNORECASE,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure of a text.

    Attributes:
        values: The figure in base units; two where a prefix may be decimal or binary.
        dimension: ``byte``, ``byte/second``, ``second``, ``percent``, ...; empty where unknown.
    """

    values: tuple[float, ...]
    dimension: str
    start: int
    end: int


def quantities(text: str) -> list[Quantity]:
    """All figures of a text, in order of place, written ones and spoken ones."""
    written = list(_written(text))
    taken = {i for q in written for i in range(q.start, q.end)}
    spoken = [q for q in _spoken(text) if q.start not in taken]
    return sorted(written + spoken, key=lambda q: q.start)


def expected(number: Number) -> Quantity | None:
    """What a rubric's figure means in base units; None while it is still an expression."""
    try:
        value = float(number.value)
    except ValueError:
        return None
    scale, dimension = _unit_of(*_unit_parts(number.unit))
    return Quantity(tuple(value * s for s in scale), dimension, 0, 0)


def matches(found: Quantity, wanted: Quantity, tolerance: float) -> bool:
    """Whether a figure of the answer is the one the rubric expects.

    A bare figure stands for the unit that is expected only where the values agree as written;
    decimal and binary prefixes count as the same unit.
    """
    if found.dimension and wanted.dimension and found.dimension != wanted.dimension:
        return _as_share(found, wanted, tolerance)
    return _close(found.values, wanted.values, tolerance)


def _close(found: Sequence[float], wanted: Sequence[float], tolerance: float) -> bool:
    return any(
        math.isclose(f, w, rel_tol=0.0, abs_tol=abs(w) * tolerance + 1e-12)
        for f in found
        for w in wanted
    )


def _as_share(found: Quantity, wanted: Quantity, tolerance: float) -> bool:
    """Whether both are shares of a whole and agree: half and 50 % are one figure."""
    if {found.dimension, wanted.dimension} != {"percent", "share"}:
        return False
    left, right = ([v * _SHARES[q.dimension] for v in q.values] for q in (found, wanted))
    return _close(left, right, tolerance)


def _written(text: str) -> Iterator[Quantity]:
    for match in _FIGURE.finditer(text):
        value = _figure_value(match)
        if not math.isfinite(value):
            continue
        unit = _UNIT.match(text, match.end())
        yield _quantity(value, unit, match.start(), match.end())


def _figure_value(match: re.Match[str]) -> float:
    value = float(match["base"].replace(",", ""))
    try:
        if match["exp"]:
            value *= 10.0 ** int(match["exp"])
        if match["power"]:
            value **= int(match["power"])
        if match["sci"]:
            value *= 10.0 ** int(match["sci"])
    except (OverflowError, ZeroDivisionError):
        return math.inf
    return value


def _quantity(value: float, unit: re.Match[str] | None, start: int, end: int) -> Quantity:
    if unit is None:
        return Quantity((value,), "", start, end)
    if unit["scale"]:
        value *= _SCALES[unit["scale"].lower()]
    scale, dimension = _unit_of(unit["unit"] or "", unit["per"] or "")
    reach = unit.end() if dimension or unit["scale"] else end
    return Quantity(tuple(value * s for s in scale), dimension, start, reach)


def _unit_parts(unit: str) -> tuple[str, str]:
    head, _, per = re.sub(r"\s+per\s+", "/", unit.strip()).partition("/")
    return head.strip(), per.strip()


def _unit_of(head: str, per: str) -> tuple[tuple[float, ...], str]:
    """Scales to base units and the dimension of a unit; ``((1.0,), "")`` where it is none."""
    scales, dimension = _simple_unit(head)
    if not per:
        return scales, dimension
    per_scales, per_dimension = _simple_unit(per)
    if not dimension or not per_dimension:
        return scales, dimension
    if (dimension, per_dimension) == ("flop", "second"):
        return scales, dimension
    return tuple(s / per_scales[0] for s in scales), f"{dimension}/{per_dimension}"


def _simple_unit(unit: str) -> tuple[tuple[float, ...], str]:
    low = unit.lower()
    for name in (low, low.removesuffix("s")):
        if name in _TIMES:
            return (_TIMES[name],), "second"
        if name in _COUNTED:
            return (1.0,), _COUNTED[name]
    return _sized_unit(unit)


def _sized_unit(unit: str) -> tuple[tuple[float, ...], str]:
    """Bytes, bits and operations with a prefix, or a bare prefix such as the B of 70B."""
    low = _with_letter_prefix(unit.lower())
    if low in _PLAIN_UNITS:
        return _PLAIN_UNITS[low]
    match = _PREFIXED.fullmatch(low)
    if match is None:
        return (1.0,), ""
    decimal, binary = _DECIMAL[match["prefix"]], _BINARY[match["prefix"]]
    if match["flop"]:
        return (decimal,), "flop"  # "TFLOPS" and "TFLOP/s" are told apart by nobody
    if match["bit"]:
        return (decimal, binary), "bit"
    return (decimal, binary), "byte/second" if match["rate"] else "byte"


def _with_letter_prefix(unit: str) -> str:
    for word, letter in (_PREFIX_WORDS | _BINARY_WORDS).items():
        if unit.startswith(word):
            return letter + unit.removeprefix(word)
    return unit


def _spoken(text: str) -> Iterator[Quantity]:
    for match in _SPOKEN_FIGURE.finditer(text):
        words = [w for w in re.split(r"[ -]+", match[0].lower()) if w != "and"]
        if words[0] in ("one", "point", "hundred", "thousand") and len(words) == 1:
            continue
        if words == ["half"]:
            yield Quantity((0.5,), "share", match.start(), match.end())
            continue
        value = _spoken_value(words)
        if math.isfinite(value):
            yield _quantity(value, _UNIT.match(text, match.end()), *match.span())


def _spoken_value(words: Sequence[str]) -> float:
    """Value of "three point three five", "one hundred and forty", "two million"."""
    total, group = 0.0, 0.0
    decimals = None
    for word in words:
        if word == "point":
            decimals = 0.1
        elif decimals is not None and word in _SPOKEN:
            group += _SPOKEN[word] * decimals
            decimals /= 10
        elif word in _SPOKEN:
            group += _SPOKEN[word]
        elif word == "hundred":
            group = (group or 1.0) * 100
        elif word in _SCALES:
            total += (group or 1.0) * _SCALES[word]
            group = 0.0
    return total + group
