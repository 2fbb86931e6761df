"""The port of the engine on DBOS; the only modules that import it, and lazily imported."""
