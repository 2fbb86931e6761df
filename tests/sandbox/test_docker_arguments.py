"""What a container is asked to be; needs the SDK, not an engine."""

import json
import tempfile
import time

import pytest

docker = pytest.importorskip("docker", reason="lifted by the extra `sandbox`")

from sandbox.backends.attach import AttachLink  # noqa: E402
from sandbox.backends.docker import (  # noqa: E402
    LABEL,
    LABEL_CREATED,
    LABEL_HOST,
    Door,
    _machine,
    _stale,
    container_arguments,
)
from sandbox.images.build import CPU, GPU, write_context  # noqa: E402
from sandbox.limits import Limits  # noqa: E402


@pytest.fixture
def door():
    opened = Door()
    yield opened
    opened.close()


def test_everything_is_closed_by_default(door):
    limits = Limits()
    arguments = container_arguments("image", limits, door=door, cpus=8)
    assert arguments["network_mode"] == "none"
    assert arguments["read_only"]
    assert arguments["cap_drop"] == ["ALL"]
    assert arguments["user"] == "65534:65534"
    assert arguments["ipc_mode"] == "none"
    assert arguments["pids_limit"] == limits.processes
    assert arguments["mem_limit"] == arguments["memswap_limit"] == limits.sandbox_bytes
    assert arguments["nano_cpus"] == 10**9
    assert "tmpfs" not in arguments
    assert "device_requests" not in arguments
    assert "environment" not in arguments
    assert "privileged" not in arguments
    no_new, profile = arguments["security_opt"]
    assert no_new == "no-new-privileges"
    assert json.loads(profile.removeprefix("seccomp="))["defaultAction"] == "SCMP_ACT_ERRNO"


def test_the_only_mount_is_the_link_and_it_is_read_only(door):
    (mount,) = container_arguments("image", Limits(), door=door, cpus=8)["mounts"]
    assert mount["ReadOnly"]
    assert mount["Source"] == str(door.directory)


def test_cpus_are_clamped_to_the_machine(door):
    arguments = container_arguments("image", Limits(cpus=4), door=door, cpus=2)
    assert arguments["nano_cpus"] == 2 * 10**9


def test_the_attach_link_needs_no_mount():
    arguments = container_arguments("image", Limits(), door=None, cpus=2)
    assert arguments["command"] == ["--stdio"]
    assert arguments["stdin_open"]
    assert "mounts" not in arguments


def test_scratch_space_is_sized_and_not_executable(door):
    arguments = container_arguments("image", Limits(scratch_bytes=1 << 20), door=door, cpus=2)
    options = arguments["tmpfs"]["/tmp"].split(",")
    assert {"noexec", "nosuid", "nodev", "size=1048576"} <= set(options)


def test_a_gpu_is_asked_for_by_id(door):
    limits = Limits(
        memory_bytes=8 << 30,
        scratch_bytes=1 << 30,
        processes=256,
        threads=True,
        bounded_address_space=False,
    )
    arguments = container_arguments(
        "image", limits, door=door, cpus=8, devices=("MIG-1",), runtime="nvidia"
    )
    (request,) = arguments["device_requests"]
    assert request["DeviceIDs"] == ["MIG-1"]
    assert request["Capabilities"] == [["gpu", "compute", "utility"]]
    assert "Count" not in request or request["Count"] in (None, 0)
    assert arguments["environment"] == {"NVIDIA_DRIVER_CAPABILITIES": "compute,utility"}
    assert "exec" in arguments["tmpfs"]["/tmp"].split(",")
    assert arguments["runtime"] == "nvidia"
    assert limits.address_space is None


def test_containers_of_living_hosts_are_not_stale():
    import os

    now = str(int(time.time()))
    ours = {LABEL: _machine(), LABEL_HOST: str(os.getpid()), LABEL_CREATED: now}
    assert not _stale(ours)
    assert _stale({**ours, LABEL_HOST: "999999999"})
    elsewhere = {**ours, LABEL: "another machine"}
    assert not _stale(elsewhere)
    assert _stale({**elsewhere, LABEL_CREATED: "1000"})


def test_a_door_cannot_be_listed_and_leaves_nothing(door):
    assert door.directory.stat().st_mode & 0o777 == 0o711
    with pytest.raises(TimeoutError):
        door.admit(0.01)
    door.close()
    assert not door.directory.exists()


class Engine:
    """The engine's end of an attach stream, giving a few bytes at a time."""

    def __init__(self, data, step=3):
        self.data, self.step = data, step

    def recv(self, size):
        part, self.data = self.data[: min(size, self.step)], self.data[min(size, self.step) :]
        return part


def block(stream, data):
    return bytes([stream, 0, 0, 0]) + len(data).to_bytes(4, "big") + data


def read(link, size):
    view = memoryview(bytearray(size))
    return bytes(view[: link.recv_into(view)])


def test_the_attach_link_takes_standard_output_only():
    engine = Engine(block(1, b"abc") + block(2, b"noise") + block(1, b"") + block(1, b"defgh"))
    link = AttachLink(engine)
    seen = b""
    while part := read(link, 2):
        seen += part
    assert seen == b"abcdefgh"


def test_a_stream_cut_within_a_block_is_an_error():
    link = AttachLink(Engine(block(1, b"abcdef")[:-4]))
    with pytest.raises(ConnectionError):
        while read(link, 10):
            pass


def test_image_names_follow_their_contents():
    assert CPU.tag() != GPU.tag()
    assert CPU.tag() == CPU.tag()
    assert GPU.requirements()[-1] == "torch"


def test_a_build_context_has_the_guest_and_nothing_of_the_host(tmp_path):
    write_context(tmp_path)
    found = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert "guest/sandbox/guest/main.py" in found
    assert "guest/sandbox/wire.py" in found
    assert not [
        name for name in found if "selfcheck" in name or "probe" in name or name == "run.py"
    ]
    assert "guest/sandbox/pool.py" not in found


def test_a_door_opens_in_a_folder_of_a_long_name(tmp_path, monkeypatch):
    folder = tmp_path / ("x" * 200)
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    door = Door()
    try:
        assert (door.directory / door.name).is_socket()
    finally:
        door.close()
