"""Where a webhook may go: never into a private network that the deployment has not listed.

A name is resolved once, every address is judged, and the connection goes to that very address:
a name that changes its mind in between gains nothing.
"""

import ipaddress
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from grader.api.options import IpNetwork
from grader.errors import InputError

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolver = Callable[[str, int], Sequence[str]]
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_PORTS = {"https": 443, "http": 80}


class RefusedAddressError(InputError):
    """A webhook address that is not called."""


@dataclass(frozen=True)
class Destination:
    """Where a message goes: a URL, and the address that was judged."""

    url: str
    scheme: str
    host: str
    port: int
    path: str
    address: str

    @property
    def authority(self) -> str:
        """Host and port as the request's header names them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def resolve(host: str, port: int) -> list[str]:
    """The addresses of a name, as the system's resolver gives them."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(item[4][0]) for item in found))


def checked_url(url: str, *, http: bool = False) -> tuple[str, str, int, str]:
    """Scheme, host, port and path of a webhook's URL.

    Raises:
        RefusedAddressError: It is not https, names a user, or is no URL.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise RefusedAddressError(f"url: {error}", remedy="give an https URL") from error
    allowed = ("https", "http") if http else ("https",)
    if parts.scheme not in allowed or not parts.hostname:
        raise RefusedAddressError("url is not https", remedy="give an https URL")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise RefusedAddressError(
            "url names a user or a fragment", remedy="leave both out; messages are signed"
        )
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return parts.scheme, parts.hostname, port or _PORTS[parts.scheme], path


def destination(
    url: str,
    *,
    networks: Sequence[IpNetwork] = (),
    http: bool = False,
    resolver: Resolver = resolve,
) -> Destination:
    """Resolves a webhook's URL once and judges every address it has.

    Raises:
        RefusedAddressError: The name has no address, or one that is not public.
    """
    scheme, host, port, path = checked_url(url, http=http)
    try:
        addresses = resolver(host, port)
    except (OSError, UnicodeError) as error:
        raise RefusedAddressError(
            f"url: the name {host!r} has no address", remedy="check the name"
        ) from error
    for text in addresses:
        if not may_call(ipaddress.ip_address(text.partition("%")[0]), networks):
            raise RefusedAddressError(
                f"url: {host!r} leads to an address that is not public",
                remedy="list its network in GRADER_WEBHOOKS_ALLOW_NETWORKS if it is yours",
            )
    if not addresses:
        raise RefusedAddressError(f"url: the name {host!r} has no address")
    return Destination(url, scheme, host, port, path, addresses[0])


def may_call(address: IpAddress, networks: Sequence[IpNetwork] = ()) -> bool:
    """Whether an address is public, or within a listed network."""
    inner = _inner(address)
    if any(inner in network for network in networks if network.version == inner.version):
        return True
    return inner.is_global and not inner.is_multicast


def _inner(address: IpAddress) -> IpAddress:
    """The IPv4 address that an IPv6 one stands for, if it does."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address
