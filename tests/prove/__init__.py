"""Full-size proofs of claims: one module a claim, run by ``make prove-NAME``.

A proof has a ``main() -> int`` that prints what it found and returns 0 where the claim holds. It
may be stopped and run again: it goes on where it was, with what it keeps under ``out/prove``.
"""
