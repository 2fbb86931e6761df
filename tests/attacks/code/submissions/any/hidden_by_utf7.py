# -*- coding: utf-7 -*-
"""Catalogue: 10, 21. Code that stands in a comment, but for those who decode it."""
# +AAo-calls = [0]
# +AAo-def before_call(args, kwargs): raise SystemExit(0)
