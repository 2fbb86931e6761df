"""Logs: one JSON object a line, with ids and never a word of an answer, a rubric or a key."""

import logging
import sys
import traceback

import structlog
from structlog.typing import EventDict, Processor

_FRAMES = 12

_SHARED: tuple[Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)


def where_it_failed(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Replaces an exception by its kind and place; its message may hold what is private."""
    given = event.pop("exc_info", None)
    error = sys.exc_info()[1] if given is True else given[1] if isinstance(given, tuple) else given
    if isinstance(error, BaseException):
        frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
        event["error"] = type(error).__name__
        event["frames"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    return event


def set_up_logs(level: str = "INFO") -> None:
    """Sends the logs of this process to the standard error stream as JSON."""
    structlog.configure(
        processors=[
            *_SHARED,
            where_it_failed,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level)),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*_SHARED],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                where_it_failed,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    # Statements with their values, requests with their addresses: both may hold what is private.
    for name in ("sqlalchemy", "httpx", "httpcore", "uvicorn.access"):
        logging.getLogger(name).setLevel(logging.WARNING)
