"""Catalogue: 25, 29. Starts threads without end, and one that works after the answer."""
import _thread
import threading


def work():
    while True:
        pass


def before_call(args, kwargs):
    for _ in range(1000):
        try:
            _thread.start_new_thread(work, ())
            threading.Thread(target=work, daemon=True).start()
        except RuntimeError:
            return
