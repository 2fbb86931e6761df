"""What happens to every request before and after its route: one layer, no route left out.

A request gets an id, is turned away when it calls the service by a foreign name, comes from a
foreign page or is too large, and leaves a line in the log and a count in the metrics. An error
nobody caught becomes a problem document, never a traceback.
"""

import ipaddress
import re
import secrets
import socket
import time
from urllib.parse import urlsplit

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from grader.api.metrics import Metrics
from grader.api.options import ApiOptions
from grader.api.problems import ApiError, reply_of
from grader.errors import ErrorCode, FaultError

API_PATHS = ("/v1", "/healthz", "/readyz", "/metrics")
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SECURITY = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_POLICY_VIOLATION = 1008
_log = structlog.get_logger("grader.api")


class Door:
    """The outermost layer of the application.

    Args:
        app: What it leads to.
        options: Names, origins and sizes that are let in.
        metrics: Where requests are counted.
    """

    def __init__(self, app: ASGIApp, options: ApiOptions, metrics: Metrics) -> None:
        self._app = app
        self._options = options
        self._metrics = metrics
        self._names = {"localhost", socket.gethostname().lower(), options.host.lower()} | {
            name.lower() for name in options.allowed_hosts
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a request through, or answers it."""
        if scope["type"] != "http":
            await self._socket(scope, receive, send)
            return
        if not is_api(scope["path"]):
            await self._page(scope, receive, send)
            return
        visit = _Visit(scope, send)
        try:
            self._demand_welcome(scope)
            limited = _limited(receive, self._most_bytes(scope["path"]), scope)
            await self._app(scope, limited, visit.send)
        except (ApiError, HTTPException) as error:
            await visit.answer(_as_api_error(error))
        except Exception as error:
            _log.exception("fault", request_id=visit.request_id, kind=type(error).__name__)
            await visit.answer(FaultError("something failed on our side", remedy="try again"))
        finally:
            self._note(scope, visit)

    async def _page(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A page: by a name of this service, and changed from its own pages only."""
        try:
            self._demand_welcome(scope)
        except ApiError as error:
            await reply_of(error)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The socket of a page: opened from this service's own pages only."""
        if scope["type"] == "websocket":
            try:
                self._demand_welcome({**scope, "method": "POST"})
            except ApiError:
                await receive()
                await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
                return
        await self._app(scope, receive, send)

    def _demand_welcome(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        host = _name_of(headers.get("host", ""))
        if host not in self._names and not _is_address(host):
            raise ApiError(
                ErrorCode.HOST_REFUSED,
                "this service is not called by that name",
                remedy="list the name in GRADER_ALLOWED_HOSTS",
            )
        origin = headers.get("origin")
        if origin is None or scope["method"] in _SAFE_METHODS:
            return
        if origin not in self._options.cors_origins and _name_of(urlsplit(origin).netloc) != host:
            raise ApiError(
                ErrorCode.ORIGIN_REFUSED,
                "pages of that origin may not call this service",
                remedy="list the origin in GRADER_CORS_ORIGINS",
            )

    def _most_bytes(self, path: str) -> int:
        if path.endswith(":batch"):
            return self._options.batch_bytes
        if path.endswith(":spoken"):
            return self._options.upload_bytes
        return self._options.body_bytes

    def _note(self, scope: Scope, visit: "_Visit") -> None:
        route = getattr(scope.get("route"), "path", "unknown")
        seconds = time.perf_counter() - visit.began
        waits = b"wait=" in scope.get("query_string", b"") or route.endswith("/events")
        method = scope["method"] if scope["method"].isalpha() else "other"
        self._metrics.answered(method[:8], route, visit.status, None if waits else seconds)
        principal = scope.get("state", {}).get("principal")
        _log.info(
            "request",
            request_id=visit.request_id,
            method=scope["method"][:16],
            route=route,
            status=visit.status,
            ms=round(seconds * 1000, 1),
            tenant=getattr(principal, "tenant_id", None),
            key=getattr(principal, "key_id", None),
        )


class _Visit:
    """One request on its way: its id, and what was answered."""

    def __init__(self, scope: Scope, send: Send) -> None:
        given = Headers(scope=scope).get("x-request-id", "")
        self.request_id = given if _REQUEST_ID.fullmatch(given) else f"req_{secrets.token_hex(8)}"
        scope.setdefault("state", {})["request_id"] = self.request_id
        self.began = time.perf_counter()
        self.status = 0
        self._scope = scope
        self._send = send

    async def send(self, message: Message) -> None:
        """Sends a part of the reply, with the headers that every reply has."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers["X-Request-Id"] = self.request_id
            for name, value in _SECURITY.items():
                headers.setdefault(name, value)
        await self._send(message)

    async def answer(self, error: ApiError | FaultError) -> None:
        """Answers with a problem, unless the reply has begun."""
        if self.status:
            return
        reply = reply_of(error, self.request_id)
        await reply(self._scope, _nothing, self.send)


def is_api(path: str) -> bool:
    """Whether an address belongs to the API, not to the pages."""
    return any(path == root or path.startswith(root + "/") for root in API_PATHS)


def body_too_large(most: int) -> HTTPException:
    """The refusal of a body that has more bytes than are read."""
    return HTTPException(413, f"the body has more than {most} bytes")


def _limited(receive: Receive, most: int, scope: Scope) -> Receive:
    """Reads no more than so many bytes, whatever the length that was announced."""
    announced = Headers(scope=scope).get("content-length", "0")
    if announced.isdecimal() and len(announced) < 20 and int(announced) > most:
        raise body_too_large(most)
    taken = 0

    async def limited() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > most:
            raise body_too_large(most)
        return message

    return limited


def _as_api_error(error: ApiError | HTTPException) -> ApiError:
    if isinstance(error, ApiError):
        return error
    code = ErrorCode.BODY_TOO_LARGE if error.status_code == 413 else ErrorCode.BODY_MALFORMED
    return ApiError(code, str(error.detail), remedy="send less at once")


def _name_of(netloc: str) -> str:
    """A host name without its port."""
    name = netloc.lower()
    if name.startswith("["):
        return name.partition("]")[0].removeprefix("[")
    return name.partition(":")[0]


def _is_address(host: str) -> bool:
    """Whether it is an IP address: no foreign page can make a browser send that for its own."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


async def _nothing() -> Message:
    return {"type": "http.disconnect"}
