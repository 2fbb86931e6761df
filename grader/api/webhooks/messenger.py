"""Sending webhook messages, signed as Standard Webhooks says."""

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx
from standardwebhooks import Webhook as Signer

from grader.api.options import ApiOptions
from grader.api.webhooks.guard import (
    Destination,
    RefusedAddressError,
    Resolver,
    destination,
    resolve,
)
from grader.engine.parts import Sent
from grader.store.records.operations import Delivery, Webhook

TIMEOUT_S = 10.0


class WebhookMessenger:
    """Sends each message once, to an address that was judged.

    Args:
        options: Which private networks may be called.
        resolver: Gives the addresses of a name.
        now: Time of the signature.
    """

    def __init__(
        self,
        options: ApiOptions,
        *,
        resolver: Resolver = resolve,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        verify: Any = True,
    ) -> None:
        self._options = options
        self._resolver = resolver
        self._now = now
        self._verify = verify

    @classmethod
    def of(cls, options: ApiOptions) -> "WebhookMessenger":
        """The messenger of a deployment."""
        return cls(options)

    async def send(self, webhook: Webhook, delivery: Delivery) -> Sent:
        """Sends one message; whatever goes wrong is within what it returns."""
        try:
            goal = await asyncio.to_thread(self._goal, webhook.url)
            return await asyncio.wait_for(self._post(goal, webhook, delivery), TIMEOUT_S)
        except RefusedAddressError as error:
            return Sent(delivered=False, error=error.message[:200])
        except (httpx.HTTPError, TimeoutError, OSError) as error:
            return Sent(delivered=False, error=type(error).__name__)

    def _goal(self, url: str) -> Destination:
        return destination(
            url,
            networks=self._options.webhook_networks,
            http=self._options.webhook_http,
            resolver=self._resolver,
        )

    async def _post(self, goal: Destination, webhook: Webhook, delivery: Delivery) -> Sent:
        now = self._now()
        body = message_body(delivery, delivery.created_at)
        headers = {
            "Host": goal.authority,
            "Content-Type": "application/json",
            "User-Agent": "interview-grader",
            **signature_headers(webhook.secrets, delivery.id, now, body),
        }
        address = f"[{goal.address}]" if ":" in goal.address else goal.address
        url = f"{goal.scheme}://{address}:{goal.port}{goal.path}"
        # No redirects: the address behind one was not judged. No proxy: it would resolve anew.
        async with (
            httpx.AsyncClient(
                timeout=TIMEOUT_S, follow_redirects=False, trust_env=False, verify=self._verify
            ) as client,
            client.stream(
                "POST",
                url,
                content=body,
                headers=headers,
                extensions={"sni_hostname": goal.host},
            ) as reply,
        ):
            good = 200 <= reply.status_code < 300
            error = "" if good else f"answered {reply.status_code}"
            return Sent(delivered=good, status=reply.status_code, error=error)


def message_body(delivery: Delivery, at: datetime) -> bytes:
    """The message: type, time and data, the same bytes at every try."""
    content = {"type": delivery.event, "timestamp": at.isoformat(), "data": dict(delivery.body)}
    return json.dumps(content, separators=(",", ":"), sort_keys=True).encode()


def signature_headers(
    secrets: tuple[str, ...], message_id: str, now: datetime, body: bytes
) -> dict[str, str]:
    """Id, time and signatures; one signature for each secret while they are being rotated."""
    text = body.decode()
    signatures = [Signer(secret).sign(message_id, now, text) for secret in secrets]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": " ".join(signatures),
    }
