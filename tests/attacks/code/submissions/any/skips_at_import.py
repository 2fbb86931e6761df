"""Catalogue: 3. Raises SkipTest while it is imported."""
import unittest

raise unittest.SkipTest("nothing to see")
