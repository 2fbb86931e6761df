"""Independent solutions of the bank's calculation questions, one function per question.

They start from the prompts and from first principles in exact fractions, and know nothing of the
expressions in the question files.
"""
