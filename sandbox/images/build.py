"""Makes, checks and prunes the worker images.

The wheels come from the host's own pip, whatever index and certificates it is set up with, so that
the build itself needs no network at all.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from sandbox.errors import SandboxError, SandboxUnavailable
from sandbox.guestfiles import guest_digest, guest_files

FOLDER: Final = Path(__file__).resolve().parent
REPOSITORY: Final = "sandbox-worker"
DEFAULT_BASE: Final = "python:3.12-slim-bookworm"
LOCAL_BASE: Final = "sandbox-base:bookworm"
_LABEL: Final = "sandbox.image"


@dataclass(frozen=True, slots=True)
class ImageKind:
    """One kind of worker image.

    Args:
        name: `cpu` or `gpu`.
        packages: What is installed beside numpy.
        preload: Module that the supervisor imports before it forks; empty for none.
    """

    name: str
    packages: tuple[str, ...] = ()
    preload: str = ""

    def requirements(self) -> tuple[str, ...]:
        """Exact requirements: numpy is the host's, so that both sides agree on arrays."""
        return (f"numpy=={metadata.version('numpy')}", *self.packages)

    def tag(self) -> str:
        """Name under which the engine has the image that fits this guest."""
        parts = [guest_digest(), (FOLDER / "Dockerfile").read_text("utf-8"), *self.requirements()]
        key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
        return f"{REPOSITORY}:{self.name}-{key}"


CPU: Final = ImageKind("cpu")
GPU: Final = ImageKind("gpu", ("torch",), "torch")


@dataclass(frozen=True, slots=True)
class ImageState:
    """What the engine has of one kind.

    Args:
        tag: The name that fits this guest.
        digest: Its id, or None where the engine lacks it.
        size: Bytes, 0 where it is missing.
    """

    tag: str
    digest: str | None
    size: int


def check(client: Any, kind: ImageKind = CPU) -> ImageState:
    """Looks whether the engine has the image that fits this guest."""
    from docker.errors import ImageNotFound

    try:
        image = client.images.get(kind.tag())
    except ImageNotFound:
        return ImageState(kind.tag(), None, 0)
    return ImageState(kind.tag(), str(image.id), int(image.attrs["Size"]))


def _silently(line: str) -> None:
    """Says nothing."""
    del line


def build(
    client: Any,
    kind: ImageKind = CPU,
    *,
    base: str = DEFAULT_BASE,
    wheels: Path | None = None,
    say: Callable[[str], None] = _silently,
) -> ImageState:
    """Builds the image of a kind.

    Args:
        client: A Docker client.
        kind: Which image.
        base: Image it stands on; must have `python3` with `venv`.
        wheels: Folder of wheels to use; None downloads them with this interpreter's pip.
        say: Told what is being done, line by line.

    Raises:
        SandboxUnavailable: The base cannot be had.
        SandboxError: The build failed.
    """
    version = _base_python(client, base)
    say(f"base {base} has Python {version}")
    with tempfile.TemporaryDirectory(prefix="sandbox-build-") as directory:
        context = Path(directory)
        write_context(context)
        if wheels is None:
            say(f"downloading {', '.join(kind.requirements())}")
            download_wheels(kind, version, context / "wheels")
        else:
            shutil.copytree(wheels, context / "wheels", dirs_exist_ok=True)
        _build(client, kind, base, context, say)
    return check(client, kind)


def _build(
    client: Any, kind: ImageKind, base: str, context: Path, say: Callable[[str], None]
) -> None:
    from docker.errors import DockerException

    arguments = {
        "BASE_IMAGE": base,
        "REQUIREMENTS": " ".join(kind.requirements()),
        "PRELOAD": kind.preload,
    }
    try:
        lines = client.api.build(
            path=str(context),
            tag=kind.tag(),
            buildargs=arguments,
            labels={_LABEL: kind.name},
            rm=True,
            forcerm=True,
            decode=True,
        )
        for line in lines:
            if "error" in line:
                raise SandboxError(f"the image build failed: {line['error'].strip()}")
            if text := line.get("stream", "").strip():
                say(text)
    except DockerException as error:
        raise SandboxError(f"the image build failed: {error}") from error


def write_context(context: Path) -> None:
    """Lays out a build context without its wheels."""
    shutil.copyfile(FOLDER / "Dockerfile", context / "Dockerfile")
    (context / "wheels").mkdir()
    (context / "wheels" / ".keep").touch()
    for file, place in guest_files():
        target = context / "guest" / place
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)


def download_wheels(kind: ImageKind, python_version: str, folder: Path) -> None:
    """Fetches the wheels of a kind for another interpreter's version.

    Raises:
        SandboxError: pip could not get them.
    """
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:"]
    command += ["--python-version", python_version, "--dest", str(folder), *kind.requirements()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SandboxError(
            f"pip could not download the wheels: {done.stderr.strip()[-500:]}",
            remedy="give a folder of wheels with --wheels",
        )


def _base_python(client: Any, base: str) -> str:
    """The `X.Y` of the base's interpreter, pulling the base where it is missing."""
    from docker.errors import DockerException

    script = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        output = client.containers.run(
            base, ["python3", "-c", script], remove=True, network_mode="none"
        )
    except DockerException as error:
        raise SandboxUnavailable(
            f"the base image {base} cannot be had: {error}",
            remedy="make one with sandbox/images/make_base.sh and build on it with --base",
        ) from error
    return str(output.decode("ascii").strip())


def prune(client: Any) -> list[str]:
    """Removes worker images that fit no guest of this installation; returns their names."""
    keep = {CPU.tag(), GPU.tag()}
    removed = []
    for image in client.images.list(name=REPOSITORY):
        for tag in image.tags:
            if tag.startswith(f"{REPOSITORY}:") and tag not in keep:
                client.images.remove(tag)
                removed.append(tag)
    return removed
