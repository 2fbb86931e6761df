"""Histories of a cache, each with the looks that one invariant needs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grader.exercises.arrays import Layout
from grader.exercises.authoring import (
    Array,
    Call,
    Choice,
    Get,
    New,
    Trace,
    TraceBuilder,
    normal,
)

DIMS = (1, 2, 3, 4, 8, 16)
SCALES = (None, 0.125, 0.25)
INPUTS = ("float32", "float32", "float16", "float64")
LAYOUTS: tuple[Layout, ...] = ("contiguous", "strided", "reversed", "transposed")


@dataclass(frozen=True)
class Sizes:
    """Sizes of the large case of an invariant.

    Attributes:
        tokens: Least and most tokens.
        kv_heads: Key-value heads.
        ratio: Query heads to one key-value head, where heads are grouped.
    """

    tokens: tuple[int, int]
    kv_heads: int
    ratio: int
    head_dim: int


def seed(choice: Choice) -> int:
    """A seed for one array."""
    return choice.integer(0, 2**32 - 1)


class Scene:
    """A trace under construction on caches of one shape.

    Args:
        choice: Decides everything random.
        cache: Handle of the first cache.
    """

    def __init__(
        self,
        choice: Choice,
        kv_heads: int,
        head_dim: int,
        capacity: int,
        dtype: str = "float32",
        cache: str = "c",
    ) -> None:
        self.choice = choice
        self.kv_heads, self.head_dim, self.capacity = kv_heads, head_dim, capacity
        self.dtype = dtype
        self.length: dict[str, int] = {}
        self.trace = TraceBuilder()
        self.inputs = "float32"
        self.new(cache)

    def new(self, cache: str) -> None:
        """One more cache of the same shape."""
        shape = (self.kv_heads, self.head_dim, self.capacity)
        stored = () if self.dtype == "float32" else (self.dtype,)
        self.trace.add(New(cache, "KVCache", (*shape, *stored)))
        self.length[cache] = 0

    def tokens(self, count: int) -> Array:
        """Fresh keys or values of so many tokens."""
        return normal((count, self.kv_heads, self.head_dim), seed(self.choice), self.inputs)

    def queries(self, rows: int, ratio: int = 1) -> Array:
        """Fresh queries."""
        shape = (rows, self.kv_heads * ratio, self.head_dim)
        return normal(shape, seed(self.choice), self.inputs)

    def append(self, count: int, cache: str = "c") -> None:
        """Appends fresh tokens."""
        self.append_these([self.tokens(count), self.tokens(count)], count, cache)

    def append_these(self, pair: Sequence[Any], count: int, cache: str = "c") -> None:
        """Appends given keys and values, by position or by name."""
        self.length[cache] += count
        self._call("append", dict(zip("kv", pair, strict=True)), cache)

    def attend(
        self, rows: int, ratio: int = 1, scale: float | None = None, cache: str = "c"
    ) -> None:
        """Attends with fresh queries."""
        self.attend_with(self.queries(rows, ratio), scale, cache)

    def attend_with(self, q: Any, scale: float | None = None, cache: str = "c") -> None:
        """Attends with given queries; it only looks."""
        self.trace.probe(Call("attend", (_named(q, "q"),), _scaled(scale), on=cache))

    def step(self, rows: int, count: int, ratio: int = 1, scale: float | None = None) -> None:
        """Appends fresh tokens and attends with fresh queries."""
        self.length["c"] += count
        arguments = {"q": self.queries(rows, ratio)}
        arguments |= {"k": self.tokens(count), "v": self.tokens(count)}
        self._call("step", arguments | _scaled(scale), "c")

    def truncate(self, length: int) -> None:
        """Rolls back."""
        self.length["c"] = length
        self.trace.add(Call("truncate", (length,), on="c"))

    def reset(self) -> None:
        """Forgets everything."""
        self.length["c"] = 0
        self.trace.add(Call("reset", on="c"))

    def look(self, cache: str = "c") -> None:
        """Looks at length, keys and values."""
        self.trace.probe(Get("length", cache))
        self.trace.probe(Call("keys", on=cache))
        self.trace.probe(Call("values", on=cache))

    def _call(self, name: str, arguments: dict[str, Any], cache: str) -> None:
        arguments = {name: _named(value, name) for name, value in arguments.items()}
        if self.choice.boolean(0.2):
            self.trace.add(Call(name, kwargs=arguments, on=cache))
        else:
            self.trace.add(Call(name, tuple(arguments.values()), on=cache))


def _named(value: Any, name: str) -> Any:
    """An array under a name, which makes a counter-example legible."""
    if isinstance(value, Array) and value.into is None:
        return replace(value, into=name)
    return value


def _scaled(scale: float | None) -> dict[str, float]:
    return {} if scale is None else {"scale": scale}


# KV1


def prefills(choice: Choice) -> Trace:
    """Everything appended at once, then every position queried."""
    tokens = choice.member((2, 1, 3, 5, 8, 13))
    spare = choice.member((1, 0, 0, 5))
    scene = Scene(choice, choice.integer(1, 3), choice.member(DIMS), tokens + spare)
    scene.inputs = choice.member(INPUTS)
    scene.append(tokens)
    scene.attend(tokens, scale=choice.member(SCALES))
    scene.look()
    return scene.trace.build()


def large_prefill(sizes: Sizes) -> Callable[[Choice], Trace]:
    """One long prompt that fills its cache."""

    def generate(choice: Choice) -> Trace:
        tokens = choice.integer(*sizes.tokens)
        scene = Scene(choice, sizes.kv_heads, sizes.head_dim, tokens)
        scene.append(tokens)
        scene.attend(tokens)
        scene.trace.probe(Get("length", "c"))
        return scene.trace.build()

    return generate


# KV2


def partitions(choice: Choice) -> Trace:
    """A sequence cut into chunks, each handed to step."""
    heads, dim = choice.integer(1, 3), choice.member(DIMS)
    chunks = _chunks(choice, choice.member((3, 1, 2, 7, 12)))
    scene = Scene(choice, heads, dim, max(sum(chunks), 1))
    scene.inputs = choice.member(INPUTS)
    for count in chunks:
        scene.step(count, count)
    scene.look()
    return scene.trace.build()


def large_partition(sizes: Sizes) -> Callable[[Choice], Trace]:
    """A long sequence in slices of arrays that are named once, so that it can be shown."""

    def generate(choice: Choice) -> Trace:
        tokens = choice.integer(*sizes.tokens)
        heads, dim = sizes.kv_heads, sizes.head_dim
        whole = {name: normal((tokens, heads, dim), seed(choice)) for name in "qkv"}
        chunks = _chunks(choice, tokens, most=64)
        trace = TraceBuilder(code=_partition_code(whole, chunks, (heads, dim, tokens)))
        trace.add(New("c", "KVCache", (heads, dim, tokens)))
        start = 0
        for count in chunks:
            parts = [_part(whole[name], name, start, start + count) for name in "qkv"]
            trace.add(Call("step", tuple(parts), on="c"))
            start += count
        trace.probe(Get("length", "c"))
        return trace.build()

    return generate


def _chunks(choice: Choice, tokens: int, most: int = 4) -> list[int]:
    """Chunks that sum to the tokens: all ones, or any, empty ones among them."""
    if choice.boolean(0.3):
        return [1] * tokens
    chunks: list[int] = []
    left = tokens
    while left:
        chunks.append(min(choice.integer(0, most), left) if len(chunks) < 2 * tokens else left)
        left -= chunks[-1]
    return chunks


def _part(whole: Array, name: str, start: int, stop: int) -> Array:
    return Array(f"{name}[{start}:{stop}]", lambda: whole.values[start:stop])


def _partition_code(whole: dict[str, Array], chunks: list[int], shape: tuple[int, int, int]) -> str:
    cuts = f"[1] * {len(chunks)}" if set(chunks) == {1} else str(chunks)
    return "\n".join(
        (
            "import numpy as np",
            "from kv_cache import KVCache",
            *(f"{name} = {array.code}" for name, array in whole.items()),
            f"c, start = KVCache{shape}, 0",
            f"for n in {cuts}:",
            "    rows = slice(start, start + n)",
            "    out, start = c.step(q[rows], k[rows], v[rows]), start + n",
            "print(c.length, out)",
        )
    )


# KV3


def grouped_heads(choice: Choice) -> Trace:
    """Single rows whose number of query heads changes from call to call."""
    kv_heads = choice.member((2, 1, 3, 4))
    tokens = choice.integer(2, 10)
    scene = Scene(choice, kv_heads, choice.member(DIMS[1:]), tokens)
    scene.append(tokens - 2)
    for _ in range(2):
        scene.step(1, 1, choice.member((2, 1, 4, 8)))
    for _ in range(choice.integer(0, 3)):
        scene.attend(1, choice.member((2, 1, 4, 8)))
    return scene.trace.build()


def large_grouped(sizes: Sizes) -> Callable[[Choice], Trace]:
    """Many tokens, then grouped heads."""

    def generate(choice: Choice) -> Trace:
        tokens = choice.integer(*sizes.tokens)
        scene = Scene(choice, sizes.kv_heads, sizes.head_dim, tokens)
        scene.append(tokens - 1)
        scene.step(1, 1, sizes.ratio)
        scene.attend(1, 1)
        scene.attend(1, sizes.ratio)
        return scene.trace.build()

    return generate


# KV4


def offsets(choice: Choice) -> Trace:
    """Several rows on a cache that is not empty, fewer or more than the tokens of the call."""
    kept, count = choice.integer(1, 8), choice.integer(1, 6)
    scene = Scene(choice, choice.integer(1, 2), choice.member(DIMS), kept + count + 6)
    scene.inputs = choice.member(INPUTS)
    scene.append(kept)
    scene.attend(choice.integer(1, kept))
    rows = choice.integer(1, kept + count)
    scene.step(rows, count, scale=choice.member(SCALES))
    more = choice.integer(2, 6)
    scene.step(choice.integer(1, more - 1), more)
    scene.attend(choice.integer(2, scene.length["c"]))
    return scene.trace.build()


def futures(choice: Choice) -> Trace:
    """Two caches that differ in their last tokens only, asked about the positions before them."""
    shared, later = choice.integer(1, 8), choice.integer(1, 4)
    scene = Scene(choice, choice.integer(1, 2), choice.member(DIMS), shared + later, cache="a")
    scene.new("b")
    pair = [scene.tokens(shared), scene.tokens(shared)]
    for cache in ("a", "b"):
        scene.append_these(pair, shared, cache)
        scene.append(later, cache)
    q = scene.queries(later + choice.integer(1, shared))
    for cache in ("a", "b"):
        scene.attend_with(q, cache=cache)
    return scene.trace.build()


def large_offsets(sizes: Sizes) -> Callable[[Choice], Trace]:
    """A long cache, then a draft of a few tokens with fewer and with more rows."""

    def generate(choice: Choice) -> Trace:
        tokens = choice.integer(*sizes.tokens)
        scene = Scene(choice, sizes.kv_heads, sizes.head_dim, tokens)
        draft = choice.integer(6, 9)
        scene.append(tokens - 2 * draft)
        scene.step(choice.integer(2, draft - 1), draft)
        scene.step(draft + choice.integer(1, 40), draft)
        return scene.trace.build()

    return generate


# KV7


def rollbacks(choice: Choice) -> Trace:
    """Appends and roll-backs in a small cache, all of which is looked at each time."""
    scene = Scene(choice, choice.integer(1, 2), choice.member(DIMS), choice.integer(2, 9))
    scene.append(choice.integer(1, scene.capacity))
    _roll_back(scene, choice)
    for _ in range(choice.integer(0, 5)):
        room = scene.capacity - scene.length["c"]
        if room and choice.boolean(0.6):
            scene.append(choice.integer(1, room))
        else:
            _roll_back(scene, choice)
        _look_closely(scene)
    scene.append(scene.capacity - scene.length["c"])
    _look_closely(scene)
    return scene.trace.build()


def long_rollbacks(choice: Choice) -> Trace:
    """Drafts of a few tokens, some of them taken back, up to 500 operations and a full cache."""
    scene = Scene(choice, 1, 4, choice.integer(200, 240))
    for number in range(230):
        room = scene.capacity - scene.length["c"]
        scene.append(min(choice.integer(1, 5), room))
        back = min(choice.integer(0, 4), scene.length["c"])
        scene.truncate(scene.length["c"] - back)
        if number % 23 == 0:
            _look_closely(scene)
    scene.reset()
    scene.append(scene.capacity)
    _look_closely(scene)
    return scene.trace.build()


def _roll_back(scene: Scene, choice: Choice) -> None:
    if choice.boolean(0.25):
        scene.reset()
    else:
        scene.truncate(choice.integer(0, scene.length["c"]))


def _look_closely(scene: Scene) -> None:
    scene.look()
    if scene.length["c"]:
        scene.attend(1)
