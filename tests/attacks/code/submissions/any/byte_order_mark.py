"""Catalogue: 10. Will be given a byte order mark: the file begins with bytes that nobody sees."""
