"""Catalogue: 26. Tries to leave something for the next submission in caches and shared memory."""
import ctypes
import os

libc = ctypes.CDLL(None)


def before_call(args, kwargs):
    for path in ("/root/.cache/x", "/var/cache/x", "/opt/venv/x", "/opt/guest/x", "/tmp/x", "/dev/shm/x"):
        try:
            with open(path, "a") as file:
                file.write("found" if os.path.getsize(path) else "left")
                print("left", path)
        except OSError:
            pass
    libc.shm_open(b"/x", 66, 438)
    libc.semget(1234, 1, 0o1666)
    libc.msgget(1234, 0o1666)
