"""A grading service for technical interviews: rubrics of signals, verdicts tied to evidence."""

__version__ = "0.1.0"
