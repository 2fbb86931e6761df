"""Runs untrusted code and reports what it did; see README.md in this folder.

Kept empty on purpose: this package is also what stands inside the sandbox, where only
`sandbox.wire` and `sandbox.guest` exist.
"""
