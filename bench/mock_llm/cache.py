"""The prompt cache of a provider: a prefix seen before is cheap from 1,024 tokens on."""

_BLOCK_TOKENS = 128


class PrefixCache:
    """Remembers prefixes in blocks of 128 tokens.

    Args:
        least: Least prefix in tokens that counts.
        characters: Characters a token.
    """

    def __init__(self, least: int = 1024, characters: int = 4) -> None:
        self._least = least
        self._block = _BLOCK_TOKENS * characters
        self._known: set[int] = set()

    def marks(self, text: str) -> list[int]:
        """One mark a full block; equal marks mean an equal prefix."""
        marks = []
        mark = 0
        for start in range(0, len(text) - self._block + 1, self._block):
            mark = hash((mark, text[start : start + self._block]))
            marks.append(mark)
        return marks

    def cached_tokens(self, marks: list[int]) -> int:
        """Tokens of the longest known prefix; 0 below the least."""
        blocks = 0
        while blocks < len(marks) and marks[blocks] in self._known:
            blocks += 1
        tokens = blocks * _BLOCK_TOKENS
        return tokens if tokens >= self._least else 0

    def learn(self, marks: list[int]) -> None:
        """Keeps a prefix; called when the first token of its request is out."""
        self._known.update(marks)

    def clear(self) -> None:
        """Forgets everything."""
        self._known.clear()
