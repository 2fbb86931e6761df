"""The deterministic guard in front of every judge."""

from grader.judges.guard.guard import guard, mask_payloads
from grader.judges.guard.reasons import GuardReason

__all__ = ["GuardReason", "guard", "mask_payloads"]
