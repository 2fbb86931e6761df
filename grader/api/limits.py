"""How much a client may ask: bursts within one process, and the tenant's quota in the store."""

from dataclasses import dataclass

from fastapi import Response
from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from grader.api.problems import ApiError
from grader.errors import ErrorCode
from grader.store.records.operations import QuotaState
from grader.store.records.tenancy import Tenant
from grader.store.unit import TenantStore

SUBMISSIONS = "submissions"


@dataclass(frozen=True)
class Plan:
    """A tenant's quota of submissions: a bucket and how fast it fills."""

    capacity: int
    per_second: float


PLANS: dict[str, Plan] = {
    "free": Plan(capacity=100, per_second=0.2),
    "standard": Plan(capacity=20_000, per_second=50),
    "local": Plan(capacity=100_000, per_second=500),
}


class Burst:
    """Keeps one client from drowning one process.

    Args:
        per_s: Requests a second.
    """

    def __init__(self, per_s: int) -> None:
        self._item = RateLimitItemPerSecond(per_s)
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def demand(self, who: str) -> None:
        """Counts a request.

        Raises:
            ApiError: There were too many within the last second.
        """
        if not self._limiter.hit(self._item, who):
            raise ApiError(
                ErrorCode.RATE_LIMITED,
                f"more than {self._item.amount} requests within a second",
                remedy="wait a second; use POST /v1/submissions:batch for many answers",
                headers={"Retry-After": "1"},
            )


def define_quota(store: TenantStore, tenant: Tenant) -> None:
    """Gives a tenant the quota of its plan."""
    plan = PLANS.get(tenant.plan, PLANS["standard"])
    store.quotas.define(SUBMISSIONS, capacity=plan.capacity, per_second=plan.per_second)


def take_quota(store: TenantStore, units: int, *, name: str = SUBMISSIONS) -> QuotaState:
    """Takes submissions out of the tenant's quota, in the transaction that accepts them.

    Raises:
        ApiError: The quota does not hold that many now.
    """
    state = store.quotas.take(name, units)
    if not state.granted:
        wait = max(1, min(int(state.wait_s) + 1, 86_400))
        raise ApiError(
            ErrorCode.RATE_LIMITED,
            f"the quota holds {state.remaining} submissions, and {units} were sent",
            remedy=f"wait {wait} s, or send fewer at once",
            headers={"Retry-After": str(wait), **quota_headers(state)},
        )
    return state


def quota_headers(state: QuotaState) -> dict[str, str]:
    """The headers that tell a quota (RateLimit fields of the IETF's httpapi group)."""
    if not state.capacity:
        return {}
    capacity = int(state.capacity)
    return {
        "RateLimit-Policy": f'"{SUBMISSIONS}";q={capacity}',
        "RateLimit": f'"{SUBMISSIONS}";r={state.remaining}',
        "X-RateLimit-Limit": str(capacity),
        "X-RateLimit-Remaining": str(state.remaining),
    }


def tell_quota(response: Response, state: QuotaState) -> None:
    """Puts a quota into the headers of a reply."""
    response.headers.update(quota_headers(state))
