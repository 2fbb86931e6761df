"""The one schema, on SQLite and PostgreSQL alike."""

from grader.store.tables import accounts, grading, operations, teaching, tenancy, work
from grader.store.tables.base import Base

metadata = Base.metadata

__all__ = ["Base", "accounts", "grading", "metadata", "operations", "teaching", "tenancy", "work"]
