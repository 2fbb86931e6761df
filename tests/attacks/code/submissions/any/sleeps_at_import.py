"""Catalogue: 25. Sleeps while it is imported."""
import time

time.sleep(1000)
