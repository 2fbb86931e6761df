"""The question bank: loading, linting and versioning of rubric files."""
