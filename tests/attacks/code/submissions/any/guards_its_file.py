"""Catalogue: 14, 17. Slow. Rewrites its own name, file and lines, for whoever quotes them."""
import linecache
import sys

for path in ("/etc/passwd", "/proc/1/environ", "/proc/self/environ", "../../grader.key"):
    linecache.lazycache(path, {"__loader__": None, "__name__": "x"})
__file__ = "/etc/passwd"
__name__ = "__main__"
sys.modules["__main__"] = sys.modules.get(__name__)


def before_call(args, kwargs):
    exec(compile("\n" * 10_000_000 + "raise ValueError('x')", "/proc/self/environ", "exec"))
