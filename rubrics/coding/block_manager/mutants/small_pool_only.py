"""Kills: BM1. Right for few blocks; the counts are kept in a list of sixteen."""


class OutOfBlocks(Exception):
    """Not enough free blocks."""


class BlockManager:
    def __init__(self, num_blocks: int, block_size: int) -> None:
        if num_blocks < 1 or block_size < 1:
            raise ValueError("num_blocks and block_size must be at least 1")
        self._size = block_size
        self._counts = [0] * num_blocks
        self._few = min(num_blocks, 16)
        self._free = list(range(num_blocks - 1, -1, -1))
        self._tables: dict[int | str, list[int]] = {}
        self._tokens: dict[int | str, int] = {}

    def can_allocate(self, num_tokens: int) -> bool:
        return self._blocks_for(num_tokens) <= len(self._free)

    def allocate(self, seq_id: int | str, num_tokens: int) -> list[int]:
        needed = self._blocks_for(num_tokens)
        self._check_unused(seq_id)
        if needed > len(self._free):
            raise OutOfBlocks(f"{needed} blocks needed, {len(self._free)} free")
        self._tables[seq_id] = [self._take() for _ in range(needed)]
        self._tokens[seq_id] = num_tokens
        return self._tables[seq_id].copy()

    def can_append(self, seq_id: int | str) -> bool:
        return not self._append_takes_block(seq_id) or bool(self._free)

    def append_slot(self, seq_id: int | str) -> tuple[int, int, tuple[int, int] | None]:
        takes = self._append_takes_block(seq_id)
        if takes and not self._free:
            raise OutOfBlocks("no block is free")
        table, offset = self._tables[seq_id], self._tokens[seq_id] % self._size
        copy = None
        if offset == 0:
            table.append(self._take())
        elif takes:
            source, table[-1] = table[-1], self._take()
            self._drop(source)
            copy = (source, table[-1])
        self._tokens[seq_id] += 1
        return table[-1], offset, copy

    def fork(
        self, parent_id: int | str, child_id: int | str, num_tokens: int | None = None
    ) -> None:
        table, count = self._tables[parent_id], self._tokens[parent_id]
        kept = count if num_tokens is None else num_tokens
        if not 0 <= kept <= count:
            raise ValueError(f"the parent has {count} tokens, not {kept}")
        self._check_unused(child_id)
        shared = table[: self._blocks_for(kept)]
        for block in shared:
            if block < self._few:
                self._counts[block] += 1
        self._tables[child_id] = shared
        self._tokens[child_id] = kept

    def free(self, seq_id: int | str) -> None:
        table = self._tables.pop(seq_id)
        del self._tokens[seq_id]
        for block in table:
            self._drop(block)

    def block_table(self, seq_id: int | str) -> list[int]:
        return self._tables[seq_id].copy()

    def num_tokens(self, seq_id: int | str) -> int:
        return self._tokens[seq_id]

    def ref_count(self, block_id: int) -> int:
        if not 0 <= block_id < len(self._counts):
            raise ValueError(f"no block {block_id}")
        return self._counts[block_id]

    def num_free_blocks(self) -> int:
        return len(self._free)

    def _blocks_for(self, num_tokens: int) -> int:
        if num_tokens < 0:
            raise ValueError("num_tokens must not be negative")
        return -(-num_tokens // self._size)

    def _check_unused(self, seq_id: int | str) -> None:
        if seq_id in self._tables:
            raise ValueError(f"sequence {seq_id!r} is in use")

    def _append_takes_block(self, seq_id: int | str) -> bool:
        if self._tokens[seq_id] % self._size == 0:
            return True
        return self._counts[self._tables[seq_id][-1]] > 1

    def _take(self) -> int:
        block = self._free.pop()
        self._counts[block] = 1
        return block

    def _drop(self, block: int) -> None:
        self._counts[block] -= 1
        if self._counts[block] == 0:
            self._free.append(block)
