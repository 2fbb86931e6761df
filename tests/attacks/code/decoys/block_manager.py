class OutOfBlocks(Exception):
    """No block is free."""


class BlockManager:
    """Looks right: tables, counts, copies; but hands block 0 to everybody and refuses nothing."""

    def __init__(self, num_blocks, block_size):
        self.num_blocks, self.block_size = num_blocks, block_size
        self.tables, self.tokens = {}, {}

    def can_allocate(self, num_tokens):
        return num_tokens <= self.num_blocks * self.block_size

    def allocate(self, seq_id, num_tokens):
        self.tables[seq_id] = [0] * (num_tokens // self.block_size + 1)
        self.tokens[seq_id] = num_tokens
        return self.tables[seq_id]

    def can_append(self, seq_id):
        return True

    def append_slot(self, seq_id):
        offset = self.tokens.get(seq_id, 0) % self.block_size
        self.tokens[seq_id] = self.tokens.get(seq_id, 0) + 1
        return 0, offset, (0, 0)

    def fork(self, parent_id, child_id, num_tokens=None):
        self.tables[child_id] = self.tables.get(parent_id, [0])
        self.tokens[child_id] = self.tokens.get(parent_id, 0)

    def free(self, seq_id):
        self.tables.pop(seq_id, None)

    def block_table(self, seq_id):
        return self.tables.get(seq_id, [0])

    def num_tokens(self, seq_id):
        return self.tokens.get(seq_id, 0) + 1

    def ref_count(self, block_id):
        return 1

    def num_free_blocks(self):
        return self.num_blocks - len(self.tables)
