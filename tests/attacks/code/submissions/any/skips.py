"""Catalogue: 3. Raises what test frameworks take for skipped, expected to fail, or done."""
import sys
import types
import unittest

outcomes = types.ModuleType("_pytest.outcomes")


class Skipped(BaseException):
    __module__ = "_pytest.outcomes"


class XFailed(Skipped):
    pass


class Exit(Skipped):
    returncode = 0


outcomes.Skipped, outcomes.XFailed, outcomes.Exit = Skipped, XFailed, Exit
sys.modules["_pytest.outcomes"] = sys.modules["pytest"] = outcomes
kinds = [Skipped, XFailed, Exit, unittest.SkipTest, GeneratorExit, KeyboardInterrupt, StopIteration]
calls = [0]


def before_call(args, kwargs):
    calls[0] += 1
    raise kinds[calls[0] % len(kinds)]("passed")
