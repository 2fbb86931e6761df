"""Answers with injected instructions against the LLM judge, on a model that obeys them."""
