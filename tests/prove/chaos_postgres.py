"""Chaos on PostgreSQL alone."""

from tests.prove.chaos import on_postgres as main

__all__ = ["main"]
