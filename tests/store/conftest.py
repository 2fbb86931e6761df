"""Fixtures of the store's tests."""

from tests.store.fixtures import cluster, database, empty_url, templates

__all__ = ["cluster", "database", "empty_url", "templates"]
