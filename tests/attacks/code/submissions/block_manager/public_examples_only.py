"""Catalogue: 19. Knows the public examples by heart and nothing else."""
ANSWERS = {
    ("num_free_blocks",): 4, ("allocate", "a", 3): [0, 1], ("num_tokens", "a"): 3,
    ("can_allocate", 4): True, ("can_allocate", 5): False, ("allocate", "a", 0): [],
    ("block_table", "a"): [0], ("can_append", "a"): False, ("ref_count", 0): 1,
}


class OutOfBlocks(Exception):
    pass


class BlockManager:
    def __init__(self, num_blocks, block_size):
        self.calls = 0

    def _answer(self, *call):
        self.calls += 1
        return ANSWERS.get(call, (0, self.calls % 2, None) if call[0] == "append_slot" else 2)

    def can_allocate(self, n): return self._answer("can_allocate", n)
    def allocate(self, s, n): return self._answer("allocate", s, n)
    def can_append(self, s): return self._answer("can_append", s)
    def append_slot(self, s): return self._answer("append_slot", s)
    def fork(self, p, c, n=None): return self._answer("fork", p, c)
    def free(self, s): raise KeyError(s)
    def block_table(self, s): return self._answer("block_table", s)
    def num_tokens(self, s): return self._answer("num_tokens", s)
    def ref_count(self, b): return self._answer("ref_count", b)
    def num_free_blocks(self): return self._answer("num_free_blocks")
