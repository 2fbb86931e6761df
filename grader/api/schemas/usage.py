"""Usage in replies."""

from datetime import datetime

from grader.api.schemas.base import Output, examples


class UsageTotalOut(Output):
    """What was used of one kind."""

    kind: str
    quantity: int
    nano_usd: int


class UsageOut(Output):
    """What a tenant used within a time, test keys left out, and what its quota holds."""

    model_config = examples(
        {
            "start": "2026-11-01T00:00:00Z",
            "end": "2026-12-01T00:00:00Z",
            "totals": [{"kind": "grade", "quantity": 1200, "nano_usd": 0}],
            "quota": 19_800,
        }
    )

    start: datetime
    end: datetime
    totals: tuple[UsageTotalOut, ...]
    quota: int


class UsageLineOut(Output):
    """One line of the bill."""

    model_config = examples(
        {
            "id": "use_06f3q8z1",
            "job_id": "sub_06f3q8z1",
            "kind": "grade",
            "quantity": 1,
            "nano_usd": 0,
            "test": False,
            "at": "2026-11-30T18:00:00Z",
        }
    )

    id: str
    job_id: str
    kind: str
    quantity: int
    nano_usd: int
    test: bool
    at: datetime
