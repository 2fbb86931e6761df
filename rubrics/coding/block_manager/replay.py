"""The judge's own bookkeeping, fed with what a submission said it did.

Which free block is handed out is the submission's choice, so nothing is compared with a fixed
run: tables, counts and a shadow memory are kept from the observed block ids, and each invariant
asks whether they hang together.
"""

from dataclasses import dataclass, field
from typing import Any

from grader.exercises.authoring import (
    Call,
    Kind,
    Mismatch,
    New,
    Observation,
    Step,
    described,
)

SeqId = int | str


@dataclass
class Sequence:
    """One live sequence.

    Attributes:
        tokens: Its own history: one unique mark per token.
        table: Its block table as last observed, or as it must be after an operation on it.
    """

    tokens: list[int]
    table: list[int]


@dataclass
class Replay:
    """Tables and shadow memory of one block manager.

    Attributes:
        sequences: The live sequences by id.
        memory: Marks by (block, slot).
        marks: Marks given out so far.
        forked: The child of the last operation, if that was a fork.
    """

    num_blocks: int
    block_size: int
    sequences: dict[SeqId, Sequence] = field(default_factory=dict)
    memory: dict[tuple[int, int], int] = field(default_factory=dict)
    marks: int = 0
    forked: SeqId | None = None

    @classmethod
    def of(cls, facts: Any) -> "Replay":
        """An empty pool of the size that the trace states."""
        return cls(facts["num_blocks"], facts["block_size"])

    def blocks_for(self, tokens: int) -> int:
        """Blocks that a sequence of that many tokens has."""
        return -(-tokens // self.block_size)

    def used(self) -> set[int]:
        """The blocks in any table."""
        return {block for seq in self.sequences.values() for block in seq.table}

    def free_blocks(self) -> int:
        """Blocks in no table."""
        return self.num_blocks - len(self.used())

    def holders(self, block: int) -> int:
        """Number of tables that hold a block."""
        return sum(block in seq.table for seq in self.sequences.values())

    def needed(self, op: Call) -> int:
        """Free blocks that an allocate or append_slot of a legal argument takes."""
        if op.name == "allocate":
            return self.blocks_for(op.args[1])
        seq = self.sequences[op.args[0]]
        if len(seq.tokens) % self.block_size == 0:
            return 1
        return int(self.holders(seq.table[-1]) > 1)

    def follow(self, step: Step, got: Observation) -> Mismatch | None:
        """Takes one observation in.

        Returns:
            What is wrong with a result that cannot even be followed: not of the promised form,
            or a table too short for its tokens.
        """
        op = step.op
        if not step.probe:
            self.forked = None
        if isinstance(op, New):
            return None if got.kind is Kind.VALUE else Mismatch("an object", described(got))
        if not isinstance(op, Call) or got.kind is not Kind.VALUE:
            return self._missing_table(op, got)
        match op.name, op.args:
            case "allocate", (seq, count):
                return self._allocated(seq, count, got)
            case "append_slot", (seq,):
                return self._appended(seq, got)
            case "fork", (parent, child, *count):
                self._forked(parent, child, count[0] if count else None)
            case "free", (seq,):
                self.sequences.pop(seq, None)
            case "block_table", (seq,) if seq in self.sequences:
                return self._observed_table(self.sequences[seq], got)
        return None

    def _missing_table(self, op: Any, got: Observation) -> Mismatch | None:
        if isinstance(op, Call) and op.name == "block_table" and op.args[0] in self.sequences:
            return Mismatch("the sequence's block table", described(got))
        return None

    def _allocated(self, seq: SeqId, count: int, got: Observation) -> Mismatch | None:
        if not is_table(got.value) or len(got.value) < self.blocks_for(count):
            return Mismatch(f"a list of {self.blocks_for(count)} block ids", described(got))
        self.sequences[seq] = Sequence([self._mark() for _ in range(count)], list(got.value))
        self._write_all(self.sequences[seq])
        return None

    def _appended(self, seq: SeqId, got: Observation) -> Mismatch | None:
        if not _is_slot(got.value):
            return Mismatch("(block id, offset, None or (from, to))", described(got))
        if seq not in self.sequences:
            return None
        block, offset, copy = got.value
        if copy is not None:
            self._copy(*copy)
        mark = self._mark()
        self.memory[block, offset] = mark
        sequence = self.sequences[seq]
        if len(sequence.tokens) % self.block_size == 0:
            sequence.table.append(block)
        elif copy is not None:
            sequence.table[-1] = block
        sequence.tokens.append(mark)
        return None

    def _forked(self, parent: SeqId, child: SeqId, count: int | None) -> None:
        if parent in self.sequences:
            source = self.sequences[parent]
            kept = len(source.tokens) if count is None else max(count, 0)
            blocks = self.blocks_for(min(kept, len(source.tokens)))
            self.sequences[child] = Sequence(source.tokens[:kept], source.table[:blocks])
            self.forked = child

    def _observed_table(self, seq: Sequence, got: Observation) -> Mismatch | None:
        blocks = self.blocks_for(len(seq.tokens))
        if not is_table(got.value) or len(got.value) < blocks:
            return Mismatch(f"{blocks} block ids for {len(seq.tokens)} tokens", described(got))
        seq.table = list(got.value)
        return None

    def _write_all(self, seq: Sequence) -> None:
        for index, mark in enumerate(seq.tokens):
            block, slot = divmod(index, self.block_size)
            self.memory[seq.table[block], slot] = mark

    def _copy(self, source: int, target: int) -> None:
        for slot in range(self.block_size):
            if (source, slot) in self.memory:
                self.memory[target, slot] = self.memory[source, slot]

    def _mark(self) -> int:
        self.marks += 1
        return self.marks

    def misread(self, name: SeqId) -> int | None:
        """The first token of a sequence that its table does not lead to."""
        seq = self.sequences[name]
        for index, mark in enumerate(seq.tokens):
            block, slot = divmod(index, self.block_size)
            if self.memory.get((seq.table[block], slot)) != mark:
                return index
        return None


def is_table(value: Any) -> bool:
    """Whether a value is exactly a list of exactly ints."""
    return type(value) is list and all(type(item) is int for item in value)


def _is_slot(value: Any) -> bool:
    if type(value) is not tuple or len(value) != 3:
        return False
    block, offset, copy = value
    pair = copy is None or (
        type(copy) is tuple and len(copy) == 2 and all(type(item) is int for item in copy)
    )
    return type(block) is int and type(offset) is int and pair
