"""Histories in which somebody writes into arrays that were handed in or handed out.

The looks are as simple as can be: one query head to a key-value head, one row, scale one.
"""

from grader.exercises.authoring import Call, Choice, Read, Ref, Trace, Write, normal

from .operations import LAYOUTS, Scene, seed

FILL = 5.0


def borrowed(choice: Choice) -> Trace:
    """A few calls whose arrays are written into afterwards."""
    heads, dim = choice.integer(1, 2), choice.member((2, 3, 4, 8))
    scene = Scene(choice, heads, dim, 40)
    for number in range(choice.integer(1, 4)):
        action = choice.member((lent_tokens, reused_buffer, lent_queries, lent_step, kept_results))
        action(scene, choice, str(number))
        _look(scene)
    return scene.trace.build()


def each_once(choice: Choice) -> Trace:
    """Every way of writing into somebody's array, in one cache."""
    scene = Scene(choice, 2, 4, 40)
    for number, action in enumerate(
        (lent_tokens, reused_buffer, lent_queries, lent_step, kept_results, long_lent)
    ):
        action(scene, choice, str(number))
        _look(scene)
    return scene.trace.build()


def lent_tokens(scene: Scene, choice: Choice, tag: str) -> None:
    """Keys and values in any layout, write-protected or overwritten after the call."""
    count, names = choice.integer(1, 3), (f"k{tag}", f"v{tag}")
    layout, readonly = choice.member(LAYOUTS), choice.boolean(0.3)
    arrays = [scene.tokens(count).laid(layout, readonly=readonly, into=name) for name in names]
    scene.append_these(arrays, count)
    _read_then_overwrite(scene, names, readonly)


def long_lent(scene: Scene, choice: Choice, tag: str) -> None:
    """The same with more tokens than any example shows."""
    names = (f"k{tag}", f"v{tag}")
    scene.append_these([scene.tokens(20).laid(into=name) for name in names], 20)
    _read_then_overwrite(scene, names, readonly=False)


def reused_buffer(scene: Scene, choice: Choice, tag: str) -> None:
    """One buffer of one token is filled and appended again and again."""
    names = (f"k{tag}", f"v{tag}")
    scene.append_these([scene.tokens(1).laid(into=name) for name in names], 1)
    for _ in range(choice.integer(1, 2)):
        for name in names:
            scene.trace.add(Write(name, scene.tokens(1)))
        scene.append_these([Ref(name) for name in names], 1)


def lent_queries(scene: Scene, choice: Choice, tag: str) -> None:
    """Queries in any layout, read back and overwritten."""
    if not scene.length["c"]:
        scene.append(2)
    name, layout = f"q{tag}", choice.member(LAYOUTS)
    q = scene.queries(1).laid(layout, into=name)
    scene.trace.add(Call("attend", (q,), on="c", quiet=True))  # scaled, perhaps in place
    scene.trace.probe(Read(name))
    scene.trace.add(Call("attend", (Ref(name), 1.0), on="c", into=f"out{tag}"))
    _read_then_overwrite(scene, (name,), readonly=False)
    scene.trace.probe(Read(f"out{tag}"))


def lent_step(scene: Scene, choice: Choice, tag: str) -> None:
    """A step whose arrays are read back and overwritten, the result too."""
    names = (f"q{tag}", f"k{tag}", f"v{tag}")
    layout, readonly = choice.member(LAYOUTS), choice.boolean(0.3)
    shape = (1, scene.kv_heads, scene.head_dim)
    arrays = [normal(shape, seed(choice)).laid(layout, readonly=readonly, into=n) for n in names]
    scene.length["c"] += 1
    scene.trace.add(Call("step", (*arrays, 1.0), on="c", into=f"out{tag}"))
    _read_then_overwrite(scene, names, readonly)
    scene.trace.add(Write(f"out{tag}", FILL))


def kept_results(scene: Scene, choice: Choice, tag: str) -> None:
    """Results kept while the cache is emptied and filled anew, then overwritten."""
    scene.append(2)
    names = (f"K{tag}", f"V{tag}", f"out{tag}")
    scene.trace.add(Call("keys", on="c", into=names[0]))
    scene.trace.add(Call("values", on="c", into=names[1]))
    scene.trace.add(Call("attend", (scene.queries(1), 1.0), on="c", into=names[2]))
    scene.reset()
    scene.append(3)
    scene.attend(1, scale=1.0)
    _read_then_overwrite(scene, names, readonly=False)


def _read_then_overwrite(scene: Scene, names: tuple[str, ...], readonly: bool) -> None:
    for name in names:
        scene.trace.probe(Read(name))
        if not readonly:
            scene.trace.add(Write(name, FILL))


def _look(scene: Scene) -> None:
    scene.look()
    if scene.length["c"]:
        scene.attend(1, scale=1.0)
