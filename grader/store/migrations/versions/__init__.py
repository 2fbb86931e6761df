"""Revisions in order."""
