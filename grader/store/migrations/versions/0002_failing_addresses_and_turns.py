"""Why an address is disabled, and whose turn a chore is."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """To this revision."""
    op.create_table(
        "turns",
        sa.Column("chore", sa.String(length=64), nullable=False),
        sa.Column("taken", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("chore", name=op.f("pk_turns")),
    )
    # Not as a batch, which makes the table anew on SQLite: dropping the old one would take the
    # deliveries with it.
    op.add_column(
        "webhooks",
        sa.Column("disabled_cause", sa.String(length=64), server_default="", nullable=False),
    )


def downgrade() -> None:
    """From this revision."""
    op.drop_column("webhooks", "disabled_cause")
    op.drop_table("turns")
