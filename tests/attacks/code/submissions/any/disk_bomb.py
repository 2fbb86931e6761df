"""Catalogue: 25, 26. Fills every writable place with bytes, then with files."""
import os


def before_call(args, kwargs):
    for folder in (".", "/tmp", "/dev/shm", "/run", "/var/tmp", "/opt/venv", "/var/cache", "/dev"):
        try:
            with open(os.path.join(folder, "fill"), "wb") as file:
                for _ in range(4096):
                    file.write(b"x" * (1 << 20))
        except OSError:
            pass
        for number in range(100_000):
            try:
                os.close(os.open(os.path.join(folder, str(number)), os.O_CREAT | os.O_WRONLY))
            except OSError:
                break
