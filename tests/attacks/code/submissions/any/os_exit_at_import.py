"""Catalogue: 2. Leaves without clean-up, status 0, while it is imported."""
import os

os._exit(0)
