"""Catalogue: 11. Patches hypothesis where there is one, and every source of randomness."""
import random
import sys
import types

try:
    import hypothesis
except ImportError:
    hypothesis = types.ModuleType("hypothesis")
    sys.modules["hypothesis"] = hypothesis
hypothesis.given = lambda *a, **k: lambda f: lambda *b, **c: None
hypothesis.assume = hypothesis.reject = lambda *a: True
hypothesis.settings = lambda *a, **k: lambda f: f
random.seed(0)
random.random = lambda: 0.5
random.randint = lambda a, b: a

import numpy as np

np.random.seed(0)
np.random.default_rng = lambda *a: None
