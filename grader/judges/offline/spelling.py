"""Reading a misspelt or inflected word as the rubric's word that it stands for."""

from collections.abc import Iterable, Iterator

_SHORTEST = 5
_LONGEST = 24
_PREFIX_SHARE = 0.7


class Spelling:
    """Finds the word of a vocabulary that a stem most likely means.

    A stem is read as a word of the vocabulary when they are equal, when they share a long
    beginning (``quantiz`` and ``quantizer``), or when they differ by one wrong, missing, extra
    or swapped letter. Short words, very long ones and words with digits must be equal.

    Args:
        vocabulary: Stems, the earlier the more preferred.
    """

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self._known = dict.fromkeys(vocabulary)
        self._by_prefix: dict[str, list[str]] = {}
        self._by_deletion: dict[str, str] = {}
        for word in self._known:
            if _inexact(word):
                self._by_prefix.setdefault(word[:_SHORTEST], []).append(word)
                for cut in _deletions(word):
                    self._by_deletion.setdefault(cut, word)

    def read(self, stem: str) -> str | None:
        """The word of the vocabulary, or None."""
        if stem in self._known:
            return stem
        if not _inexact(stem):
            return None
        return self._same_beginning(stem) or self._one_slip(stem)

    def _same_beginning(self, stem: str) -> str | None:
        for word in self._by_prefix.get(stem[:_SHORTEST], ()):
            if _common_prefix(word, stem) >= _PREFIX_SHARE * max(len(word), len(stem)):
                return word
        return None

    def _one_slip(self, stem: str) -> str | None:
        for cut in _deletions(stem):
            word = self._by_deletion.get(cut)
            if word is not None and word[0] == stem[0]:
                return word
        return None


def _inexact(stem: str) -> bool:
    return _SHORTEST <= len(stem) <= _LONGEST and stem.isalpha()


def _deletions(word: str) -> Iterator[str]:
    yield word
    for i in range(len(word)):
        yield word[:i] + word[i + 1 :]


def _common_prefix(left: str, right: str) -> int:
    n = 0
    for a, b in zip(left, right, strict=False):
        if a != b:
            break
        n += 1
    return n
