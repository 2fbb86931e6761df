"""Catalogue: 25. Spins while it is imported."""
while True:
    pass
