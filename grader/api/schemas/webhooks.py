"""Webhooks and their deliveries in requests and replies."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from grader.api.schemas.base import Input, Output, examples
from grader.engine.grading import FAILED, GRADED
from grader.store.records.operations import DeliveryState, DisabledCause

_HOOK = {
    "id": "whk_06f3q8z1",
    "url": "https://lms.example.org/hooks/grades",
    "events": [GRADED],
    "created_at": "2026-11-30T18:00:00Z",
    "disabled_at": None,
    "failing_since": None,
    "disabled_cause": "",
}


class WebhookEvent(StrEnum):
    """What a webhook may be told of."""

    GRADED = GRADED
    FAILED = FAILED


class WebhookIn(Input):
    """An address to be told of events."""

    model_config = examples({"url": "https://lms.example.org/hooks/grades", "events": [GRADED]})

    url: Annotated[str, StringConstraints(pattern=r"^https?://[\x21-\x7e]{1,2000}$")]
    events: frozenset[WebhookEvent] = Field(min_length=1)


class WebhookOut(Output):
    """An address that is told of events."""

    model_config = examples(_HOOK)

    id: str
    url: str
    events: tuple[str, ...]
    created_at: datetime
    disabled_at: datetime | None = None
    failing_since: datetime | None = None
    disabled_cause: DisabledCause = DisabledCause.NONE


class NewWebhookOut(WebhookOut):
    """An address with the secret that signs its messages; shown this once."""

    model_config = examples({**_HOOK, "secret": "whsec_..."})

    secret: str


class DeliveryOut(Output):
    """One message and how sending it went."""

    model_config = examples(
        {
            "id": "msg_06f3q8z1",
            "webhook_id": "whk_06f3q8z1",
            "event": GRADED,
            "body": {"submission_id": "sub_06f3q8z1", "score": 41.7},
            "state": "delivered",
            "tries": 1,
            "next_at": None,
            "last_status": 204,
            "last_error": "",
            "created_at": "2026-11-30T18:00:00Z",
            "delivered_at": "2026-11-30T18:00:01Z",
        }
    )

    id: str
    webhook_id: str
    event: str
    body: dict[str, Any]
    state: DeliveryState
    tries: int
    next_at: datetime | None = None
    last_status: int | None = None
    last_error: str
    created_at: datetime
    delivered_at: datetime | None = None
