"""Sending webhook messages: one try, and when the next one is due."""

import asyncio
import logging
from datetime import timedelta

from grader.engine.parts import Parts, Sent
from grader.store.errors import NotFoundError
from grader.store.records.operations import Delivery, DeliveryState, DisabledCause, Webhook

_log = logging.getLogger(__name__)

PLAN = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=14),
    timedelta(hours=20),
    timedelta(hours=24),
)
"""Waits between the tries; after the last one a message is given up."""


class Courier:
    """Tries messages.

    Args:
        parts: Database and messenger.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def deliver(self, tenant_id: str, delivery_id: str) -> float | None:
        """Tries a message once and notes how it went.

        Returns:
            Seconds until the next try; None where there is none.
        """
        found = await asyncio.to_thread(self._waiting, tenant_id, delivery_id)
        if found is None or self._parts.messenger is None:
            return None
        webhook, delivery = found
        sent = await self._parts.messenger.send(webhook, delivery)
        return await asyncio.to_thread(self._note, delivery, sent)

    def _waiting(self, tenant_id: str, delivery_id: str) -> tuple[Webhook, Delivery] | None:
        with self._parts.database.reading() as unit:
            store = unit.of(tenant_id)
            try:
                delivery = store.deliveries.get(delivery_id)
                webhook = store.webhooks.get(delivery.webhook_id)
            except NotFoundError:
                return None
        wanted = delivery.state is DeliveryState.WAITING and webhook.disabled_at is None
        return (webhook, delivery) if wanted else None

    def _note(self, delivery: Delivery, sent: Sent) -> float | None:
        wait = PLAN[delivery.tries] if delivery.tries < len(PLAN) else None
        with self._parts.database.writing() as unit:
            store = unit.of(delivery.tenant_id)
            noted = store.deliveries.note(
                delivery.id,
                delivered=sent.delivered,
                status=sent.status,
                error=sent.error,
                next_at=unit.now + wait if wait and not sent.delivered else None,
            )
            webhook = store.webhooks.get(delivery.webhook_id)
        if webhook.disabled_cause is DisabledCause.FAILING:
            _log.warning(
                "webhook %s of %s is disabled: failing since %s",
                webhook.id,
                webhook.tenant_id,
                webhook.failing_since,
            )
        return wait.total_seconds() if wait and noted.state is DeliveryState.WAITING else None
