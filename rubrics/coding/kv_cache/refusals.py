"""Illegal calls: what must be raised, and looks before and after each.

The note of an illegal step is the tuple of errors that the contract allows.
"""

from grader.exercises.authoring import Array, Call, Choice, Get, New, Op, Trace, normal

from .operations import Scene

Refusal = tuple[Op, str]
VALUE, FULL = "ValueError", "CacheFull"


def refused(choice: Choice) -> Trace:
    """A few illegal calls on one cache."""
    scene = _filled(choice)
    options = illegal_calls(scene)
    _refuse(scene, [choice.member(options) for _ in range(choice.integer(1, 6))])
    _goes_on(scene)
    return scene.trace.build()


def every_refusal(choice: Choice) -> Trace:
    """Every illegal call on one cache."""
    scene = _filled(choice)
    _refuse(scene, illegal_calls(scene))
    _goes_on(scene)
    return scene.trace.build()


def _filled(choice: Choice) -> Scene:
    """A cache with some tokens: none, some, or all it can hold."""
    capacity = choice.integer(1, 6)
    scene = Scene(choice, choice.member((1, 2, 3)), choice.member((1, 2, 4)), capacity)
    scene.append(choice.integer(0, capacity))
    return scene


def _control(scene: Scene, cache: str) -> None:
    """A cache of one token gives that token's value, whatever the query."""
    scene.new(cache)
    scene.append(1, cache)
    scene.attend(1, cache=cache)
    scene.trace.probe(Get("length", cache))


def _goes_on(scene: Scene) -> None:
    """After all refusals legal calls work."""
    if scene.length["c"] < scene.capacity:
        scene.append(1)
        scene.trace.add(Get("length", "c"))
    _control(scene, "one")


def _refuse(scene: Scene, calls: list[Refusal]) -> None:
    """Looks at all that can be seen before the illegal calls and after each of them."""
    q = scene.queries(1)
    _look(scene, q)
    for op, error in calls:
        scene.trace.add(op, note=(error,))
        _look(scene, q)


def _look(scene: Scene, q: Array) -> None:
    scene.look()
    if scene.length["c"]:
        scene.attend_with(q)


def illegal_calls(scene: Scene) -> list[Refusal]:
    """All kinds of illegal calls that the cache's present state offers."""
    return [
        *_constructors(),
        *_bad_tokens(scene, "append"),
        *_bad_queries(scene),
        *_bad_steps(scene),
        *_overflows(scene),
        (Call("truncate", (-1,), on="c"), VALUE),
        (Call("truncate", (scene.length["c"] + 1,), on="c"), VALUE),
    ]


def _constructors() -> list[Refusal]:
    good = (2, 4, 8)
    sizes = [(*good[:i], bad, *good[i + 1 :]) for i in range(3) for bad in (0, -1)]
    kinds = ("float64", "int8", "")
    return [
        *((New("x", "KVCache", size), VALUE) for size in sizes),
        *((New("x", "KVCache", (*good, kind)), VALUE) for kind in kinds),
    ]


def _bad_tokens(scene: Scene, name: str) -> list[Refusal]:
    """Keys and values of a wrong shape; for step beside a right query."""
    heads, dim = scene.kv_heads, scene.head_dim
    good = (1, heads, dim)
    pairs = [
        ((heads, dim), (heads, dim)),
        ((1, 1, heads, dim), (1, 1, heads, dim)),
        ((1, heads + 1, dim), (1, heads + 1, dim)),
        ((1, heads, dim + 1), (1, heads, dim + 1)),
        (good, (1, heads + 1, dim)),
        (good, (1, heads, dim + 1)),
        (good, (2, heads, dim)),
        ((2, heads, dim), good),
        ((scene.capacity + 1, heads, dim), (scene.capacity + 2, heads, dim)),
    ]
    query = () if name == "append" else (_array(scene, good),)
    return [
        (Call(name, (*query, _array(scene, k), _array(scene, v)), on="c"), VALUE) for k, v in pairs
    ]


def _bad_query_shapes(scene: Scene, rows: int) -> list[tuple[int, ...]]:
    heads, dim = scene.kv_heads, scene.head_dim
    shapes: list[tuple[int, ...]] = [
        (heads, dim),
        (1, 1, heads, dim),
        (rows, heads, dim + 1),
        (rows, 0, dim),
    ]
    return shapes if heads == 1 else [*shapes, (rows, heads + 1, dim), (rows, 1, dim)]


def _bad_queries(scene: Scene) -> list[Refusal]:
    length = scene.length["c"]
    shapes = _bad_query_shapes(scene, min(1, length))
    shapes.append((length + 1, scene.kv_heads, scene.head_dim))
    return [(Call("attend", (_array(scene, shape),), on="c"), VALUE) for shape in shapes]


def _bad_steps(scene: Scene) -> list[Refusal]:
    """Steps of one token with a fault in the query or in the tokens."""
    token = (1, scene.kv_heads, scene.head_dim)
    shapes = _bad_query_shapes(scene, 1)
    shapes.append((scene.length["c"] + 2, scene.kv_heads, scene.head_dim))
    queries = [(Call("step", _arrays(scene, q, token, token), on="c"), VALUE) for q in shapes]
    return queries + _bad_tokens(scene, "step")


def _overflows(scene: Scene) -> list[Refusal]:
    """One token too many, alone and beside an argument error, which comes first."""
    heads, dim = scene.kv_heads, scene.head_dim
    over = scene.capacity - scene.length["c"] + 1
    tokens, wrong = (over, heads, dim), (over, heads, dim + 1)
    row, rows = (1, heads, dim), (scene.capacity + 2, heads, dim)
    return [
        (Call("append", _arrays(scene, tokens, tokens), on="c"), FULL),
        (Call("step", _arrays(scene, row, tokens, tokens), on="c"), FULL),
        (Call("append", _arrays(scene, wrong, wrong), on="c"), VALUE),
        (Call("append", _arrays(scene, tokens, wrong), on="c"), VALUE),
        (Call("step", _arrays(scene, wrong, tokens, tokens), on="c"), VALUE),
        (Call("step", _arrays(scene, rows, tokens, tokens), on="c"), VALUE),
    ]


def _arrays(scene: Scene, *shapes: tuple[int, ...]) -> tuple[Array, ...]:
    return tuple(_array(scene, shape) for shape in shapes)


def _array(scene: Scene, shape: tuple[int, ...]) -> Array:
    """Its numbers do not matter: the shape is wrong, or the cache is full."""
    return normal(shape, len(shape))
