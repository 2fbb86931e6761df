"""Peers measured side by side: one runner a system, each in its own environment."""
