"""``grader sandbox build``."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Annotated, Any

import typer

from grader.cli.sandbox.engine import engine
from sandbox.errors import SandboxUnavailable


def command(
    base: Annotated[str, typer.Option(help="Base image; a public slim Python by default.")] = "",
    wheels: Annotated[Path | None, typer.Option(help="Folder of wheels to use.")] = None,
    gpu: Annotated[bool, typer.Option("--gpu", help="The image with torch.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Build even if it is there.")] = False,
) -> None:
    """Build the worker image. Where no registry answers, root makes a base with debootstrap."""
    from sandbox.images.build import CPU, DEFAULT_BASE, GPU, build, check

    kind = GPU if gpu else CPU
    with engine() as client:
        state = check(client, kind)
        if state.digest is None or force:
            try:
                state = build(client, kind, base=base or DEFAULT_BASE, wheels=wheels, say=print)
            except SandboxUnavailable:
                if base:
                    raise
                state = build(client, kind, base=_local_base(client), wheels=wheels, say=print)
        print(f"{state.tag} {state.digest} {state.size / 2**20:.0f} MiB")


def _local_base(client: Any) -> str:
    """The base made on this machine, made now where it is missing.

    Raises:
        SandboxUnavailable: It is missing and cannot be made here.
    """
    from docker.errors import ImageNotFound

    from sandbox.images.build import FOLDER, LOCAL_BASE

    try:
        client.images.get(LOCAL_BASE)
    except ImageNotFound:
        if os.geteuid() != 0 or shutil.which("debootstrap") is None:
            raise SandboxUnavailable(
                "no registry answers, and a base can be made only by root with debootstrap",
                remedy="give an image of your own with --base",
            ) from None
        print("no registry answers; making a base with debootstrap")
        script = str(FOLDER / "make_base.sh")
        command_line = ["sh", script, LOCAL_BASE]
        done = subprocess.run(command_line, capture_output=True, check=False)  # noqa: S603
        if done.returncode != 0:
            told = done.stderr.decode(errors="replace").strip()[-500:]
            raise SandboxUnavailable(f"the base could not be made: {told}") from None
    return LOCAL_BASE
