"""A right solution."""


class Total:
    """Adds up whole numbers."""

    def __init__(self) -> None:
        self._sum = 0

    def add(self, amount: int) -> int:
        """Adds an amount and returns the total so far."""
        if amount < 0:
            raise ValueError("amount must not be negative")
        self._sum += amount
        return self._sum

    def value(self) -> int:
        """The total so far."""
        return self._sum
