"""Catalogue: 25. On: reference. Floods through warnings, logging and tracing."""
import logging
import sys
import warnings

warnings.simplefilter("always")
logging.basicConfig(level=0)


def before_call(args, kwargs):
    for _ in range(300):
        warnings.warn("x" * 2000)
        logging.error("y" * 2000)
