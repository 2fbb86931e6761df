"""The nine invariants of a block manager, judged by replay."""

from collections.abc import Callable
from typing import Any

from grader.exercises.authoring import (
    Call,
    Cases,
    Check,
    Choice,
    Invariant,
    Mismatch,
    Mode,
    New,
    Read,
    Seen,
    Step,
    Suite,
    Trace,
    Violation,
    Work,
    described,
    error_mismatch,
    shown,
    value_mismatch,
)
from sandbox.observation import Kind, Observation

from . import operations
from .replay import Replay, is_table

SeqId = int | str
Judge = Callable[[Replay, Step, Observation, Work], Mismatch | None]


def replayed(before: Judge | None = None, after: Judge | None = None) -> Check:
    """A check that replays a trace and asks one judge at each step.

    Args:
        before: Asked while the bookkeeping still stands as it was before the step.
        after: Asked when the step is in the books.
    """

    def check(trace: Trace, seen: Seen, work: Work) -> Violation | None:
        replay = Replay.of(trace.facts)
        for index, step, got in seen.pairs(trace):
            wrong = before(replay, step, got, work) if before else None
            wrong = wrong or replay.follow(step, got)
            wrong = wrong or (after(replay, step, got, work) if after else None)
            if wrong:
                return wrong.at(index)
            _count_progress(step, got, work)
        return None

    return check


def _count_progress(step: Step, got: Observation, work: Work) -> None:
    if got.kind is Kind.VALUE and isinstance(step.op, Call) and not step.probe:
        work[step.op.name] += 1


PROGRESS = {"allocate": 1, "append_slot": 1}


# BM1


def conservation(replay: Replay, step: Step, got: Observation, work: Work) -> Mismatch | None:
    """Every block is either free or in a table; tables are as long as their tokens need."""
    match step.op:
        case Call(name="num_free_blocks"):
            return value_mismatch(got, replay.free_blocks())
        case Call(name="num_tokens", args=(seq,)) if seq in replay.sequences:
            return value_mismatch(got, len(replay.sequences[seq].tokens))
        case Call(name="block_table", args=(seq,)) if seq in replay.sequences:
            return _well_formed(replay, seq)
    return None


def _well_formed(replay: Replay, seq: SeqId) -> Mismatch | None:
    table, tokens = replay.sequences[seq].table, len(replay.sequences[seq].tokens)
    blocks = replay.blocks_for(tokens)
    if len(table) != blocks:
        return Mismatch(f"{blocks} blocks for {tokens} tokens", shown(table))
    if any(not 0 <= block < replay.num_blocks for block in table):
        return Mismatch(f"block ids from 0 to {replay.num_blocks - 1}", shown(table))
    if len(set(table)) != len(table):
        return Mismatch("no block twice in one table", shown(table))
    return None


# BM2


def counts(replay: Replay, step: Step, got: Observation, work: Work) -> Mismatch | None:
    """ref_count is the number of tables that hold the block."""
    match step.op:
        case Call(name="ref_count", args=(block,)):
            holders = replay.holders(block)
            work["shared"] += holders > 1
            return value_mismatch(got, holders)
    return None


# BM3


def isolation(replay: Replay, step: Step, got: Observation, work: Work) -> Mismatch | None:
    """Each sequence reads back exactly its own tokens through its table."""
    match step.op:
        case Call(name="block_table", args=(seq,)) if seq in replay.sequences:
            return _reads_back(replay, seq)
    return None


def _reads_back(replay: Replay, seq: SeqId) -> Mismatch | None:
    token = replay.misread(seq)
    if token is None:
        return None
    block, slot = divmod(token, replay.block_size)
    return Mismatch(
        f"sequence {seq!r} finds its token {token} through its table",
        f"slot {slot} of block {replay.sequences[seq].table[block]} does not hold it",
    )


# BM4


def copy_on_write(replay: Replay, step: Step, got: Observation, work: Work) -> Mismatch | None:
    """A copy is ordered exactly for a shared partial block, and the writer moves."""
    match step.op:
        case Call(name="append_slot", args=(seq,)) if seq in replay.sequences:
            return _right_slot(replay, seq, got, work) if got.kind is Kind.VALUE else None
        case Call(name="block_table", args=(seq,)) if seq in replay.sequences:
            return _right_table(replay, seq, got)
    return None


def _right_slot(replay: Replay, seq: SeqId, got: Observation, work: Work) -> Mismatch | None:
    sequence = replay.sequences[seq]
    offset = len(sequence.tokens) % replay.block_size
    if offset and replay.holders(sequence.table[-1]) == 1:
        work["in place"] += 1
        return value_mismatch(got, (sequence.table[-1], offset, None))
    block = got.value[0] if type(got.value) is tuple and got.value else None
    if type(block) is not int or not 0 <= block < replay.num_blocks or block in replay.used():
        return Mismatch(f"a free block (in use: {sorted(replay.used())})", described(got))
    copy = (sequence.table[-1], block) if offset else None
    work["copied" if offset else "full block"] += 1
    return value_mismatch(got, (block, offset, copy))


def _right_table(replay: Replay, seq: SeqId, got: Observation) -> Mismatch | None:
    return value_mismatch(got, replay.sequences[seq].table)


# BM5


class Exhaustion:
    """OutOfBlocks exactly when there are too few blocks, and then nothing has changed."""

    def __init__(self) -> None:
        self._state: dict[str, Any] = {}
        self._expected: dict[str, Any] | None = None

    def __call__(self, replay: Replay, step: Step, got: Observation, work: Work) -> Mismatch | None:
        """Judges one step, the books standing as before it."""
        op = step.op
        if not isinstance(op, Call):
            return None
        if step.probe:
            return self._unchanged(op, got)
        self._expected = None
        if op.name not in ("allocate", "append_slot"):
            return None
        if op.name == "append_slot" and op.args[0] not in replay.sequences:
            return None
        return self._served(replay, op, got, work)

    def _served(self, replay: Replay, op: Call, got: Observation, work: Work) -> Mismatch | None:
        if replay.needed(op) <= replay.free_blocks():
            return None if got.kind is Kind.VALUE else _must_succeed(got)
        if wrong := error_mismatch(got, "OutOfBlocks"):
            return wrong
        self._expected = dict(self._state)
        work[_refused_kind(replay, op)] += 1
        return None

    def _unchanged(self, op: Call, got: Observation) -> Mismatch | None:
        key, value = repr((op.name, op.args)), described(got)
        self._state[key] = value
        if self._expected is None or self._expected.get(key, value) == value:
            return None
        return Mismatch(f"{self._expected[key]}, as before the refused call", value)


def _must_succeed(got: Observation) -> Mismatch:
    return Mismatch("no error: enough blocks are free", described(got))


def _refused_kind(replay: Replay, op: Call) -> str:
    if op.name == "allocate":
        return "refused allocate"
    shared = len(replay.sequences[op.args[0]].tokens) % replay.block_size
    return "refused copy" if shared else "refused append"


def exhaustion(trace: Trace, seen: Seen, work: Work) -> Violation | None:
    """Each trace has its own memory of the state before a refusal."""
    return replayed(before=Exhaustion())(trace, seen, work)


# BM6


class Questions:
    """can_allocate and can_append foretell what the call after them does."""

    def __init__(self) -> None:
        self._answer: bool | None = None

    def __call__(self, replay: Replay, step: Step, got: Observation, work: Work) -> Mismatch | None:
        """Judges one step, the books standing as before it."""
        op = step.op
        if not isinstance(op, Call) or step.probe:
            return None
        if op.name in ("can_allocate", "can_append"):
            return self._asked(got)
        answer, self._answer = self._answer, None
        if answer is None or op.name not in ("allocate", "append_slot"):
            return None
        if op.name == "append_slot" and op.args[0] not in replay.sequences:
            return None
        return self._happened(replay, op, answer, got, work)

    def _asked(self, got: Observation) -> Mismatch | None:
        if got.kind is Kind.RAISED:
            return None  # of a sequence that this submission does not have
        if got.kind is not Kind.VALUE or type(got.value) is not bool:
            return Mismatch("True or False", described(got))
        self._answer = got.value
        return None

    def _happened(
        self, replay: Replay, op: Call, answer: bool, got: Observation, work: Work
    ) -> Mismatch | None:
        done = got.kind is Kind.VALUE
        if done != answer:
            return Mismatch(
                f"what can_{op.name.removesuffix('_slot')} said: {answer}", described(got)
            )
        if op.name == "append_slot" and replay.needed(op) == 0:
            if not done:
                return Mismatch("success: room is left in a block of its own", described(got))
            work["in place, pool empty"] += replay.free_blocks() == 0
        work[f"{op.name} {'done' if done else 'refused'}"] += 1
        return None


def questions(trace: Trace, seen: Seen, work: Work) -> Violation | None:
    """Each trace has its own question in the air."""
    return replayed(before=Questions())(trace, seen, work)


# BM7


def refusals(trace: Trace, seen: Seen, work: Work) -> Violation | None:
    """Illegal calls raise what they must and change nothing; legal ones after them are right."""
    replay, state, expected = Replay.of(trace.facts), {}, None
    for index, step, got in seen.pairs(trace):
        if step.note == "illegal":
            wrong = error_mismatch(got, *_demanded(step.op, replay))
            expected = dict(state)
            work["illegal"] += 1
        elif step.probe:
            wrong = replay.follow(step, got) or _as_before(step, got, state, expected)
        else:
            expected = None
            wrong = _legal(replay, step, got) or replay.follow(step, got)
            _count_progress(step, got, work)
        if wrong:
            return wrong.at(index)
    return None


def _demanded(op: Any, replay: Replay) -> tuple[str, ...]:
    """The errors that the contract allows for an illegal call."""
    if isinstance(op, New) or op.name in ("allocate", "can_allocate", "ref_count"):
        return ("ValueError",)
    if op.name != "fork":
        return ("KeyError",)
    parent, child = op.args[0], op.args[1]
    if parent in replay.sequences:
        return ("ValueError",)
    return ("KeyError", "ValueError") if child in replay.sequences else ("KeyError",)


def _as_before(
    step: Step, got: Observation, state: dict[str, str], expected: dict[str, str] | None
) -> Mismatch | None:
    assert isinstance(step.op, Call)
    key, value = repr((step.op.name, step.op.args)), described(got)
    state[key] = value
    if expected is None or expected.get(key, value) == value:
        return None
    return Mismatch(f"{expected[key]}, as before the illegal call", value)


def _legal(replay: Replay, step: Step, got: Observation) -> Mismatch | None:
    op = step.op
    if not isinstance(op, Call) or op.name != "allocate":
        return None
    blocks = replay.blocks_for(op.args[1])
    fresh = is_table(got.value) and {*got.value} <= set(range(replay.num_blocks)) - replay.used()
    if not fresh or len(set(got.value)) != len(got.value) or len(got.value) != blocks:
        return Mismatch(f"{blocks} free blocks", described(got))
    return None


def borrowed(trace: Trace, seen: Seen, work: Work) -> Violation | None:
    """Returned lists are the caller's: writing into them changes nothing, nor do they change."""
    replay, held = Replay.of(trace.facts), None
    for index, step, got in seen.pairs(trace):
        wrong = _legal(replay, step, got)
        match step.op:
            case Call(name="block_table", into="held"):
                held = got.value
            case Read(target="held"):
                wrong = value_mismatch(got, held)
            case Call(name="block_table", args=(seq,)):
                wrong = wrong or _right_table(replay, seq, got)
        wrong = wrong or replay.follow(step, got)
        if wrong:
            return wrong.at(index)
        _count_progress(step, got, work)
    return None


def refusals_or_borrowed(trace: Trace, seen: Seen, work: Work) -> Violation | None:
    """Dispatches on the scenario."""
    judge = borrowed if trace.facts.get("borrowed") else refusals
    return judge(trace, seen, work)


# BM8


def prefixes(replay: Replay, step: Step, got: Observation, work: Work) -> Mismatch | None:
    """A fork sees exactly its prefix, shares its blocks and takes none."""
    match step.op:
        case Call(name="block_table", args=(seq,)) if seq in replay.sequences:
            return _reads_back(replay, seq) or _well_formed(replay, seq)
        case Call(name="num_tokens", args=(seq,)) if seq in replay.sequences:
            return value_mismatch(got, len(replay.sequences[seq].tokens))
        case Call(name="num_free_blocks"):
            return value_mismatch(got, replay.free_blocks())
        case Call(name="fork") if got.kind is not Kind.VALUE:
            return Mismatch("no error: the prefix is within the parent", described(got))
    return None


def shared_prefix(replay: Replay, step: Step, got: Observation, work: Work) -> Mismatch | None:
    """The table of a fresh fork is the first blocks of its parent's."""
    match step.op:
        case Call(name="block_table", args=(seq,)) if replay.forked == seq:
            return _right_table(replay, seq, got)
    return None


# BM9


def costs(trace: Trace, seen: Seen, work: Work) -> Violation | None:
    """The time limit is kept outside; here the answers of the timed calls are looked at."""
    long: dict[int, int] = {}
    short: list[int] = []
    pool, appends, length = (trace.facts[k] for k in ("num_blocks", "appends", "short"))
    for index, step, got in seen.pairs(trace):
        match step.op:
            case Call(name="append_slot", args=("long",), quiet=False):
                wrong = _fresh_block(got, {*long.values()}, pool)
                long[step.note] = got.value[0] if wrong is None else -1
            case Call(name="allocate", args=("short", _)):
                wrong = _short_table(got, {*long.values()}, length)
                short = got.value
            case Call(name="append_slot", args=("child",)):
                wrong = _fresh_block(got, {*long.values(), *short}, pool)
            case Call(name="block_table", args=("long",)):
                wrong = _long_table(got, long, pool, appends)
            case Call(name="block_table"):
                wrong = value_mismatch(got, short)
            case Call(name="num_tokens", args=(seq,)):
                wrong = value_mismatch(got, appends if seq == "long" else length)
            case Call(name="ref_count"):
                wrong = value_mismatch(got, 1)
            case Call(name="num_free_blocks"):
                wrong = value_mismatch(got, pool - appends - length)
            case Call(name="can_append"):
                wrong = value_mismatch(got, True)
            case _:
                wrong = None if got.kind is Kind.VALUE else Mismatch("no error", described(got))
        if wrong:
            return Violation(index, wrong.expected, wrong.got, COST_STORY)
        work["looked at"] += not getattr(step.op, "quiet", False)
    return None


def _long_table(
    got: Observation, sampled: dict[int, int], pool: int, length: int
) -> Mismatch | None:
    table = got.value
    whole = is_table(table) and len(table) == length == len({*table} & {*range(pool)})
    if whole and all(table[token] == block for token, block in sampled.items()):
        return None
    return Mismatch(f"the {length} blocks handed out, in order", described(got))


def _fresh_block(got: Observation, used: set[int], pool: int) -> Mismatch | None:
    if got.kind is not Kind.VALUE or type(got.value) is not tuple or not got.value:
        return Mismatch("(a free block, 0, None)", described(got))
    block = got.value[0]
    if type(block) is not int or not 0 <= block < pool or block in used:
        return Mismatch("(a free block, 0, None)", described(got))
    return value_mismatch(got, (block, 0, None))


def _short_table(got: Observation, long: set[int], length: int) -> Mismatch | None:
    right = is_table(got.value) and len({*got.value} - long) == len(got.value) == length
    return None if right else Mismatch(f"{length} free blocks", described(got))


COST_STORY = """\
from block_manager import BlockManager
m = BlockManager(100_000, 1)
m.allocate("long", 0)
for _ in range(99_000):
    m.append_slot("long")
print(m.allocate("short", 50), m.num_free_blocks())"""


def _short(look: operations.Look, most_blocks: int = 12) -> Cases:
    return Cases(operations.histories(look, most_blocks), 20, removable=True)


def _long(generate: Callable[[Choice], Trace]) -> Cases:
    return Cases(generate, 1, second_divisor=0, searchable=False, removable=True)


SUITE = Suite(
    cpu_s=60,
    memory_mib=256,
    sizes=("num_tokens", "num_free_blocks", "ref_count"),
    invariants=(
        Invariant(
            "BM1",
            replayed(after=conservation),
            cases=(
                _short(operations.look_at_space),
                Cases(
                    operations.long_history(operations.look_at_space),
                    1,
                    searchable=False,
                    removable=True,
                ),
            ),
            demands=PROGRESS,
        ),
        Invariant(
            "BM2",
            replayed(after=counts),
            cases=(
                Cases(
                    operations.histories(operations.look_at_counts, most_blocks=8), removable=True
                ),
                _long(operations.counted_long_history),
            ),
            demands=PROGRESS | {"shared": 1},
        ),
        Invariant(
            "BM3",
            replayed(after=isolation),
            cases=(
                _short(operations.look_at_tables),
                Cases(
                    operations.long_history(operations.look_at_tables),
                    1,
                    searchable=False,
                    removable=True,
                ),
            ),
            demands=PROGRESS | {"fork": 1},
        ),
        Invariant(
            "BM4",
            replayed(before=copy_on_write),
            cases=(
                _short(operations.look_at_tables),
                Cases(
                    operations.long_history(operations.look_at_tables),
                    1,
                    searchable=False,
                    removable=True,
                ),
            ),
            demands=PROGRESS | {"in place": 1, "full block": 1, "copied": 1},
        ),
        Invariant(
            "BM5",
            exhaustion,
            cases=(Cases(operations.exhaustion, 18, removable=True),),
            demands=PROGRESS | {"refused allocate": 1, "refused append": 1, "refused copy": 1},
        ),
        Invariant(
            "BM6",
            questions,
            cases=(Cases(operations.questions, removable=True),),
            demands=PROGRESS
            | {"allocate refused": 1, "append_slot refused": 1, "in place, pool empty": 1},
        ),
        Invariant(
            "BM7",
            refusals_or_borrowed,
            cases=(
                Cases(operations.one_refusal, 4),
                Cases(operations.borrowed_lists, 8),
                Cases(operations.refusals, 2, searchable=False),
            ),
            demands=PROGRESS | {"illegal": 1},
        ),
        Invariant(
            "BM8",
            replayed(before=shared_prefix, after=prefixes),
            cases=(Cases(operations.prefixes, 18, removable=True),),
            demands=PROGRESS | {"fork": 1},
        ),
        Invariant(
            "BM9",
            costs,
            cases=(
                Cases(
                    operations.costs,
                    1,
                    Mode.ALONE,
                    cpu_s=5,
                    searchable=False,
                    story=COST_STORY,
                ),
            ),
            demands={"looked at": 1000},
        ),
    ),
)
