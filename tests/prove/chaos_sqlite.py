"""Chaos on SQLite alone."""

from tests.prove.chaos import on_sqlite as main

__all__ = ["main"]
