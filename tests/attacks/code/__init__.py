"""Hostile code submissions: a corpus, and the room in which they are graded."""
