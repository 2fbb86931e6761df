"""The words of the product as frozen models, and the one scoring function. No I/O."""
