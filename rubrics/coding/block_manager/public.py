"""Examples that a learner may run."""

from grader.exercises.authoring import Call, Example, Line, New, Raises


def _call(name: str, *args: int | str) -> Call:
    return Call(name, args, on="m")


EXAMPLES = (
    Example(
        "a table has as many blocks as its tokens need",
        (
            Line(New("m", "BlockManager", (4, 2))),
            Line(_call("num_free_blocks"), 4),
            Line(_call("allocate", "a", 3)),
            Line(_call("num_tokens", "a"), 3),
            Line(_call("num_free_blocks"), 2),
            Line(_call("can_allocate", 4), True),
            Line(_call("can_allocate", 5), False),
        ),
    ),
    Example(
        "one block, filled up",
        (
            Line(New("m", "BlockManager", (1, 2))),
            Line(_call("allocate", "a", 0), []),
            Line(_call("append_slot", "a"), (0, 0, None)),
            Line(_call("append_slot", "a"), (0, 1, None)),
            Line(_call("can_append", "a"), False),
            Line(_call("append_slot", "a"), Raises("OutOfBlocks")),
            Line(_call("block_table", "a"), [0]),
        ),
    ),
    Example(
        "the first of two sharers to append copies, the second writes in place",
        (
            Line(New("m", "BlockManager", (2, 4))),
            Line(_call("allocate", "a", 1)),
            Line(_call("fork", "a", "b")),
            Line(_call("num_free_blocks"), 1),
            Line(_call("append_slot", "b")),
            Line(_call("num_free_blocks"), 0),
            Line(_call("ref_count", 0), 1),
            Line(_call("ref_count", 1), 1),
            Line(_call("append_slot", "a")),
            Line(_call("num_tokens", "a"), 2),
        ),
    ),
    Example(
        "unknown and repeated ids",
        (
            Line(New("m", "BlockManager", (2, 2))),
            Line(_call("free", "a"), Raises("KeyError")),
            Line(_call("allocate", 1, 1)),
            Line(_call("allocate", 1, 1), Raises("ValueError")),
            Line(_call("allocate", "1", 1)),
            Line(_call("num_free_blocks"), 0),
        ),
    ),
)
