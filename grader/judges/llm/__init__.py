"""The LLM judge and the transport it speaks through."""
