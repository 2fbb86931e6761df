"""Histories of a block manager, each with the probes that one invariant needs."""

from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache

from grader.exercises.authoring import Call, Choice, New, Op, Read, Ref, Trace, TraceBuilder, Write

from .reference import BlockManager, OutOfBlocks

SeqId = int | str
IDS: tuple[SeqId, ...] = (1, "1", 2, "a", 3, "b", 4, "c", 5, "d", 6, "e")
LONG = 500


@lru_cache(4096)
def _call(name: str, *args: SeqId | None) -> Call:
    """The same few calls are made over and over."""
    return Call(name, args, on="m")


class Scene:
    """A history under construction, beside a pool that knows what is legal next.

    The pool's own choice of block ids is never sent: only sequence ids, token counts and forks.
    """

    def __init__(self, num_blocks: int, block_size: int, look: "Look") -> None:
        self.trace = TraceBuilder(num_blocks=num_blocks, block_size=block_size)
        self.pool = BlockManager(num_blocks, block_size)
        self.num_blocks, self.block_size = num_blocks, block_size
        self.live: list[SeqId] = []
        self._look = look
        self.trace.add(New("m", "BlockManager", (num_blocks, block_size)))

    def do(self, name: str, *args: SeqId | None) -> None:
        """One operation, then the probes."""
        self.trace.add(_call(name, *args))
        with suppress(OutOfBlocks, ValueError, KeyError):
            getattr(self.pool, name)(*args)
            if name == "free":
                self.live.remove(args[0])
            elif name in ("allocate", "fork"):
                self.live.append(args[name == "fork"])
        self._look(self, args[name == "fork"])

    def probe(self, name: str, *args: SeqId) -> None:
        """One look."""
        self.trace.probe(_call(name, *args))

    def unused(self, choice: Choice) -> SeqId | None:
        """An id that is not in use, or None when all twelve are."""
        spare = [i for i in IDS if i not in self.live]
        return choice.member(spare) if spare else None

    def takes_block(self, seq: SeqId) -> bool:
        """Whether the next append to a live sequence needs a free block."""
        tokens = self.pool.num_tokens(seq)
        return tokens % self.block_size == 0 or (
            self.pool.ref_count(self.pool.block_table(seq)[-1]) > 1
        )


Look = Callable[[Scene, SeqId], None]


def look_at_tables(scene: Scene, touched: SeqId) -> None:
    """Every live table."""
    for seq in scene.live:
        scene.probe("block_table", seq)


def look_at_space(scene: Scene, touched: SeqId) -> None:
    """Every live table, the length of the sequence worked on, and the free blocks."""
    look_at_tables(scene, touched)
    if touched in scene.live:
        scene.probe("num_tokens", touched)
    scene.probe("num_free_blocks")


def look_at_counts(scene: Scene, touched: SeqId) -> None:
    """Every live table and the count of every block."""
    look_at_tables(scene, touched)
    for block in range(scene.num_blocks):
        scene.probe("ref_count", block)


def look_at_everything(scene: Scene, touched: SeqId) -> None:
    """All observable state."""
    look_at_family(scene, touched)
    for block in range(scene.num_blocks):
        scene.probe("ref_count", block)


def _sometimes_counts(scene: Scene, touched: SeqId) -> None:
    """Tables each time; the counts of all blocks each tenth time, since a pool may be large."""
    look_at_tables(scene, touched)
    if len(scene.trace) % 10 == 0:
        for block in range(scene.num_blocks):
            scene.probe("ref_count", block)


def _act(scene: Scene, choice: Choice) -> None:
    """One operation, mostly appends; now and then one that the pool cannot serve."""
    action = choice.member(
        ("append", "append", "append", "append", "append", "fork", "fork", "allocate", "free")
    )
    spare = scene.unused(choice)
    if not scene.live or action == "allocate":
        if spare is not None:
            scene.do("allocate", spare, choice.integer(0, 2 * scene.block_size + 1))
    elif action == "append":
        scene.do("append_slot", choice.member(scene.live))
    elif action == "free":
        scene.do("free", choice.member(scene.live))
    elif spare is not None:
        _fork(scene, choice, choice.member(scene.live), spare)


def _fork(scene: Scene, choice: Choice, parent: SeqId, child: SeqId) -> None:
    if choice.boolean(0.5):
        scene.do("fork", parent, child, choice.integer(0, scene.pool.num_tokens(parent)))
    else:
        scene.do("fork", parent, child)


def histories(look: Look, most_blocks: int = 12) -> Callable[[Choice], Trace]:
    """Short random histories over small pools."""

    def generate(choice: Choice) -> Trace:
        block_size = choice.integer(1, 5)
        scene = Scene(choice.integer(1, most_blocks), block_size, look)
        _act(scene, choice)
        while choice.boolean(0.95) and len(scene.trace) < 400:
            _act(scene, choice)
        return scene.trace.build()

    return generate


def long_history(look: Look) -> Callable[[Choice], Trace]:
    """Five hundred operations on the largest pool, which is full for much of the time."""

    def generate(choice: Choice) -> Trace:
        scene = Scene(24, choice.integer(2, 5), look)
        for _ in range(LONG):
            if scene.pool.num_free_blocks() == 0 and choice.boolean(0.3):
                scene.do("free", choice.member(scene.live))
            elif len(scene.live) < 4 and choice.boolean(0.3):
                tokens = choice.integer(0, scene.pool.num_free_blocks() * scene.block_size // 2)
                scene.do("allocate", scene.unused(choice), tokens)
            elif len(scene.live) > 5:
                scene.do("free", choice.member(scene.live))
            else:
                _act(scene, choice)
        return scene.trace.build()

    return generate


def counted_long_history(choice: Choice) -> Trace:
    """The long history with counts now and then."""
    return long_history(_sometimes_counts)(choice)


def exhaustion(choice: Choice) -> Trace:
    """A tiny pool driven to its end in each of the three ways, then relieved."""
    block_size = choice.integer(1, 4)
    scene = Scene(choice.integer(2, 5), block_size, look_at_everything)
    scene.do("allocate", 1, choice.integer(1, block_size))
    scene.do("append_slot", 1)
    while choice.boolean(0.7):
        _act(scene, choice)
    _ask_for_too_much(scene, choice)
    _share_a_partial_block(scene, choice)
    _take_the_rest(scene, choice)
    for seq in list(scene.live):
        scene.do("append_slot", seq)
    _ask_for_too_much(scene, choice)
    if scene.live:
        scene.do("free", choice.member(scene.live))
    if scene.live:
        scene.do("append_slot", choice.member(scene.live))
    return scene.trace.build()


def _ask_for_too_much(scene: Scene, choice: Choice) -> None:
    """One block more than there is, however many that are."""
    if (spare := scene.unused(choice)) is not None:
        scene.do("allocate", spare, scene.pool.num_free_blocks() * scene.block_size + 1)


def _share_a_partial_block(scene: Scene, choice: Choice) -> None:
    """Two holders of a block with room, where the block size allows."""
    for seq in list(scene.live):
        spare = scene.unused(choice)
        if spare is not None and scene.pool.num_tokens(seq) % scene.block_size:
            scene.do("fork", seq, spare)
            return


def _take_the_rest(scene: Scene, choice: Choice) -> None:
    """No block is free after this."""
    free = scene.pool.num_free_blocks()
    if free and (spare := scene.unused(choice)) is not None:
        scene.do("allocate", spare, free * scene.block_size)


def questions(choice: Choice) -> Trace:
    """Each request is asked about first, in a pool that is often empty."""
    block_size = choice.integer(1, 4)
    scene = Scene(choice.integer(1, 5), block_size, look_at_touched)
    _ask_allocate(scene, choice, choice.integer(1, 2 * block_size))
    while choice.boolean(0.95) and len(scene.trace) < 300:
        _ask(scene, choice)
    if scene.live:
        _drain(scene, choice)
    return scene.trace.build()


def look_at_touched(scene: Scene, touched: SeqId) -> None:
    """The table of the sequence just worked on."""
    if touched in scene.live:
        scene.probe("block_table", touched)


def _ask(scene: Scene, choice: Choice) -> None:
    action = choice.member(("append", "append", "append", "allocate", "fork", "free"))
    spare = scene.unused(choice)
    if not scene.live or action == "allocate":
        _ask_allocate(scene, choice, choice.integer(0, 2 * scene.block_size + 1))
    elif action == "append":
        _ask_append(scene, choice.member(scene.live))
    elif action == "free" and choice.boolean(0.5):
        scene.do("free", choice.member(scene.live))
    elif action == "fork" and spare is not None:
        _fork(scene, choice, choice.member(scene.live), spare)


def _ask_allocate(scene: Scene, choice: Choice, tokens: int) -> None:
    if (spare := scene.unused(choice)) is not None:
        scene.trace.add(_call("can_allocate", tokens))
        scene.do("allocate", spare, tokens)


def _ask_append(scene: Scene, seq: SeqId) -> None:
    scene.trace.add(_call("can_append", seq))
    scene.do("append_slot", seq)


def _drain(scene: Scene, choice: Choice) -> None:
    """Empties the pool, then asks for every sequence what it can still do."""
    free = scene.pool.num_free_blocks()
    if free and scene.unused(choice) is not None:
        _ask_allocate(scene, choice, max(free * scene.block_size - choice.integer(0, 1), 1))
    _ask_allocate(scene, choice, 1)
    for seq in list(scene.live):
        _ask_append(scene, seq)


def refusals(choice: Choice) -> Trace:
    """Every illegal call on a small pool, all state looked at before and after, then legal ones."""
    block_size = choice.integer(1, 4)
    num_blocks = choice.integer(4, 8)
    scene = Scene(num_blocks, block_size, look_at_everything)
    tokens = choice.integer(1, 2 * block_size)
    scene.do("allocate", 1, tokens)
    scene.do("append_slot", 1)
    bad = _illegal_calls(num_blocks, block_size, tokens + 1)
    start = choice.integer(0, len(bad) - 1)
    for op in bad[start:] + bad[:start]:
        scene.trace.add(op, note="illegal")
        look_at_everything(scene, 1)
    scene.do("allocate", "1", choice.integer(1, block_size))
    scene.do("free", 1)
    for op in (_call("free", 1), _call("append_slot", 1), _call("block_table", 1)):
        scene.trace.add(op, note="illegal")
        look_at_everything(scene, 1)
    return scene.trace.build()


def one_refusal(choice: Choice) -> Trace:
    """One illegal call; small enough to search."""
    block_size, num_blocks = choice.integer(1, 3), choice.integer(3, 6)
    scene = Scene(num_blocks, block_size, look_at_everything)
    tokens = choice.integer(1, 2 * block_size)
    scene.do("allocate", 1, tokens)
    scene.trace.add(choice.member(_illegal_calls(num_blocks, block_size, tokens)), note="illegal")
    look_at_everything(scene, 1)
    scene.do("allocate", "1", choice.integer(1, block_size))
    return scene.trace.build()


def _illegal_calls(num_blocks: int, block_size: int, tokens: int) -> list[Op]:
    """Calls that must raise while sequence 1 of that many tokens is the only one."""
    too_many = (num_blocks + 1) * block_size
    constructors = [New("bad", "BlockManager", a) for a in ((0, 1), (1, 0), (-1, 2), (2, -1))]
    unknown = ("append_slot", "can_append", "free", "block_table", "num_tokens")
    return [
        *constructors,
        _call("allocate", 2, -1),
        _call("can_allocate", -1),
        _call("allocate", 1, 1),
        _call("allocate", 1, 0),
        _call("allocate", 1, too_many),
        _call("fork", 1, 1),
        _call("fork", 1, 2, -1),
        _call("fork", 1, 2, tokens + 1),
        _call("fork", "1", 2),
        _call("fork", "1", 1),
        _call("ref_count", -1),
        _call("ref_count", num_blocks),
        *(_call(name, "1") for name in unknown),
    ]


def borrowed_lists(choice: Choice) -> Trace:
    """Returned lists are overwritten, and held ones read again after the pool has moved on."""
    block_size = choice.integer(1, 3)
    scene = Scene(choice.integer(6, 10), block_size, look_at_touched)
    scene.trace.facts["borrowed"] = True
    tokens = choice.integer(1, 2 * block_size)
    scene.trace.add(Call("allocate", (1, tokens), on="m", into="first"))
    scene.pool.allocate(1, tokens)
    scene.live.append(1)
    scene.probe("block_table", 1)
    if choice.boolean():
        scene.trace.add(Write("first", -7, at=0))
        scene.probe("block_table", 1)
    scene.trace.add(Call("block_table", (1,), on="m", into="held"))
    for _ in range(choice.integer(1, block_size + 1)):
        scene.do("append_slot", 1)
    scene.trace.probe(Read("held"))
    scene.trace.add(Call("block_table", (1,), on="m", into="spoilt"))
    scene.trace.add(Write("spoilt", -9, at=0))
    scene.probe("block_table", 1)
    scene.do("append_slot", 1)
    return scene.trace.build()


def prefixes(choice: Choice) -> Trace:
    """Forks that end before, at and after a block boundary, over three generations."""
    block_size = choice.integer(1, 5)
    scene = Scene(24, block_size, look_at_family)
    tokens = choice.integer(0, 3 * block_size)
    scene.do("allocate", 1, tokens)
    for child in (2, 3, 4, 5):
        parent = choice.member(scene.live)
        scene.do("fork", parent, child, _cut(choice, block_size, scene.pool.num_tokens(parent)))
        for seq in (parent, child):
            if choice.boolean(0.6):
                scene.do("append_slot", seq)
        if choice.boolean(0.25):
            scene.do("free", parent)
    if 1 in scene.live:
        scene.do("free", 1)
    for seq in list(scene.live):
        scene.do("append_slot", seq)
    return scene.trace.build()


def _cut(choice: Choice, block_size: int, tokens: int) -> int | None:
    """A count within the parent's: everything, nothing, or close to a boundary."""
    near = [b + d for b in range(0, tokens + 1, block_size) for d in (-1, 0, 1)]
    legal = sorted({c for c in near if 0 <= c <= tokens} | {0, tokens})
    return choice.member((*legal, None))


def look_at_family(scene: Scene, touched: SeqId) -> None:
    """Tables and lengths of all, then the free blocks."""
    for seq in scene.live:
        scene.probe("block_table", seq)
        scene.probe("num_tokens", seq)
    scene.probe("num_free_blocks")


def costs(choice: Choice) -> Trace:
    """One sequence of 99,000 tokens, then short ones that come and go in the same pool."""
    num_blocks, appends, short, rounds = 100_000, 99_000, 50, 200
    trace = TraceBuilder(num_blocks=num_blocks, block_size=1, appends=appends, short=short)
    trace.add(New("m", "BlockManager", (num_blocks, 1)))
    trace.add(Call("allocate", ("long", 0), on="m"))
    sampled = choice.integer(0, 96)
    quiet = Call("append_slot", ("long",), on="m", quiet=True)
    looked_at = Call("append_slot", ("long",), on="m", into="slot")
    for i in range(appends):
        trace.add(quiet if i % 97 != sampled else looked_at, note=i)
    trace.add(Call("allocate", ("short", short), on="m"))
    for _ in range(rounds):
        trace.add(Call("fork", ("short", "child"), on="m"))
        trace.add(Call("append_slot", ("child",), on="m"))
        trace.probe(Call("can_append", ("child",), on="m"))
        trace.add(Call("free", ("child",), on="m"))
    for name in ("long", "short"):
        trace.probe(Call("num_tokens", (name,), on="m"))
    trace.probe(Call("ref_count", (Ref("slot", (0,)),), on="m"))
    trace.probe(Call("block_table", ("long",), on="m"))
    trace.probe(Call("block_table", ("short",), on="m"))
    trace.probe(Call("num_free_blocks", on="m"))
    return trace.build()
