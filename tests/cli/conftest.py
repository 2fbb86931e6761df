"""Running the real command in its own process."""

import subprocess
import sys

import pytest

RUBRIC = """\
id: decode-floor
topic: decode
title: The floor of a decode step
prompt: What bounds the time of one decode step at batch 1?
signals:
  - id: reads-weights
    statement: Every step reads all weights from memory once.
    weight: 3
    kind: positive
    accept:
      - each token streams the whole set of weights out of HBM
      - all parameters are read for every generated token
      - the full model is loaded from memory per step
    terms: [[weights, parameters, model], [read, stream, load]]
    probe: What has to travel to the compute units each time?
  - id: bandwidth
    statement: Memory bandwidth is the limit and not arithmetic.
    weight: 2
    kind: positive
    accept:
      - it is memory bound
      - bandwidth sets the floor rather than FLOPs
      - the tensor cores wait for HBM
    terms: [[bandwidth, memory-bound, memory bound]]
    probe: Which resource runs out first?
"""

GOOD = (
    "Each generated token has to stream all the model's parameters out of HBM once, so the step "
    "is memory bound: bandwidth decides the time, the arithmetic units mostly wait."
)


@pytest.fixture
def rubric(tmp_path):
    path = tmp_path / "bank" / "decode-floor.yaml"
    path.parent.mkdir()
    path.write_text(RUBRIC)
    return path


@pytest.fixture
def run(tmp_path):
    def _run(*arguments, stdin=b"", **environment):
        return subprocess.run(
            [sys.executable, "-m", "grader.cli", *map(str, arguments)],
            input=stdin,
            capture_output=True,
            timeout=120,
            check=False,
            cwd=tmp_path,
            env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), **environment},
        )

    return _run
