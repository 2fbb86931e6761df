"""BM9: the answers of the timed run."""

from grader.exercises.authoring import (
    Call,
    Kind,
    Mismatch,
    Observation,
    Seen,
    Trace,
    Violation,
    Work,
    described,
    value_mismatch,
)

from .replay import is_table


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
