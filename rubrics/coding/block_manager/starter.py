"""A paged block manager: fill in the bodies, keep names and parameters."""


class OutOfBlocks(Exception):
    """Not enough free blocks."""


class BlockManager:
    """A pool of `num_blocks` blocks with `block_size` token slots each."""

    def __init__(self, num_blocks: int, block_size: int) -> None:
        raise NotImplementedError

    def can_allocate(self, num_tokens: int) -> bool:
        raise NotImplementedError

    def allocate(self, seq_id: int | str, num_tokens: int) -> list[int]:
        raise NotImplementedError

    def can_append(self, seq_id: int | str) -> bool:
        raise NotImplementedError

    def append_slot(self, seq_id: int | str) -> tuple[int, int, tuple[int, int] | None]:
        raise NotImplementedError

    def fork(
        self, parent_id: int | str, child_id: int | str, num_tokens: int | None = None
    ) -> None:
        raise NotImplementedError

    def free(self, seq_id: int | str) -> None:
        raise NotImplementedError

    def block_table(self, seq_id: int | str) -> list[int]:
        raise NotImplementedError

    def num_tokens(self, seq_id: int | str) -> int:
        raise NotImplementedError

    def ref_count(self, block_id: int) -> int:
        raise NotImplementedError

    def num_free_blocks(self) -> int:
        raise NotImplementedError
