"""Container images for the docker backend: made, checked and pruned here."""
