"""API keys in requests and replies."""

from datetime import datetime

from pydantic import Field

from grader.api.schemas.base import Identifier, Input, Line, Output, examples
from grader.api.scopes import Scope

_KEY = {
    "id": "k3x9q2ab",
    "name": "course site",
    "scopes": ["submissions:write", "grades:read"],
    "test": False,
    "user_id": None,
    "created_at": "2026-11-30T18:00:00Z",
    "expires_at": None,
    "revoked_at": None,
    "last_used_at": None,
    "successor_id": None,
}


class KeyIn(Input):
    """A key to be made."""

    model_config = examples({"name": "course site", "scopes": ["submissions:write", "grades:read"]})

    name: Line
    scopes: frozenset[Scope] = Field(min_length=1)
    test: bool = Field(default=False, description="Whether it always gets the offline judge.")
    user_id: Identifier | None = Field(
        default=None, description="The person whose key it is; it may do no more than they may."
    )
    days: int | None = Field(default=None, ge=1, le=3650, description="Until it expires.")


class RotateIn(Input):
    """A key to be replaced by a successor."""

    model_config = examples({"overlap_hours": 24})

    overlap_hours: int = Field(default=24, ge=0, le=24 * 90)


class KeyOut(Output):
    """What is known of a key."""

    model_config = examples(_KEY)

    id: str
    name: str
    scopes: tuple[str, ...]
    test: bool
    user_id: str | None = None
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None
    successor_id: str | None = None


class NewKeyOut(KeyOut):
    """A key just made; its text is shown this once."""

    model_config = examples({**_KEY, "key": "grd_live_k3x9q2ab_..."})

    key: str
