"""The usual way: for each submission a fresh container in which pytest runs the checks.

The image is the worker's with pytest, Hypothesis and the grader's own code added, so that the very
same suite runs in it; nothing protects the checks from the submission there.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from sandbox.images.build import CPU, check

ROOT = Path(__file__).parents[1]
TAG = "bench-pytest-inside:latest"
PACKAGES = ("pytest", "hypothesis", "pydantic", "PyYAML")
DOCKERFILE = """\
ARG WORKER
FROM ${WORKER}
USER root
COPY wheels/ /wheels/
RUN python3 -m venv /opt/tool \\
 && /opt/tool/bin/pip --python /opt/venv/bin/python3 install -q --no-index --find-links /wheels \\
    PACKAGES \\
 && rm -rf /opt/tool /wheels
COPY tree/ /opt/tree/
ENV PYTHONPATH=/opt/tree
RUN python3 -m compileall -q /opt/tree
USER 65534:65534
ENTRYPOINT []
"""
TEST = """\
import dataclasses
import resource
from pathlib import Path

import pytest

from bench._in_process import InProcessPool
from bench._part import part
from grader.exercises.kit.mutants import graded


def test_submission():
    exercise = part()
    source = Path("/submission/block_manager.py").read_bytes()
    result = graded(exercise, source, InProcessPool(), b"the secret of this bench")
    assert result.score == 100


def teardown_module():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print("CPU", usage.ru_utime + usage.ru_stime)
"""


def build(client) -> None:
    """Builds the image.

    Raises:
        SystemExit: The worker image is missing, or pip cannot get the wheels.
    """
    state = check(client, CPU)
    if state.digest is None:
        raise SystemExit("the worker image is missing; run: grader sandbox build")
    with tempfile.TemporaryDirectory(prefix="bench-build-") as folder:
        context = Path(folder)
        version = client.containers.run(
            state.tag,
            ["-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
            entrypoint="python3",
            remove=True,
        )
        _write(context, version.decode().strip())
        client.images.build(path=folder, tag=TAG, buildargs={"WORKER": state.tag}, rm=True)


def _write(context: Path, version: str) -> None:
    command = [sys.executable, "-m", "pip", "download", "-qq", "--only-binary=:all:"]
    command += ["--python-version", version, "--dest", str(context / "wheels"), *PACKAGES]
    if subprocess.run(command, check=False).returncode:
        raise SystemExit("pip could not download the wheels for the cold image")
    ignored = shutil.ignore_patterns("__pycache__", "mutants", "ui", "node_modules")
    for name in ("grader", "sandbox", "bench", "rubrics/coding"):
        shutil.copytree(ROOT / name, context / "tree" / name, ignore=ignored)
    (context / "tree" / "test_submission.py").write_text(TEST)
    (context / "Dockerfile").write_text(DOCKERFILE.replace("PACKAGES", " ".join(PACKAGES)))


def grade(source: Path) -> float:
    """Grades one file in a cold container; gives the CPU seconds of the process inside.

    Raises:
        SystemExit: The container did not end with every test passed.
    """
    command = ["docker", "run", "--rm", "--network=none", "--read-only", "--tmpfs=/tmp"]
    command += ["--cap-drop=ALL", "--security-opt=no-new-privileges", "--memory=512m"]
    command += ["--pids-limit=64", "--cpus=1", f"--volume={source.parent}:/submission:ro", TAG]
    command += ["python3", "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider"]
    command += ["--import-mode=importlib", "/opt/tree/test_submission.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"the cold container failed: {done.stdout[-2000:]}{done.stderr[-500:]}")
    return float(done.stdout.partition("CPU ")[2].split()[0])
