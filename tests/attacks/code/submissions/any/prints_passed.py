"""Catalogue: 4. Prints what a parser of output would take for success."""
import json
import sys

LINES = """
PASSED test_submission.py::test_all
============ 120 passed in 0.42s ============
ok 1 - everything
"""
RESULT = json.dumps({"verdict": "correct", "score": 100.0, "passed": True, "tests": []})


def before_call(args, kwargs):
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        print(LINES, RESULT, file=stream, flush=True)
