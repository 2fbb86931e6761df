"""The nine invariants of a block manager, judged by replay."""

from collections.abc import Callable

from grader.exercises.authoring import Cases, Choice, Invariant, Mode, Suite, Trace

from . import cost, operations, refusing, scarcity, sharing
from .replayed import replayed

PROGRESS = {"allocate": 1, "append_slot": 1}


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
            replayed(after=sharing.conservation),
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
            replayed(after=sharing.counts),
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
            replayed(after=sharing.isolation),
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
            replayed(before=sharing.copy_on_write),
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
            scarcity.exhaustion,
            cases=(Cases(operations.exhaustion, 18),),
            demands=PROGRESS | {"refused allocate": 1, "refused append": 1, "refused copy": 1},
        ),
        Invariant(
            "BM6",
            scarcity.questions,
            cases=(Cases(operations.questions),),
            demands=PROGRESS
            | {"allocate refused": 1, "append_slot refused": 1, "in place, pool empty": 1},
        ),
        Invariant(
            "BM7",
            refusing.refusals_or_borrowed,
            cases=(
                Cases(operations.one_refusal, 4),
                Cases(operations.borrowed_lists, 8),
                Cases(operations.refusals, 2, searchable=False),
            ),
            demands=PROGRESS | {"illegal": 1},
        ),
        Invariant(
            "BM8",
            replayed(before=sharing.shared_prefix, after=sharing.prefixes),
            cases=(Cases(operations.prefixes, 18),),
            demands=PROGRESS | {"fork": 1},
        ),
        Invariant(
            "BM9",
            cost.costs,
            cases=(
                Cases(
                    operations.costs,
                    1,
                    Mode.ALONE,
                    cpu_s=5,
                    searchable=False,
                    story=cost.COST_STORY,
                ),
            ),
            demands={"looked at": 1000},
        ),
    ),
)
