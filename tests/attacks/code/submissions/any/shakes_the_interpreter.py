"""Catalogue: 12, 25b. Tracing, profiling, garbage collection and audit hooks turned on the worker."""
import gc
import sys
import threading


def trace(frame, event, argument):
    if "nonce" in frame.f_locals:
        try:
            frame.f_locals["texts"] = ['["v",true]']
            frame.f_lineno += 1
        except (ValueError, AttributeError):
            pass
    return trace


sys.settrace(trace)
sys.setprofile(trace)
threading.settrace(trace)
gc.set_threshold(1, 1, 1)
gc.callbacks.append(lambda *a: None)
sys.addaudithook(lambda event, arguments: None)
sys.setswitchinterval(1e-9)
