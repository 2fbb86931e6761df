"""The deterministic guard in front of every judge."""

from grader.judges.guard.guard import guard
from grader.judges.guard.reasons import GuardReason

__all__ = ["GuardReason", "guard"]
