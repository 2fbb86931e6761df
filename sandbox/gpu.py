"""The profile for work on a GPU: torch in the image, one device, limits that CUDA can live with."""

from __future__ import annotations

from typing import Final

from sandbox.errors import SandboxUnavailable
from sandbox.images.build import GPU
from sandbox.limits import MIB, Limits
from sandbox.pool import Pool
from sandbox.selfcheck import prove

# CUDA starts threads, reserves address space without end, and compilers write what they then run.
GPU_LIMITS: Final = Limits(
    cpu_s=120.0,
    memory_bytes=8192 * MIB,
    result_bytes=128 * MIB,
    processes=256,
    open_files=1024,
    scratch_bytes=1024 * MIB,
    cpus=2.0,
    threads=True,
    bounded_address_space=False,
)
_PROBE: Final = b"""
import torch

def device():
    return torch.cuda.get_device_name(0)
"""


def open_gpu_pool(device: str, *, limits: Limits = GPU_LIMITS, runtime: str | None = None) -> Pool:
    """Opens a pool whose sandboxes see one GPU; one sandbox at a time holds it.

    Args:
        device: Index, UUID or MIG UUID of the device; one submission at a time is given it.
        limits: Of every sandbox as a whole.
        runtime: Engine runtime, where the device needs another than the default.

    Raises:
        SandboxUnavailable: No engine, image or device; GPU suites are then not attempted.
    """
    from sandbox.backends.docker import DockerBackend

    backend = DockerBackend(runtime=runtime, image=GPU, devices=(device,))
    try:
        pool = Pool(backend, proofs=prove(backend, limits), size=0, limits=limits)
    except BaseException:
        backend.close()
        raise
    try:
        _find_device(pool)
    except BaseException:
        pool.close()
        raise
    return pool


def _find_device(pool: Pool) -> None:
    """Asks torch inside a sandbox for its device."""
    from sandbox.ops import Call

    with pool.lease() as lease, lease.start(_PROBE, "probe", pool.limits) as run:
        loaded = run.load()
        seen = run.call(Call("device")) if loaded.ok else None
    if seen is None or seen.raised is not None:
        reason = loaded.raised or (seen and seen.raised)
        raise SandboxUnavailable(
            f"no GPU can be used inside a sandbox: {reason.message if reason else 'unknown'}",
            remedy="install the NVIDIA container toolkit and name a device the engine can give",
        )
