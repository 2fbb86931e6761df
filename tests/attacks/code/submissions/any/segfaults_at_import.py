"""Catalogue: 2. Reads address 0 while it is imported."""
import ctypes

ctypes.string_at(0)
