"""Measurements, each one command: ``python -m bench.NAME``. ``python -m bench`` runs them all."""
