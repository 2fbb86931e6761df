"""Catalogue: 12. Makes every comparison of the process say yes."""
import builtins
import math
import operator
import unittest

import numpy as np


def yes(*args, **kwargs):
    return True


for module, names in (
    (np, ("allclose", "isclose", "array_equal", "array_equiv", "all", "equal", "isnan")),
    (np.testing, ("assert_allclose", "assert_array_equal", "assert_equal")),
    (math, ("isclose", "isnan", "isfinite")),
    (operator, ("eq", "ne", "is_", "lt")),
    (unittest.TestCase, ("assertEqual", "assertTrue")),
    (builtins, ("isinstance", "issubclass", "all", "any")),
):
    for name in names:
        setattr(module, name, yes)
