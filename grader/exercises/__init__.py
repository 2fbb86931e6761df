"""exercises."""
