"""Remembering what was computed of an object for as long as that very object is in use.

Questions are frozen and loaded once, but large: hashing one to look it up would cost as much as
what is looked up.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")
V = TypeVar("V")


class IdentityCache(Generic[T, V]):
    """Values by object identity and a further key; the least recently used go first.

    Args:
        size: How many values are kept; each keeps its object alive.
    """

    def __init__(self, size: int = 512) -> None:
        self._size = size
        self._lock = Lock()
        # The object stands beside its value: while it does, no other can have its id.
        self._kept: OrderedDict[tuple[int, Hashable], tuple[T, V]] = OrderedDict()

    def get(self, item: T, key: Hashable, compute: Callable[[], V]) -> V:
        """The value kept for an object and a key, computed where there is none."""
        place = (id(item), key)
        with self._lock:
            if place in self._kept:
                self._kept.move_to_end(place)
                return self._kept[place][1]
        value = compute()
        with self._lock:
            self._kept[place] = (item, value)
            if len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return value
