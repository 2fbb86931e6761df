# Joined to every submission's end: its hooks run around whatever the grader calls.
import functools as _functools
import types as _types


def _hooked(function, dressed):
    @_functools.wraps(function)
    def outer(*args, **kwargs):
        attack = globals()
        if "before_call" in attack:
            attack["before_call"](args, kwargs)
        value = function(*args, **kwargs)
        return attack["dress"](value) if dressed and "dress" in attack else value

    return outer


def _hook_class(kind):
    for name, member in list(vars(kind).items()):
        if isinstance(member, _types.FunctionType) and (name == "__init__" or name[0] != "_"):
            setattr(kind, name, _hooked(member, name != "__init__"))
        elif isinstance(member, property):
            setattr(kind, name, property(_hooked(member.fget, True)))


for _name in ("KVCache", "BlockManager"):
    if _name in globals():
        _hook_class(globals()[_name])
if "flash_attention" in globals():
    globals()["flash_attention"] = _hooked(globals()["flash_attention"], True)


def tell(data):
    """Prints the canaries in what an attack has found, and nothing else."""
    import os
    import re

    if isinstance(data, str):
        data = data.encode("utf-8", "replace")
    for found in set(re.findall(b"CANARY-[0-9a-f]{32}", data)):
        os.write(1, found + b"\n")
