"""Durable grading: every accepted submission is graded once, whatever dies in between."""
