"""Grades in the shapes that other programs and people read."""
