"""BM1 to BM4 and BM8: conservation, counts, isolation, copy-on-write, prefixes."""

from grader.exercises.authoring import (
    Call,
    Kind,
    Mismatch,
    Observation,
    Step,
    Work,
    described,
    shown,
    value_mismatch,
)

from .replay import Replay

SeqId = int | str


def conservation(replay: Replay, step: Step, got: Observation, work: Work) -> Mismatch | None:
    """Every block is either free or in a table; tables are as long as their tokens need."""
    match step.op:
        case Call(name="num_free_blocks"):
            return value_mismatch(got, replay.free_blocks())
        case Call(name="num_tokens", args=(seq,)) if seq in replay.sequences:
            return value_mismatch(got, len(replay.sequences[seq].tokens))
        case Call(name="block_table", args=(seq,)) if seq in replay.sequences:
            return well_formed(replay, seq)
    return None


def well_formed(replay: Replay, seq: SeqId) -> Mismatch | None:
    table, tokens = replay.sequences[seq].table, len(replay.sequences[seq].tokens)
    blocks = replay.blocks_for(tokens)
    if len(table) != blocks:
        return Mismatch(f"{blocks} blocks for {tokens} tokens", shown(table))
    if any(not 0 <= block < replay.num_blocks for block in table):
        return Mismatch(f"block ids from 0 to {replay.num_blocks - 1}", shown(table))
    if len(set(table)) != len(table):
        return Mismatch("no block twice in one table", shown(table))
    return None


def counts(replay: Replay, step: Step, got: Observation, work: Work) -> Mismatch | None:
    """ref_count is the number of tables that hold the block."""
    match step.op:
        case Call(name="ref_count", args=(block,)):
            holders = replay.holders(block)
            work["shared"] += holders > 1
            return value_mismatch(got, holders)
    return None


def isolation(replay: Replay, step: Step, got: Observation, work: Work) -> Mismatch | None:
    """Each sequence reads back exactly its own tokens through its table."""
    match step.op:
        case Call(name="block_table", args=(seq,)) if seq in replay.sequences:
            return reads_back(replay, seq)
    return None


def reads_back(replay: Replay, seq: SeqId) -> Mismatch | None:
    token = replay.misread(seq)
    if token is None:
        return None
    block, slot = divmod(token, replay.block_size)
    return Mismatch(
        f"sequence {seq!r} finds its token {token} through its table",
        f"slot {slot} of block {replay.sequences[seq].table[block]} does not hold it",
    )


def copy_on_write(replay: Replay, step: Step, got: Observation, work: Work) -> Mismatch | None:
    """A copy is ordered exactly for a shared partial block, and the writer moves."""
    match step.op:
        case Call(name="append_slot", args=(seq,)) if seq in replay.sequences:
            return _right_slot(replay, seq, got, work) if got.kind is Kind.VALUE else None
        case Call(name="block_table", args=(seq,)) if seq in replay.sequences:
            return right_table(replay, seq, got)
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


def right_table(replay: Replay, seq: SeqId, got: Observation) -> Mismatch | None:
    return value_mismatch(got, replay.sequences[seq].table)


def prefixes(replay: Replay, step: Step, got: Observation, work: Work) -> Mismatch | None:
    """A fork sees exactly its prefix, shares its blocks and takes none."""
    match step.op:
        case Call(name="block_table", args=(seq,)) if seq in replay.sequences:
            return reads_back(replay, seq) or well_formed(replay, seq)
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
            return right_table(replay, seq, got)
    return None
