"""The HTTP API: who asks, what they may see, and how it is told."""
