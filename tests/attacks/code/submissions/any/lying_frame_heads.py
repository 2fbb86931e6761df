"""Catalogue: 7, 25. On: reference. Frames that announce gigabytes, or never the last one."""
import os
import struct


def before_call(args, kwargs):
    os.write(3, struct.pack("<IIII", 0x31445247, 32, 0xFFFFFFFF, 0))
    body = b"[]".ljust(16)
    for _ in range(1000):
        os.write(3, struct.pack("<IIII", 0x31445247, 16, 0, 1) + body)
