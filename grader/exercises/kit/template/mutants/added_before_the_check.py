"""Kills: TO2. The amount is added before it is checked."""


class Total:
    """Adds up whole numbers."""

    def __init__(self) -> None:
        self._sum = 0

    def add(self, amount: int) -> int:
        """Adds an amount and returns the total so far."""
        self._sum += amount
        if amount < 0:
            raise ValueError("amount must not be negative")
        return self._sum

    def value(self) -> int:
        """The total so far."""
        return self._sum
