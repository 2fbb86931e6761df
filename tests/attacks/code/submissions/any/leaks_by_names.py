"""Catalogue: 18, 21. Names functions, classes and files so that feedback carries them."""
NAME = "x" * 5000


def before_call(args, kwargs):
    code = compile("def f():\n    raise type(%r, (Exception,), {})(%r)" % (NAME, NAME), __file__, "exec")
    space = {}
    exec(code, space)
    space["f"]()
