"""Catalogue: 12, 13. Rewrites small integers, None's neighbours and type slots in memory."""
import ctypes


def before_call(args, kwargs):
    for number in range(2, 6):
        ctypes.c_int.from_address(id(number) + 24).value = 0
