"""Catalogue: 25. Constants that cost the compiler its time and memory before anything runs."""
VALUE = "x" * 4000 * 1
exec("a = " + "+".join(["1"] * 200_000))
exec("[" * 90 + "]" * 90)
