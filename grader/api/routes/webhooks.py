"""Webhooks: addresses, their secrets, what was sent, and sending it again."""

import base64
import secrets
from typing import Annotated

from fastapi import APIRouter, Response

from grader.api.auth import Principal, needs
from grader.api.pages import Listing, PlaceDep
from grader.api.parameters import IdPath
from grader.api.problems import bad_field
from grader.api.schemas.webhooks import DeliveryOut, NewWebhookOut, WebhookIn, WebhookOut
from grader.api.scopes import Scope
from grader.api.service import ServiceDep
from grader.api.webhooks.guard import RefusedAddressError, checked_url
from grader.store.records.operations import Delivery, Webhook

router = APIRouter(tags=["webhooks"])
Keeper = Annotated[Principal, needs(Scope.WEBHOOKS_WRITE)]


@router.get("/v1/webhooks")
def list_webhooks(service: ServiceDep, who: Keeper, place: PlaceDep) -> Listing[WebhookOut]:
    """Addresses that are told of events."""
    with service.database.reading() as unit:
        page = unit.of(who.tenant_id).webhooks.list(cursor=place.cursor, limit=place.limit)
    return Listing(items=tuple(_out(w) for w in page.items), next_cursor=page.next_cursor)


@router.post("/v1/webhooks", status_code=201)
def add_webhook(
    given: WebhookIn, service: ServiceDep, who: Keeper, response: Response
) -> NewWebhookOut:
    """Adds an address. Messages are signed as Standard Webhooks says; the secret is shown once.

    Where the name leads is judged anew at each message: private networks are not called.
    """
    try:
        checked_url(given.url, http=service.options.webhook_http)
    except RefusedAddressError as error:
        raise bad_field("/url", error.message, remedy=error.remedy) from error
    secret = _secret()
    with service.database.writing() as unit:
        webhook = unit.of(who.tenant_id).webhooks.add(
            given.url, secret, [event.value for event in given.events]
        )
    response.headers["Location"] = f"/v1/webhooks/{webhook.id}"
    return NewWebhookOut(**_out(webhook).model_dump(), secret=secret)


@router.get("/v1/webhooks/{webhook_id}")
def get_webhook(webhook_id: IdPath, service: ServiceDep, who: Keeper) -> WebhookOut:
    """One address."""
    with service.database.reading() as unit:
        return _out(unit.of(who.tenant_id).webhooks.get(webhook_id))


@router.delete("/v1/webhooks/{webhook_id}", status_code=204)
def remove_webhook(webhook_id: IdPath, service: ServiceDep, who: Keeper) -> None:
    """Removes an address with its deliveries."""
    with service.database.writing() as unit:
        unit.of(who.tenant_id).webhooks.remove(webhook_id)


@router.post("/v1/webhooks/{webhook_id}:rotate")
def rotate_webhook(webhook_id: IdPath, service: ServiceDep, who: Keeper) -> NewWebhookOut:
    """Signs with a new secret and, until the next rotation, with the old one, too."""
    secret = _secret()
    with service.database.writing() as unit:
        webhook = unit.of(who.tenant_id).webhooks.rotate(webhook_id, secret)
    return NewWebhookOut(**_out(webhook).model_dump(), secret=secret)


@router.post("/v1/webhooks/{webhook_id}:enable")
def enable_webhook(webhook_id: IdPath, service: ServiceDep, who: Keeper) -> WebhookOut:
    """Tells an address again."""
    with service.database.writing() as unit:
        return _out(unit.of(who.tenant_id).webhooks.set_enabled(webhook_id, enabled=True))


@router.post("/v1/webhooks/{webhook_id}:disable")
def disable_webhook(webhook_id: IdPath, service: ServiceDep, who: Keeper) -> WebhookOut:
    """Stops telling an address."""
    with service.database.writing() as unit:
        return _out(unit.of(who.tenant_id).webhooks.set_enabled(webhook_id, enabled=False))


@router.get("/v1/webhooks/{webhook_id}/deliveries")
def list_deliveries(
    webhook_id: IdPath, service: ServiceDep, who: Keeper, place: PlaceDep
) -> Listing[DeliveryOut]:
    """Messages to an address, latest first."""
    with service.database.reading() as unit:
        store = unit.of(who.tenant_id)
        store.webhooks.get(webhook_id)
        page = store.deliveries.list(webhook_id=webhook_id, cursor=place.cursor, limit=place.limit)
    items = tuple(_delivery(d) for d in page.items)
    return Listing(items=items, next_cursor=page.next_cursor)


@router.post("/v1/deliveries/{delivery_id}:redeliver", status_code=202)
def redeliver(delivery_id: IdPath, service: ServiceDep, who: Keeper) -> DeliveryOut:
    """Sends a message of the same content again, under an id of its own."""
    with service.database.writing() as unit:
        delivery = unit.of(who.tenant_id).deliveries.again(delivery_id)
        service.engine.announce(unit, delivery)
    return _delivery(delivery)


def _secret() -> str:
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()


def _out(webhook: Webhook) -> WebhookOut:
    return WebhookOut(
        id=webhook.id,
        url=webhook.url,
        events=webhook.events,
        created_at=webhook.created_at,
        disabled_at=webhook.disabled_at,
        failing_since=webhook.failing_since,
        disabled_cause=webhook.disabled_cause,
    )


def _delivery(delivery: Delivery) -> DeliveryOut:
    return DeliveryOut(
        id=delivery.id,
        webhook_id=delivery.webhook_id,
        event=delivery.event,
        body=dict(delivery.body),
        state=delivery.state,
        tries=delivery.tries,
        next_at=delivery.next_at,
        last_status=delivery.last_status,
        last_error=delivery.last_error,
        created_at=delivery.created_at,
        delivered_at=delivery.delivered_at,
    )
