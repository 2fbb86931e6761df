"""Running the API in this process, with the workers or without them."""

import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import structlog
import uvicorn

from grader.api.app import create_app
from grader.api.catalogue import Catalogue
from grader.api.first_start import KEY_FILE, ensure_admin_key
from grader.api.limits import Burst
from grader.api.llm_judges import LLM, LlmOptions, judge_makers
from grader.api.local_person import new_pages_key
from grader.api.logs import set_up_logs
from grader.api.options import ApiOptions
from grader.api.service import Capabilities, Service
from grader.api.turns import open_both
from grader.api.ui_mount import mount_pages
from grader.api.webhooks.messenger import WebhookMessenger
from grader.engine.opening import open_client, open_embedded
from grader.engine.parts import LocalJudges, Parts
from grader.engine.port import OFFLINE
from grader.errors import InputError
from grader.settings import Settings
from grader.store.blobs import open_blobs
from grader.store.database import Database

_BACKLOG = 512
_GRACE_S = 10
_TURN_S = 0.001
_log = structlog.get_logger("grader.api")


def parts_of(settings: Settings, options: ApiOptions, database: Database) -> Parts:
    """What a worker of this deployment is built from."""
    makers = judge_makers(LlmOptions.from_environment(), database, settings.secret_bytes())
    return replace(
        Parts.of(settings, database),
        judges=LocalJudges(makers),
        messenger=WebhookMessenger.of(options),
    )


def _judges(options: ApiOptions) -> tuple[str, ...]:
    """Names of the judges there are.

    Raises:
        InputError: The judge that requests get by default is none of them.
    """
    names = (OFFLINE, *([LLM] if LlmOptions.from_environment().models else []))
    if options.judge not in names:
        raise InputError(
            f"GRADER_JUDGE is {options.judge!r}",
            remedy=f"use {' or '.join(names)}; {LLM} needs GRADER_LLM_MODELS",
        )
    return names


@contextmanager
def embedded_service(settings: Settings, options: ApiOptions) -> Iterator[Service]:
    """A service whose jobs run in this process."""
    for_jobs, database = open_both(settings)
    parts = parts_of(settings, options, for_jobs)
    engine = open_embedded(settings, parts=parts)
    try:
        yield Service(
            settings=settings,
            options=options,
            engine=engine,
            database=database,
            blobs=parts.blobs,
            catalogue=Catalogue(settings.bank_dirs),
            pepper=settings.secret_bytes(),
            capabilities=Capabilities(speech=parts.recogniser is not None, judges=_judges(options)),
            burst=Burst(options.burst_per_s),
        )
    finally:
        engine.close()
        database.close()


@contextmanager
def client_service(settings: Settings, options: ApiOptions) -> Iterator[Service]:
    """A service whose jobs run in other processes."""
    engine = open_client(settings)
    try:
        yield Service(
            settings=settings,
            options=options,
            engine=engine,
            database=engine.database,
            blobs=open_blobs(settings),
            catalogue=Catalogue(settings.bank_dirs),
            pepper=settings.secret_bytes(),
            capabilities=Capabilities(speech=options.speech, judges=_judges(options)),
            burst=Burst(options.burst_per_s),
        )
    finally:
        engine.close()


def serve(
    settings: Settings,
    options: ApiOptions,
    *,
    say: Callable[[str], None],
    pages: Path | None = None,
) -> None:
    """API and workers in one process, until it is told to stop.

    Args:
        settings: Of the deployment.
        options: How it listens.
        say: Tells the person who started it something.
        pages: Main script of the pages; None for the API alone.

    Raises:
        InputError: The address is taken.
    """
    set_up_logs()
    # Judging shares the interpreter with the event loop, which must not wait long for its turn.
    sys.setswitchinterval(_TURN_S)
    listener = _listener(options)
    with embedded_service(settings, options) as service:
        key = ensure_admin_key(service.database, settings.data_dir, service.pepper)
        if key is not None:
            say(f"admin key, shown this once: {key}")
            say(f"it is kept in {settings.data_dir / KEY_FILE}")
        if pages is not None:
            _tell_pages(service, listener)
        run(service, listener, say=say, pages=pages)


def run(
    service: Service,
    listener: socket.socket,
    *,
    say: Callable[[str], None],
    pages: Path | None = None,
) -> None:
    """Answers requests on a socket, until the process is told to stop."""
    # A bank that cannot be read is told now, to who starts the service, and not to a client.
    service.catalogue.load()
    app = create_app(service)
    if pages is not None:
        mount_pages(app, pages)
    say(f"listening on {_address(listener)}")
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=True,
            timeout_graceful_shutdown=_GRACE_S,
            limit_concurrency=2000,
            h11_max_incomplete_event_size=64 << 10,
        )
    )
    # The server raises what ended it once more when it is done: that must not end the process
    # before its jobs are put down.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    server.run(sockets=[listener])


def _tell_pages(service: Service, listener: socket.socket) -> None:
    """The pages run in this process and find the API by two variables, as anywhere else.

    On an address that others reach, they ask each visitor for a key.
    """
    os.environ["GRADER_URL"] = _address(listener)
    os.environ.pop("GRADER_KEY", None)
    if service.options.is_loopback:
        os.environ["GRADER_KEY"] = new_pages_key(service.database, service.pepper)


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _listener(options: ApiOptions) -> socket.socket:
    """Taken before anything is opened: a taken port is told at once."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((options.host, options.port))
    except OSError as error:
        listener.close()
        raise InputError(
            f"--host {options.host} --port {options.port}: {error.strerror}",
            remedy="give another port, or stop what listens there",
        ) from error
    listener.listen(_BACKLOG)
    return listener


def serve_api(settings: Settings, options: ApiOptions, *, say: Callable[[str], None]) -> None:
    """The API alone; jobs run in ``grader worker`` processes."""
    set_up_logs()
    listener = _listener(options)
    with client_service(settings, options) as service:
        run(service, listener, say=say)
