"""How one API process listens, and what it lets in."""

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.errors import InputError

IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True)
class ApiOptions:
    """What a deployment may set of its API.

    Attributes:
        host: Address to listen on.
        port: Port to listen on; 0 lets the system choose.
        allowed_hosts: Names by which clients may call this service, beside the machine's own,
            ``localhost`` and IP addresses.
        cors_origins: Web pages of other origins that may call the API; none by default.
        webhook_networks: Private networks that webhooks may call; none by default.
        webhook_http: Whether webhooks may go without TLS.
        body_bytes: Most bytes of an ordinary request.
        batch_bytes: Most bytes of a batch.
        upload_bytes: Most bytes of a recording.
        burst_per_s: Requests a second of one key to one process.
        metrics_key: Bearer token of ``/metrics``; without one only this machine may read it.
        judge: Name of the judge where a request names none.
        hold_s: Most seconds that a reply is held for a client that waits.
        speech: Whether the workers of the deployment recognise speech.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    allowed_hosts: tuple[str, ...] = ()
    cors_origins: tuple[str, ...] = ()
    webhook_networks: tuple[IpNetwork, ...] = field(default=())
    webhook_http: bool = False
    body_bytes: int = 1 << 20
    batch_bytes: int = 32 << 20
    upload_bytes: int = 64 << 20
    burst_per_s: int = 500
    metrics_key: str = ""
    judge: str = "offline"
    hold_s: float = 60.0
    speech: bool = False

    @classmethod
    def from_environment(
        cls,
        environment: Mapping[str, str] | None = None,
        *,
        host: str = "127.0.0.1",
        port: int = 8000,
    ) -> "ApiOptions":
        """Reads the variables of the API.

        ``GRADER_ALLOWED_HOSTS``, ``GRADER_CORS_ORIGINS``, ``GRADER_METRICS_KEY``,
        ``GRADER_WEBHOOKS_ALLOW_NETWORKS``, ``GRADER_WEBHOOKS_ALLOW_HTTP``, ``GRADER_JUDGE``,
        ``GRADER_SPEECH``; lists have commas between their items.

        Raises:
            InputError: A network cannot be read.
        """
        env = os.environ if environment is None else environment
        return cls(
            host=host,
            port=port,
            allowed_hosts=_items(env.get("GRADER_ALLOWED_HOSTS", "")),
            cors_origins=_items(env.get("GRADER_CORS_ORIGINS", "")),
            webhook_networks=_networks(env.get("GRADER_WEBHOOKS_ALLOW_NETWORKS", "")),
            webhook_http=env.get("GRADER_WEBHOOKS_ALLOW_HTTP", "") == "1",
            metrics_key=env.get("GRADER_METRICS_KEY", ""),
            judge=env.get("GRADER_JUDGE", "") or "offline",
            speech=env.get("GRADER_SPEECH", "") == "1",
        )

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the service."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def _items(text: str) -> tuple[str, ...]:
    return tuple(item.strip() for item in text.split(",") if item.strip())


def _networks(text: str) -> tuple[IpNetwork, ...]:
    try:
        return tuple(ipaddress.ip_network(item) for item in _items(text))
    except ValueError as error:
        raise InputError(
            f"GRADER_WEBHOOKS_ALLOW_NETWORKS: {error}", remedy="write networks as 10.0.0.0/8"
        ) from error
