"""Catalogue: 14. Slow. Looks for the judge, the reference and its own examiner in frames, heap and modules."""
import gc
import inspect
import sys


def before_call(args, kwargs):
    frame = sys._getframe()
    while frame is not None:
        tell(repr({**frame.f_locals, **frame.f_globals}))
        try:
            tell(inspect.getsource(frame.f_code))
        except (OSError, TypeError):
            pass
        frame = frame.f_back
    for name, module in list(sys.modules.items()):
        tell(name + repr(vars(module)) + str(getattr(module, "__file__", "")))
    for item in gc.get_objects():
        if type(item).__name__ in ("cell", "function", "Exercise", "Suite", "SuiteSeed", "Trace"):
            tell(repr(getattr(item, "__dict__", item)))
