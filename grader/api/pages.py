"""Lists: ``{items, next_cursor}``, and how a client asks for the next part."""

from typing import Annotated, Generic, TypeVar

from fastapi import Depends, Query
from pydantic import BaseModel, ConfigDict, Field

ItemT = TypeVar("ItemT")
CURSOR = r"^[A-Za-z0-9_-]{1,400}$"


class Listing(BaseModel, Generic[ItemT]):
    """Part of a list, latest first; ``next_cursor`` is null at its end."""

    model_config = ConfigDict(frozen=True)

    items: tuple[ItemT, ...]
    next_cursor: str | None = Field(default=None, examples=["WyIyMDI2Il0"])


class Place:
    """Which part of a list is wanted."""

    def __init__(
        self,
        cursor: Annotated[
            str | None, Query(pattern=CURSOR, description="`next_cursor` of the part before.")
        ] = None,
        limit: Annotated[int, Query(ge=1, le=200, description="Most items.")] = 50,
    ) -> None:
        self.cursor = cursor
        self.limit = limit


PlaceDep = Annotated[Place, Depends()]
