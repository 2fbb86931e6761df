"""Queries on webhooks, deliveries and blobs of a tenant."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import Select, Table, delete, select

from grader.store.dialect import insert_once
from grader.store.ids import new_id
from grader.store.records.operations import Blob, Delivery, DeliveryState, DisabledCause, Webhook
from grader.store.repositories.base import Page, Repository, record_of
from grader.store.tables.operations import BlobRow, DeliveryRow, WebhookRow

FAILING_AT_MOST = timedelta(days=5)
"""Longer than all tries of one message: an address that fails so long is disabled."""


class Webhooks(Repository):
    """Addresses that are told of events."""

    def add(self, url: str, secret: str, events: Iterable[str]) -> Webhook:
        """Adds an address."""
        row = WebhookRow(
            id=new_id("whk"),
            tenant_id=self._tenant_id,
            url=url,
            secrets=[secret],
            events=sorted(set(events)),
            created_at=self._now,
            disabled_cause=DisabledCause.NONE.value,
        )
        return record_of(Webhook, self._add(row))

    def get(self, webhook_id: str) -> Webhook:
        """The address of that id.

        Raises:
            NotFoundError: None in this tenant.
        """
        return record_of(Webhook, self._get(webhook_id))

    def list(self, *, cursor: str | None = None, limit: int = 50) -> Page[Webhook]:
        """Addresses, latest first."""
        return self._page(
            self._all(),
            WebhookRow.created_at,
            WebhookRow.id,
            lambda row: record_of(Webhook, row),
            cursor=cursor,
            limit=limit,
        )

    def rotate(self, webhook_id: str, secret: str) -> Webhook:
        """Signs with a new secret, and with the one before until the next rotation."""
        row = self._get(webhook_id)
        row.secrets = [secret, *row.secrets[:1]]
        return record_of(Webhook, row)

    def set_enabled(self, webhook_id: str, *, enabled: bool) -> Webhook:
        """Starts or stops telling an address."""
        row = self._get(webhook_id)
        row.disabled_at = None if enabled else self._now
        row.disabled_cause = (DisabledCause.NONE if enabled else DisabledCause.ASKED).value
        row.failing_since = None if enabled else row.failing_since
        return record_of(Webhook, row)

    def remove(self, webhook_id: str) -> None:
        """Removes an address with all its deliveries."""
        self._session.delete(self._get(webhook_id))

    def _get(self, webhook_id: str) -> WebhookRow:
        return self._row(self._all().where(WebhookRow.id == webhook_id), "webhook", webhook_id)

    def _all(self) -> Select[WebhookRow]:
        return select(WebhookRow).where(WebhookRow.tenant_id == self._tenant_id)


class Deliveries(Repository):
    """Messages to addresses."""

    def publish(
        self, event: str, body: Mapping[str, Any], *, job_id: str | None = None
    ) -> tuple[Delivery, ...]:
        """Adds one waiting message for each enabled address that wants the event."""
        addresses = self._session.scalars(
            select(WebhookRow).where(
                WebhookRow.tenant_id == self._tenant_id, WebhookRow.disabled_at.is_(None)
            )
        )
        return tuple(
            self._publish_to(address.id, event, body, job_id)
            for address in addresses.all()
            if event in address.events
        )

    def get(self, delivery_id: str) -> Delivery:
        """The message of that id.

        Raises:
            NotFoundError: None in this tenant.
        """
        return record_of(Delivery, self._get(delivery_id))

    def again(self, delivery_id: str) -> Delivery:
        """A new message of the same content to the same address."""
        old = self.get(delivery_id)
        return self._publish_to(old.webhook_id, old.event, old.body, old.job_id)

    def note(
        self,
        delivery_id: str,
        *,
        delivered: bool,
        status: int | None,
        error: str = "",
        next_at: datetime | None = None,
    ) -> Delivery:
        """Notes how a try went; without ``next_at`` a failed one was the last.

        An address that has failed for `FAILING_AT_MOST` is disabled, and what waits for it given
        up: `Webhooks.set_enabled` tells it again.
        """
        row = self._get(delivery_id)
        row.tries += 1
        row.last_status, row.last_error = status, error
        address = self._session.get_one(WebhookRow, row.webhook_id)
        if delivered:
            row.state, row.delivered_at, row.next_at = DeliveryState.DELIVERED, self._now, None
            address.failing_since = None
        else:
            address.failing_since = address.failing_since or self._now
            if self._now - address.failing_since >= FAILING_AT_MOST and not address.disabled_at:
                self._disable(address)
            if address.disabled_cause == DisabledCause.FAILING.value:
                next_at = None
            row.state = DeliveryState.WAITING if next_at else DeliveryState.GIVEN_UP
            row.next_at = next_at
        return record_of(Delivery, row)

    def list(
        self, *, webhook_id: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[Delivery]:
        """Messages, latest first."""
        statement = select(DeliveryRow).where(DeliveryRow.tenant_id == self._tenant_id)
        if webhook_id is not None:
            statement = statement.where(DeliveryRow.webhook_id == webhook_id)
        return self._page(
            statement,
            DeliveryRow.created_at,
            DeliveryRow.id,
            lambda row: record_of(Delivery, row),
            cursor=cursor,
            limit=limit,
        )

    def _disable(self, address: WebhookRow) -> None:
        address.disabled_at, address.disabled_cause = self._now, DisabledCause.FAILING.value
        waiting = select(DeliveryRow).where(
            DeliveryRow.tenant_id == self._tenant_id,
            DeliveryRow.webhook_id == address.id,
            DeliveryRow.state == DeliveryState.WAITING.value,
        )
        for row in self._session.scalars(waiting):
            row.state, row.next_at = DeliveryState.GIVEN_UP.value, None

    def _publish_to(
        self, webhook_id: str, event: str, body: Mapping[str, Any], job_id: str | None
    ) -> Delivery:
        row = DeliveryRow(
            id=new_id("msg"),
            tenant_id=self._tenant_id,
            webhook_id=webhook_id,
            job_id=job_id,
            event=event,
            body=dict(body),
            state=DeliveryState.WAITING.value,
            tries=0,
            next_at=self._now,
            last_error="",
            created_at=self._now,
        )
        return record_of(Delivery, self._add(row))

    def _get(self, delivery_id: str) -> DeliveryRow:
        statement = select(DeliveryRow).where(
            DeliveryRow.tenant_id == self._tenant_id, DeliveryRow.id == delivery_id
        )
        return self._row(statement, "delivery", delivery_id)


class BlobIndex(Repository):
    """Which files a tenant has stored."""

    def add(self, sha256: str, size: int, media_type: str, purpose: str) -> Blob:
        """Notes a stored file; the same content is noted once."""
        values = {
            "tenant_id": self._tenant_id,
            "sha256": sha256,
            "size": size,
            "media_type": media_type,
            "purpose": purpose,
            "created_at": self._now,
        }
        insert_once(self._session, cast(Table, BlobRow.__table__), values)
        return self.get(sha256)

    def get(self, sha256: str) -> Blob:
        """What is known of a stored file.

        Raises:
            NotFoundError: None of this tenant has that content.
        """
        return record_of(Blob, self._row(self._of(sha256), "file", sha256))

    def remove(self, sha256: str) -> None:
        """Forgets a file; its bytes are removed by whoever holds the blob store."""
        self._session.execute(
            delete(BlobRow).where(BlobRow.tenant_id == self._tenant_id, BlobRow.sha256 == sha256)
        )

    def _of(self, sha256: str) -> Select[BlobRow]:
        return select(BlobRow).where(BlobRow.tenant_id == self._tenant_id, BlobRow.sha256 == sha256)
