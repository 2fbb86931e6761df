"""What a key may be allowed to do, and what each role allows."""

from collections.abc import Iterable
from enum import StrEnum

from grader.store.records.tenancy import Role


class Scope(StrEnum):
    """A right; the word before the colon is the noun it is about."""

    QUESTIONS_READ = "questions:read"
    RUBRICS_READ = "rubrics:read"
    RUBRICS_WRITE = "rubrics:write"
    SUBMISSIONS_READ = "submissions:read"
    SUBMISSIONS_WRITE = "submissions:write"
    ATTEMPTS_WRITE = "attempts:write"
    GRADES_READ = "grades:read"
    GRADES_WRITE = "grades:write"
    JOBS_WRITE = "jobs:write"
    COHORTS_READ = "cohorts:read"
    COHORTS_WRITE = "cohorts:write"
    USERS_WRITE = "users:write"
    EXPORTS_READ = "exports:read"
    WEBHOOKS_WRITE = "webhooks:write"
    USAGE_READ = "usage:read"
    KEYS_WRITE = "keys:write"
    ADMIN = "admin"


EVERYTHING = frozenset(Scope)

LEARNING = frozenset(
    {
        Scope.QUESTIONS_READ,
        Scope.SUBMISSIONS_READ,
        Scope.SUBMISSIONS_WRITE,
        Scope.ATTEMPTS_WRITE,
    }
)
_GRADING = LEARNING | {
    Scope.RUBRICS_READ,
    Scope.GRADES_READ,
    Scope.GRADES_WRITE,
    Scope.JOBS_WRITE,
    Scope.COHORTS_READ,
    Scope.EXPORTS_READ,
}
_INSTRUCTING = _GRADING | {Scope.COHORTS_WRITE, Scope.USERS_WRITE, Scope.USAGE_READ}
_AUTHORING = LEARNING | {Scope.RUBRICS_READ, Scope.RUBRICS_WRITE}

ROLE_SCOPES: dict[Role, frozenset[Scope]] = {
    Role.LEARNER: LEARNING,
    Role.GRADER: _GRADING,
    Role.INSTRUCTOR: _INSTRUCTING,
    Role.AUTHOR: _AUTHORING,
    Role.ADMIN: EVERYTHING,
}


def effective_scopes(scopes: Iterable[str], roles: Iterable[Role] | None) -> frozenset[Scope]:
    """What a key allows.

    Args:
        scopes: Of the key; unknown words allow nothing.
        roles: Of the person whose key it is; None for a key of the tenant itself.

    Returns:
        The key's scopes, cut to what the person's roles allow.
    """
    known = {Scope(word) for word in scopes if word in EVERYTHING}
    granted = EVERYTHING if Scope.ADMIN in known else frozenset(known)
    if roles is None:
        return granted
    allowed: frozenset[Scope] = frozenset().union(*(ROLE_SCOPES[role] for role in roles))
    return granted & allowed
