"""Catalogue: 6, 25b. Replaces the worker's own functions by ones that fail or never end."""
import sys

for name, module in list(sys.modules.items()):
    if name.startswith("sandbox"):
        for attribute in list(vars(module)):
            if attribute[:2] != "__" and callable(getattr(module, attribute)):
                setattr(module, attribute, lambda *a, **k: None)
