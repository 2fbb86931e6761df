"""Telling other services of events."""
