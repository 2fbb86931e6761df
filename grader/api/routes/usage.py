"""Usage: what was graded and what it cost."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import AwareDatetime

from grader.api.auth import Principal, needs
from grader.api.limits import SUBMISSIONS
from grader.api.pages import Listing, PlaceDep
from grader.api.schemas.usage import UsageLineOut, UsageOut, UsageTotalOut
from grader.api.scopes import Scope
from grader.api.service import ServiceDep

router = APIRouter(tags=["usage"])
Reader = Annotated[Principal, needs(Scope.USAGE_READ)]
_MONTH = timedelta(days=30)


@router.get("/v1/usage")
def get_usage(
    service: ServiceDep,
    who: Reader,
    start: Annotated[AwareDatetime | None, Query()] = None,
    end: Annotated[AwareDatetime | None, Query()] = None,
) -> UsageOut:
    """Totals by kind; the last 30 days unless `start` and `end` say otherwise."""
    until = (end or datetime.now(UTC)).astimezone(UTC)
    since = (start or _before(until)).astimezone(UTC)
    with service.database.writing() as unit:
        store = unit.of(who.tenant_id)
        totals = store.usage.totals(since, until)
        quota = store.quotas.take(SUBMISSIONS, 0)
    return UsageOut(
        start=since,
        end=until,
        totals=tuple(
            UsageTotalOut(kind=kind, quantity=quantity, nano_usd=nano_usd)
            for kind, (quantity, nano_usd) in sorted(totals.items())
        ),
        quota=quota.remaining,
    )


@router.get("/v1/usage/lines")
def list_usage(service: ServiceDep, who: Reader, place: PlaceDep) -> Listing[UsageLineOut]:
    """Each line of the bill, latest first."""
    with service.database.reading() as unit:
        page = unit.of(who.tenant_id).usage.list(cursor=place.cursor, limit=place.limit)
    items = tuple(
        UsageLineOut(
            id=line.id,
            job_id=line.job_id,
            kind=line.kind,
            quantity=line.quantity,
            nano_usd=line.nano_usd,
            test=line.test,
            at=line.at,
        )
        for line in page.items
    )
    return Listing(items=items, next_cursor=page.next_cursor)


def _before(moment: datetime) -> datetime:
    try:
        return moment - _MONTH
    except OverflowError:
        return moment
