"""Judges: whatever turns a question and an answer into verdicts, and the stages around them."""
