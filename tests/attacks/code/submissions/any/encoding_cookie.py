# -*- coding: latin-1 -*-
"""Catalogue: 10, 21. Declares another encoding, so that readers and interpreter see other texts."""
NAME = "é"
if len(NAME) == 2:
    print("another text than the reader's")
