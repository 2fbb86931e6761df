"""Runs revisions on the connection that `grader.store.migrate` passes."""

from typing import Any, Literal

from alembic import context

from grader.store.tables import metadata
from grader.store.tables.base import UtcDateTime


def _is_ours(_object: Any, name: str | None, kind: str, *_rest: Any) -> bool:
    """Leaves the engine's own tables alone, which stand in the same database."""
    return kind != "table" or name in metadata.tables


def _render(_kind: str, item: Any, _autogen: Any) -> str | Literal[False]:
    """Writes revisions with the database's own types: they must not change with the code."""
    return "sa.DateTime(timezone=True)" if isinstance(item, UtcDateTime) else False


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    include_object=_is_ours,
    render_item=_render,
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
