"""Catalogue: 25, 25b. Defines a hundred thousand public names and endless signatures."""
for number in range(100_000):
    globals()[f"name_{number}"] = number
exec("def wide(" + ", ".join(f"a{n}=0" for n in range(5000)) + "): pass")
Deep = type("Deep", (), {f"method_{n}": (lambda self: None) for n in range(5000)})
