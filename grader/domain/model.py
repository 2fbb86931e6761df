"""The common base of all domain models."""

from pydantic import BaseModel, ConfigDict


class FrozenModel(BaseModel):
    """A value: immutable, and strict about unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")
