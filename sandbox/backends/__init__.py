"""Ways to confine a guest, behind one small protocol."""
