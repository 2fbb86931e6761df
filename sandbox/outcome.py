"""How a run, and a suite of runs, can end."""

from enum import StrEnum


class Outcome(StrEnum):
    """One word for how it ended; only `INFRA_ERROR` is ever tried again."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR_ON_LOAD = "error_on_load"
    TIMEOUT = "timeout"
    MEMORY_LIMIT = "memory_limit"
    KILLED = "killed"
    PROTOCOL_ERROR = "protocol_error"
    NONDETERMINISTIC = "nondeterministic"
    INFRA_ERROR = "infra_error"
