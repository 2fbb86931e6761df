"""Catalogue: 25. The same while it is imported, in numpy."""
import numpy as np

held = [np.ones(1 << 19) for _ in range(4096)]
